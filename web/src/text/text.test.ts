import { describe, expect, test } from "vitest";

import { isComposing } from "./composing";
import { hasUnseen, visible } from "./visible";

describe("what nobody sees is shown", () => {
  test.each([
    ["safe\u202Etxt.exe", "safe⟨U+202E⟩txt.exe"],
    ["\u202A\u202B\u202C\u202D", "⟨U+202A⟩⟨U+202B⟩⟨U+202C⟩⟨U+202D⟩"],
    ["\u2066a\u2069", "⟨U+2066⟩a⟨U+2069⟩"],
    ["\u200B\u200E\u200F\uFEFF", "⟨U+200B⟩⟨U+200E⟩⟨U+200F⟩⟨U+FEFF⟩"],
    ["\u0000\u001B[31m\r\u007F\u0085", "⟨U+0000⟩⟨U+001B⟩[31m⟨U+000D⟩⟨U+007F⟩⟨U+0085⟩"],
    ["\u{E0041}", "⟨U+E0041⟩"],
  ])("%j", (text, shown) => {
    expect(visible(text)).toBe(shown);
    expect(hasUnseen(text)).toBe(true);
  });

  test.each(["", "one\n\ttwo", "文件 😀 é שלום"])("nothing else is touched: %j", (text) => {
    expect(visible(text)).toBe(text);
    expect(hasUnseen(text)).toBe(false);
  });
});

test.each([
  [{ keyCode: 13, isComposing: false }, false],
  [{ keyCode: 13, isComposing: true }, true],
  [{ keyCode: 229, isComposing: false }, true],
  [{ keyCode: 13, nativeEvent: { isComposing: true } }, true],
  [{ keyCode: 13, nativeEvent: { isComposing: false } }, false],
])("a key of an input method: %j", (event, composing) => {
  expect(isComposing(event)).toBe(composing);
});
