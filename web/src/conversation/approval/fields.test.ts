import { expect, test } from "vitest";

import { isPlainObject, parseObject, type Plain, readAs, readFields, writtenOf } from "./fields";

test.each<[Plain, string, Plain | undefined]>([
  [1000, "60000", 60000],
  [1000, "1.5", 1.5],
  [1000, "-2e3", -2000],
  [1000, " 7 ", 7],
  [1000, "", undefined],
  [1000, "1.", undefined],
  [1000, "0x10", undefined],
  [1000, "ten", undefined],
  [1000, "12345678901234567890", undefined],
  [1000, "1e999", undefined],
  [null, "", null],
  [null, "x", "x"],
  ["a", "", ""],
  ["5", "6", "6"],
  [true, "false", false],
])("in the place of %j the text %j is %j", (before, text, value) => {
  expect(readAs(before, text)).toBe(value);
});

test("what nobody touched is sent as it was", () => {
  const fields = { path: "a", timeout_ms: 1e21, recursive: false, note: null };
  expect(readFields(fields, writtenOf(fields))).toEqual({ value: fields, wrong: [] });
});

test("the fields that are wrong are named", () => {
  expect(readFields({ a: 1, b: "x" }, { a: "one", b: "y" })).toEqual({ value: { b: "y" }, wrong: ["a"] });
});

test("what is a form", () => {
  expect(isPlainObject({ a: 1, b: null })).toBe(true);
  expect(isPlainObject({ a: [] })).toBe(false);
  expect(isPlainObject([])).toBe(false);
  expect(parseObject("[1]")).toBeNull();
  expect(parseObject("{")).toBeNull();
  expect(parseObject('{"a":1}')).toEqual({ a: 1 });
});
