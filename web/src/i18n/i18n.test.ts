import { expect, test } from "vitest";

import { firstLanguage } from ".";
import { en } from "./en";
import { zh } from "./zh";

function leaves(value: object, path = ""): [string, unknown][] {
  return Object.entries(value).flatMap(([key, inside]: [string, unknown]) =>
    typeof inside === "object" && inside !== null ? leaves(inside, `${path}${key}.`) : [[path + key, inside]],
  );
}

test("both languages have the same texts, none of them empty", () => {
  expect(leaves(zh).map(([path]) => path).sort()).toEqual(leaves(en).map(([path]) => path).sort());
  for (const [path, text] of [...leaves(en), ...leaves(zh)]) {
    expect(typeof text === "function" || (typeof text === "string" && text.trim() !== ""), path).toBe(true);
  }
});

test.each([
  [["zh-CN", "en"], null, "zh"],
  [["de-DE", "zh-TW"], null, "zh"],
  [["fr", "de"], null, "en"],
  [["zh-CN"], "en", "en"],
] as const)("%j with the choice %j gives %s", (wanted, kept, language) => {
  expect(firstLanguage(wanted, kept)).toBe(language);
});
