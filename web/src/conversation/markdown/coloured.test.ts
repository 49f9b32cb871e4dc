import { expect, test } from "vitest";

import { piecesOf } from "./CodeBlock";
import { colouredOf } from "./coloured";
import { colour } from "./highlighter";

test.each([
  ["rust", 'fn main() { println!("<b>&amp;</b>"); } // \'x\''],
  ["python", "def f(x):\n    return x < 1 and \"&lt;\""],
  ["html", "<script>alert('x')</script>"],
])("colours change no character: %s", (language, text) => {
  const pieces = colour(text, language);
  expect(pieces?.map((piece) => piece.text).join("")).toBe(text);
  expect(pieces?.some((piece) => piece.className?.startsWith("hljs-"))).toBe(true);
});

test("a language that nobody knows has no colours", () => {
  expect(colour("x", "klingon")).toBeNull();
});

test("what is no mark of the colourer stays text", () => {
  expect(colouredOf('<span class="hljs-a">x</span><i>y</i>')).toEqual([
    { text: "x", className: "hljs-a" },
    { text: "<i>y</i>", className: null },
  ]);
});

test("code that grows changes its last piece only", () => {
  const lines = Array.from({ length: 150 }, (_, index) => `line ${index}\n`);
  const before = piecesOf(lines.slice(0, 130).join(""));
  const after = piecesOf(lines.join(""));
  expect(after.join("")).toBe(lines.join(""));
  expect(after.slice(0, 2)).toEqual(before.slice(0, 2));
  expect(piecesOf("")).toEqual([""]);
});
