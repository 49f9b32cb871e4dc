import { expect, test } from "vitest";

import { bytesText } from "./bytes";

test.each([
  [-1, "0 B"],
  [0, "0 B"],
  [1023, "1023 B"],
  [1024, "1 KB"],
  [1536, "1.5 KB"],
  [102_400, "100 KB"],
  [1024 * 1024 - 1, "1 MB"],
  [104_857_600, "100 MB"],
  [3.25 * 1024 ** 5, "3.3 PB"],
])("%d bytes are %s", (bytes, text) => {
  expect(bytesText(bytes)).toBe(text);
});
