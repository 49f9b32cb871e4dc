// Fields of several lines: arguments, variables, headers.

/** One argument a line, as it stands there; empty lines are none. */
export function linesOf(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => line.trim() !== "");
}

/** A name, the separator and a value on each line. `wrong` is the first line that is none, from 1. */
export function pairsOf(text: string, separator: "=" | ":"): { pairs: Record<string, string>; wrong: number | null } {
  const pairs: Record<string, string> = {};
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "") continue;
    const at = line.indexOf(separator);
    const name = line.slice(0, at).trim();
    if (at < 1 || name === "") return { pairs, wrong: index + 1 };
    const value = line.slice(at + 1);
    pairs[name] = separator === ":" ? value.trim() : value;
  }
  return { pairs, wrong: null };
}
