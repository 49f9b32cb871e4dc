// Long gaps in a text, found so that they can be told: what follows a thousand spaces is easily taken for not there.

export type Piece = { kind: "text"; text: string } | { kind: "spaces" | "lines"; count: number };

/** Blanks of every width, also those that are letters by name only. */
const BLANK = " \\t\\u00A0\\u115F\\u1160\\u1680\\u2000-\\u200A\\u202F\\u205F\\u2800\\u3000\\u3164\\uFFA0";
/** More blanks than these inside a line, or at its beginning, where code is indented, are a gap. */
const INSIDE = 12;
const INDENT = 40;
/** So many line ends, with nothing but blanks between them, are a gap. */
const LINES = 5;
const BLANKS = new RegExp(`[${BLANK}\\r\\n]{${INSIDE},}|(?:\\r?\\n){${LINES},}`, "g");

export function withGaps(text: string): Piece[] {
  const pieces: Piece[] = [];
  const say = (part: string) => {
    const last = pieces.at(-1);
    if (last?.kind === "text") last.text += part;
    else if (part !== "") pieces.push({ kind: "text", text: part });
  };
  let from = 0;
  for (const found of text.matchAll(BLANKS)) {
    say(text.slice(from, found.index));
    from = found.index + found[0].length;
    const lines = found[0].split("\n");
    const before = lines[0]?.length ?? 0;
    const after = lines.length > 1 ? (lines.at(-1)?.length ?? 0) : 0;
    const begins = found.index === 0 || text[found.index - 1] === "\n";
    const ends = from === text.length;
    if (before > (begins ? INDENT : INSIDE)) pieces.push({ kind: "spaces", count: before });
    else say(lines[0] ?? "");
    if (lines.length > LINES && !ends) {
      say("\n");
      pieces.push({ kind: "lines", count: lines.length - 2 });
      say("\n");
    } else if (lines.length > 1) {
      say("\n".repeat(lines.length - 1));
    }
    if (after > INDENT) pieces.push({ kind: "spaces", count: after });
    else if (lines.length > 1) say(lines.at(-1) ?? "");
  }
  say(text.slice(from));
  return pieces;
}
