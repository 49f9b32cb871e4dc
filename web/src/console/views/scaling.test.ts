import { expect, test } from "vitest";

import { indexAt, niceTop, pointsOf, pushed, scaleOf } from "./scaling";

test.each([
  [0, 1],
  [-3, 1],
  [NaN, 1],
  [0.03, 0.05],
  [1, 1],
  [1.1, 2],
  [23, 25],
  [26, 50],
  [51, 100],
  [1000, 1000],
  [1001, 2000],
])("the top over %d is %d", (largest, top) => {
  expect(niceTop(largest)).toBeCloseTo(top, 9);
});

test.each([
  [700, 1000],
  [1024, 1024],
  [3 * 1024, 5 * 1024],
  [1.2 * 1024 ** 2, 2 * 1024 ** 2],
])("bytes: the top over %d is %d", (largest, top) => {
  expect(niceTop(largest, 1024)).toBeCloseTo(top, 6);
});

test("the scale covers all series, never less than is asked for, and a fixed top stays", () => {
  expect(scaleOf([[1, 7], [null, 30]])).toEqual({ top: 50, ticks: [25, 50] });
  expect(scaleOf([[1]], { least: 80 }).top).toBe(100);
  expect(scaleOf([[300]], { top: 100 }).top).toBe(100);
  expect(scaleOf([[]]).top).toBe(1);
});

test("the newest value is at the right, also of a short history", () => {
  expect(pointsOf([0, 50, 100], 3, 100)).toEqual([[{ x: 0, y: 1 }, { x: 0.5, y: 0.5 }, { x: 1, y: 0 }]]);
  expect(pointsOf([100], 5, 100)).toEqual([[{ x: 1, y: 0 }]]);
});

test("what is out of the box stays at its edge; a gap parts the line", () => {
  expect(pointsOf([500, -1], 2, 100)).toEqual([[{ x: 0, y: 0 }, { x: 1, y: 1 }]]);
  expect(pointsOf([1, null, 1], 3, 1).map((run) => run.length)).toEqual([1, 1]);
});

test("a place on the chart finds its value", () => {
  expect(indexAt(1, 3, 5)).toBe(2);
  expect(indexAt(0.5, 3, 5)).toBe(0);
  expect(indexAt(0, 3, 5)).toBeNull();
});

test("the history has an end", () => {
  expect(pushed([1, 2, 3], 4, 3)).toEqual([2, 3, 4]);
});
