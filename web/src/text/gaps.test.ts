import { expect, test } from "vitest";

import { withGaps } from "./gaps";

const shown = (text: string) =>
  withGaps(text)
    .map((piece) => (piece.kind === "text" ? piece.text : `<${piece.count} ${piece.kind}>`))
    .join("");

test.each([
  ["spaces in a line", `ls${" ".repeat(400)}; rm -rf ~`, "ls<400 spaces>; rm -rf ~"],
  ["blanks that are not spaces", `ls${"\u3000".repeat(50)}; x`, "ls<50 spaces>; x"],
  ["letters that are blank", `ls${"\u2800".repeat(50)}; x`, "ls<50 spaces>; x"],
  ["empty lines", `ls${"\n".repeat(30)}rm x`, "ls\n<29 lines>\nrm x"],
  ["lines with spaces only", `ls${"\n   ".repeat(30)}rm x`, "ls\n<29 lines>\n   rm x"],
  ["a far indent", `a\n${" ".repeat(300)}rm x`, "a\n<300 spaces>rm x"],
  ["before the end of a line", `a${" ".repeat(300)}\nb`, "a<300 spaces>\nb"],
  ["code", `if x:\n${" ".repeat(24)}y = 1\n\n\nz`, `if x:\n${" ".repeat(24)}y = 1\n\n\nz`],
  ["a table", "a    b    c", "a    b    c"],
  ["nothing", "", ""],
])("gaps: %s", (_, text, expected) => {
  expect(shown(text)).toBe(expected);
});
