// Texts that would take the reader of Markdown too deep or too long. They are known before it begins.

/** A block that is longer than this is no prose. */
const LONGEST = 60_000;
/** Quotes in quotes and lists in lists, in one line: deeper than anyone writes. */
const DEEP = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]))){40}/m;
/** Lists in lists, line by line. */
const FAR = /^[ \t>]{160,}(?:[-*+]|\d{1,9}[.)])[ \t]/m;
/** One mark so often in a row that has a text beside it, so that it is no line across the page. */
const RUN = /(?:\*{200}|_{200}|~{200}|`{200}|\[{200}|!{200})/;
const ONLY_MARKS = /^[ \t]*(?:\*+|_+|~+|`+)[ \t]*$/gm;
/** So many marks of emphasis in one paragraph are compared each with each. */
const MOST_MARKS = 4000;

/** Backticks behind the marks make it code in a line. */
const FENCED = /^ {0,3}(?:`{3,}[^`\n]*|~{3,}[^\n]*)(?:\n|$)/;

export function isTooMuch(text: string): boolean {
  // What is in a code block is not read.
  if (FENCED.test(text)) return false;
  if (text.length > LONGEST || DEEP.test(text) || FAR.test(text)) return true;
  if (RUN.test(text) && RUN.test(text.replace(ONLY_MARKS, ""))) return true;
  return text.split(/\n[ \t]*\n/).some((paragraph) => (paragraph.match(/[*_]/g)?.length ?? 0) > MOST_MARKS);
}
