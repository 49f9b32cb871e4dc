import { describe, expect, test } from "vitest";

import type { Json } from "../../api/types";
import { runsOf, withoutEscapes } from "./ansi";
import { countChanges, diffLines, diffOfArguments, looksLikeDiff } from "./diff";
import { commandLine, fromWorkspace, gistOf } from "./gist";
import { rowsOf } from "./rows";

const ESC = "\u001b";

describe("what a terminal prints", () => {
  test.each([
    ["colours", `${ESC}[31mred${ESC}[0m plain`, [["red", "red"], [" plain", null]]],
    ["bright and reset of the colour alone", `${ESC}[92mok${ESC}[39m.`, [["ok", "green"], [".", null]]],
    ["256 colours are no codes of ours", `${ESC}[38;5;31mx${ESC}[m`, [["x", null]]],
    ["moves, titles and bells are left out", `a${ESC}[2Kb${ESC}]0;title\u0007c\u0007${ESC}[10;5Hd`, [["abcd", null]]],
    ["a line that was written over", "10%\r50%\r100%\nend", [["100%\nend", null]]],
    ["line ends of other systems", "a\r\nb", [["a\nb", null]]],
    ["an escape that is cut off", `a${ESC}`, [["a", null]]],
  ] as const)("%s", (_, text, expected) => {
    expect(runsOf(text).map((run) => [run.text, run.colour])).toEqual(expected);
    expect(withoutEscapes(text)).toBe(expected.map(([run]) => run).join(""));
  });

  test("bold", () => {
    expect(runsOf(`${ESC}[1;32mx${ESC}[22my`)).toEqual([
      { text: "x", colour: "green", bold: true },
      { text: "y", colour: "green", bold: false },
    ]);
  });
});

describe("diffs", () => {
  const DIFF = "--- a.txt\n+++ a.txt\n@@ -3,3 +3,4 @@\n same\n-old\n--- dashes\n+new\n+more\n";

  test("lines with their numbers", () => {
    expect(diffLines(DIFF).map((line) => [line.kind, line.old, line.new])).toEqual([
      ["file", null, null], ["file", null, null], ["hunk", null, null],
      ["same", 3, 3], ["removed", 4, null], ["removed", 5, null], ["added", null, 4], ["added", null, 5],
    ]);
    expect(countChanges(diffLines(DIFF))).toEqual({ added: 2, removed: 2 });
  });

  test("the next file begins anew", () => {
    const two = `${DIFF}--- b.txt\n+++ b.txt\n@@ -1 +1 @@\n-x\n+y\n`;
    expect(diffLines(two).map((line) => line.kind).slice(8)).toEqual(["file", "file", "hunk", "removed", "added"]);
  });

  test("in a hunk, what looks like the head of a file is a line", () => {
    const diff = "--- a\n+++ a\n@@ -1,3 +1,3 @@\n x\n--- old\n+++ new\n y\n--- b\n+++ b\n@@ -1 +0,0 @@\n-z\n\\ No newline at end of file\n";
    expect(diffLines(diff).map((line) => [line.kind, line.text])).toEqual([
      ["file", "--- a"], ["file", "+++ a"], ["hunk", "@@ -1,3 +1,3 @@"],
      ["same", "x"], ["removed", "-- old"], ["added", "++ new"], ["same", "y"],
      ["file", "--- b"], ["file", "+++ b"], ["hunk", "@@ -1 +0,0 @@"], ["removed", "z"], ["hunk", "\\ No newline at end of file"],
    ]);
    expect(countChanges(diffLines(diff))).toEqual({ added: 1, removed: 2 });
  });

  test("what looks like one", () => {
    expect(looksLikeDiff(DIFF)).toBe(true);
    expect(looksLikeDiff("--- a heading\ntext")).toBe(false);
  });

  test("the change that arguments describe", () => {
    const lines = diffOfArguments({ path: "x", old_text: "a\nb\nc", new_text: "a\nB\nc" });
    expect(lines?.map((line) => [line.kind, line.text])).toEqual([["same", "a"], ["removed", "b"], ["added", "B"], ["same", "c"]]);
    expect(diffOfArguments({ edits: [{ old_text: "a", new_text: "" }, { old_text: "", new_text: "b" }] })?.map((line) => line.kind)).toEqual(["removed", "hunk", "added"]);
    expect(diffOfArguments({ command: "ls" })).toBeNull();
  });
});

describe("data as a table", () => {
  test("the one list of things in it", () => {
    const data: Json = { path: "/w", total: 2, entries: [{ name: "a", size: 1 }, { name: "b", size: 2, kind: "file" }] };
    expect(rowsOf(data)).toEqual({ columns: ["name", "size", "kind"], rows: [["a", "1", ""], ["b", "2", "file"]], total: 2 });
  });

  test.each([
    ["words", ["a", "b"]],
    ["nothing", []],
    ["two lists", { a: [{ x: 1, y: 1 }], b: [{ x: 1, y: 2 }] }],
    ["things in things only", [{ x: { y: 1 }, z: 1 }]],
  ])("no table: %s", (_, data) => {
    expect(rowsOf(data)).toBeNull();
  });
});

test.each([
  [{ command: "ls  -l\n/tmp" }, "ls -l /tmp"],
  [{ paths: ["a", "b"] }, "a, b"],
  [{ line: 3 }, "3"],
  [{}, ""],
  [null, ""],
])("a call in a few words: %j", (args, gist) => {
  expect(gistOf(args)).toBe(gist);
});

test.each([
  ["/home/me/w/a.txt", "a.txt"],
  ["/home/me/w2/b", "/home/me/w2/b"],
  ["/backup/home/me/w/a.txt", "/backup/home/me/w/a.txt"],
  ["/home/me/w//etc/passwd", "/home/me/w//etc/passwd"],
  ["/home/me/w/", "/home/me/w/"],
])("a path begins at the workspace only where it lies in it: %s", (path, shown) => {
  expect(fromWorkspace(path, "/home/me/w")).toBe(shown);
  expect(gistOf({ path }, "/home/me/w")).toBe(shown);
  expect(gistOf({ paths: [path] }, "/home/me/w")).toBe(shown);
});

test("in a command nothing is cut", () => {
  expect(gistOf({ command: "/w/x /etc/w/y" }, "/w")).toBe("/w/x /etc/w/y");
  expect(fromWorkspace("/a", "/")).toBe("/a");
});

test("the words of a command are told apart", () => {
  expect(commandLine(["git", "commit", "-m", "a b; c", ""])).toBe('git commit -m "a b; c" ""');
});
