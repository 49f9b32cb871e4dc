// What a program prints for a terminal, as lines of text with colours. What moves the cursor elsewhere is left out.

export interface Run {
  text: string;
  colour: string | null;
  bold: boolean;
}

const COLOURS = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"] as const;
// Escape sequences: colours (CSI … m), every other CSI, OSC up to its end, and single escapes.
// eslint-disable-next-line no-control-regex -- these characters are what it is about
const ESCAPES = /\x1b\[([0-9;:]*)m|\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\|$)|\x1b[@-Z\\-_]|\x1b/g;
// eslint-disable-next-line no-control-regex -- as above
const CONTROLS = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g;

export function runsOf(text: string): Run[] {
  const runs: Run[] = [];
  let colour: string | null = null;
  let bold = false;
  let from = 0;
  const push = (piece: string) => {
    const clean = piece.replace(CONTROLS, "");
    if (clean === "") return;
    const last = runs.at(-1);
    if (last !== undefined && last.colour === colour && last.bold === bold) last.text += clean;
    else runs.push({ text: clean, colour, bold });
  };
  const flat = overwritten(text);
  for (const found of flat.matchAll(ESCAPES)) {
    push(flat.slice(from, found.index));
    from = found.index + found[0].length;
    if (found[1] === undefined) continue;
    ({ colour, bold } = painted(found[1], colour, bold));
  }
  push(flat.slice(from));
  return runs;
}

export function withoutEscapes(text: string): string {
  return overwritten(text).replace(ESCAPES, "").replace(CONTROLS, "");
}

/** A line that a program wrote over with `\r` is what it wrote last. */
function overwritten(text: string): string {
  if (!text.includes("\r")) return text;
  return text
    .replace(/\r+\n/g, "\n")
    .split("\n")
    .map((line) => {
      const parts = line.split("\r");
      return parts.findLast((part) => part !== "") ?? "";
    })
    .join("\n");
}

function painted(codes: string, colour: string | null, bold: boolean): { colour: string | null; bold: boolean } {
  const numbers = codes === "" ? [0] : codes.split(/[;:]/).map(Number);
  for (let index = 0; index < numbers.length; index += 1) {
    const code = numbers[index] ?? 0;
    if (code === 0) {
      colour = null;
      bold = false;
    } else if (code === 1) bold = true;
    else if (code === 22) bold = false;
    else if (code === 39) colour = null;
    else if (code >= 30 && code <= 37) colour = COLOURS[code - 30] ?? null;
    else if (code >= 90 && code <= 97) colour = COLOURS[code - 90] ?? null;
    else if (code === 38 || code === 48) {
      // Colours by number or by shade: which of them is not worth showing, but their numbers are no codes.
      index += numbers[index + 1] === 5 ? 2 : 4;
    }
  }
  return { colour, bold };
}
