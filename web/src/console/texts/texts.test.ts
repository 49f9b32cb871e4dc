import { expect, test } from "vitest";

import { CONSOLE_TEXTS } from ".";

function leaves(value: object, path = ""): [string, unknown][] {
  return Object.entries(value).flatMap(([key, inside]: [string, unknown]) =>
    typeof inside === "object" && inside !== null ? leaves(inside, `${path}${key}.`) : [[path + key, inside]],
  );
}

test("both languages have the same texts, none of them empty", () => {
  const { en, zh } = CONSOLE_TEXTS;
  expect(leaves(en).length).toBeGreaterThan(100);
  expect(leaves(zh).map(([path]) => path).sort()).toEqual(leaves(en).map(([path]) => path).sort());
  for (const [path, text] of [...leaves(en), ...leaves(zh)]) {
    expect(typeof text === "function" || (typeof text === "string" && text.trim() !== ""), path).toBe(true);
  }
});
