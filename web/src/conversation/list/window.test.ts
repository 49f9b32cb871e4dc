import { expect, test } from "vitest";

import { drawn, Heights, rowAt, topsOf } from "./window";

const keys = Array.from({ length: 2000 }, (_, index) => `k${index}`);
const view = { height: 800, margin: 800, footer: 0 };

function even(height: number): Heights {
  const heights = new Heights();
  heights.measured(keys.map((key) => [key, height] as const));
  return heights;
}

test("of two thousand rows those around the view are drawn", () => {
  const part = drawn(keys, even(100), { at: "end" }, view);
  expect([part.start, part.end]).toEqual([1984, 2000]);
  expect(part.above).toBe(198_400);
  expect(part.below).toBe(0);
});

test("the spaces above and below are what is not drawn", () => {
  const heights = even(100);
  const part = drawn(keys, heights, { at: "row", key: "k1000", offset: -40 }, view);
  expect(part.start).toBeLessThanOrEqual(992);
  expect(part.end).toBeGreaterThanOrEqual(1016);
  expect(part.above + part.below + (part.end - part.start) * 100).toBe(200_000);
});

test("rows that come in above leave the view where it is held", () => {
  const heights = even(100);
  const hold = { at: "row", key: "k500", offset: 20 } as const;
  const before = drawn(keys, heights, hold, view);
  const earlier = [...Array.from({ length: 100 }, (_, index) => `e${index}`), ...keys];
  const after = drawn(earlier, heights, hold, view);
  expect(earlier[after.start]).toBe(keys[before.start]);
  expect(earlier[after.end]).toBe(keys[before.end]);
});

test("a held row that is gone is the end", () => {
  expect(drawn(keys, even(100), { at: "row", key: "gone", offset: 0 }, view).end).toBe(2000);
});

test("no rows at all", () => {
  expect(drawn([], new Heights(), { at: "end" }, view)).toEqual({ start: 0, end: 0, above: 0, below: 0 });
});

test("heights that nobody measured are guessed from those that are known", () => {
  const heights = new Heights();
  heights.measured([["a", 10], ["b", 20], ["c", 30]]);
  expect(topsOf(["a", "x"], heights)).toEqual([0, 10, 30]);
});

test("only news is told", () => {
  const heights = new Heights();
  let told = 0;
  heights.subscribe(() => (told += 1));
  heights.measured([["a", 10]]);
  heights.measured([["a", 10.2]]);
  heights.measured([["b", 0]]);
  heights.measured([["a", 12]]);
  expect(told).toBe(2);
  expect(heights.version()).toBe(2);
});

test.each([[-5, 0], [0, 0], [99, 0], [100, 1], [250, 2], [9999, 2]])("the row at %i", (y, row) => {
  expect(rowAt([0, 100, 200, 300], y)).toBe(row);
});
