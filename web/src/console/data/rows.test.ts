import { expect, test } from "vitest";

import { cellText, findRows } from "./rows";
import { type Column, sorted } from "./Table";

test("the longest list of objects is the table", () => {
  const found = findRows({ total: 3, notes: [{ a: 1 }], rows: [{ a: 1 }, { a: 2, b: null }] });
  expect(found).toMatchObject({ name: "rows", columns: ["a", "b"] });
  expect(findRows([{ a: 1 }])).toMatchObject({ name: "", columns: ["a"] });
});

test.each([[[]], [[1, 2]], [{ a: [] }], ["text"], [null], [[{ a: 1 }, 2]]])("%j has no table", (data) => {
  expect(findRows(data)).toBeNull();
});

test("cells are one line, amounts in their human form", () => {
  expect(cellText({ bytes: 1536, text: "1.5 KiB" })).toBe("1.5 KiB");
  expect(cellText({ x: 1 })).toBe('{"x":1}');
  expect(cellText(null)).toBe("");
});

test("numbers sort as numbers, names as names", () => {
  const columns: Column<{ n: number; s: string }>[] = [
    { key: "n", title: "n", show: (row) => row.n, by: (row) => row.n },
    { key: "s", title: "s", show: (row) => row.s, by: (row) => row.s },
  ];
  const rows = [
    { n: 10, s: "b" },
    { n: 9, s: "A" },
    { n: 100, s: "file10" },
    { n: 1, s: "file9" },
  ];
  expect(sorted(rows, columns, { key: "n", down: true }).map((row) => row.n)).toEqual([100, 10, 9, 1]);
  expect(sorted(rows, columns, { key: "s", down: false }).map((row) => row.s)).toEqual(["A", "b", "file9", "file10"]);
  expect(sorted(rows, columns, undefined)).toEqual(rows);
});
