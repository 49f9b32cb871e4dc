// Where in a line a search was met, as the page can tell. The server found the line; this is only for the eye.

export interface Piece {
  text: string;
  hit: boolean;
}

export interface Searched {
  pattern: string;
  regex: boolean;
  ignoreCase: boolean;
}

/** Something repeated inside something repeated can take for ever on a single line. */
const NESTED = /[+*}]\)*[+*{]/;
const LONGEST_LINE = 1000;

export function matcherOf({ pattern, regex, ignoreCase }: Searched): RegExp | null {
  if (regex && NESTED.test(pattern)) return null;
  const source = regex ? pattern : pattern.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  try {
    return new RegExp(source, ignoreCase ? "giu" : "gu");
  } catch {
    // Written for another engine.
    return null;
  }
}

export function pieces(line: string, matcher: RegExp | null): Piece[] {
  if (matcher === null || line.length > LONGEST_LINE) return [{ text: line, hit: false }];
  const found: Piece[] = [];
  let at = 0;
  for (const match of line.matchAll(matcher)) {
    if (match[0] === "") continue;
    if (match.index > at) found.push({ text: line.slice(at, match.index), hit: false });
    found.push({ text: match[0], hit: true });
    at = match.index + match[0].length;
  }
  if (at < line.length) found.push({ text: line.slice(at), hit: false });
  return found;
}
