import { expect, test } from "vitest";

import { added, type Output } from "./jobText";

const empty: Output = { parts: [], length: 0, cut: false };
const out = (text: string) => ({ stream: "stdout", text });

test("what one stream says in a row is one part", () => {
  const output = [out("a"), out("b"), { stream: "stderr", text: "!" }, out("c")].reduce((all, part) => added(all, part), empty);
  expect(output).toEqual({ parts: [out("ab"), { stream: "stderr", text: "!" }, out("c")], length: 4, cut: false });
});

test("the oldest goes first", () => {
  const output = [out("12345"), { stream: "stderr", text: "67" }, out("890")].reduce((all, part) => added(all, part, 6), empty);
  expect(output.parts.map((part) => part.text).join("")).toBe("567890");
  expect(output).toMatchObject({ length: 6, cut: true });
});
