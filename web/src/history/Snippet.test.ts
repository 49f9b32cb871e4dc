import { expect, test } from "vitest";

import { piecesOf } from "./Snippet";

test.each([
  ["plain", "plain"],
  ["a ⟪b⟫ c", "a [b] c"],
  ["⟪项目⟫需求⟪分析⟫", "[项目]需求[分析]"],
  ["cut ⟪off", "cut [off]"],
  ["stray ⟫ end", "stray ⟫ end"],
  ["", ""],
])("%j", (snippet, shown) => {
  const text = piecesOf(snippet).map((piece) => (piece.hit ? `[${piece.text}]` : piece.text));
  expect(text.join("")).toBe(shown);
});
