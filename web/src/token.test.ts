import { expect, test } from "vitest";

import { tokenIn, withoutToken } from "./token";

test("the token leaves the address, the rest stays", () => {
  expect(withoutToken("http://localhost:1/?token=abc&x=1#/s/7")).toBe("/?x=1#/s/7");
  expect(withoutToken("http://localhost:1/?token=abc")).toBe("/");
  expect(withoutToken("http://localhost:1/#/setup")).toBeNull();
});

test.each([
  ["  abc ", "abc"],
  ["http://127.0.0.1:7878/?token=a%2Bb", "a+b"],
  ["http://127.0.0.1:7878/?x=1&token=abc#/s/1", "abc"],
])("%j holds a token", (pasted, token) => {
  expect(tokenIn(pasted)).toBe(token);
});
