import { expect, test } from "vitest";

import { matcherOf, pieces, type Searched } from "./highlight";

const shown = (line: string, search: Partial<Searched>) =>
  pieces(line, matcherOf({ pattern: "", regex: true, ignoreCase: false, ...search }))
    .map((piece) => (piece.hit ? `[${piece.text}]` : piece.text))
    .join("");

test.each<[string, Partial<Searched>, string]>([
  ["fn main() {", { pattern: "fn \\w+" }, "[fn main]() {"],
  ["a.b axb", { pattern: "a.b", regex: false }, "[a.b] axb"],
  ["Foo foo", { pattern: "foo", ignoreCase: true }, "[Foo] [foo]"],
  ["你好世界", { pattern: "世界", regex: false }, "你好[世界]"],
  ["abc", { pattern: "x*" }, "abc"],
  ["abc", { pattern: "(?i)B" }, "abc"],
  ["aaaa", { pattern: "(a+)+$" }, "aaaa"],
])("%s with %j", (line, search, wanted) => {
  expect(shown(line, search)).toBe(wanted);
});
