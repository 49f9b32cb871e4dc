import { execFileSync } from "node:child_process";

import { expect, test } from "vitest";

import { asCommand, asCurl, shellQuoted, toolAsCurl } from "./copyAs";
import { diffLines } from "./DiffText";

test.each([["plain"], ["it's"], ["$HOME `id` \"x\" \\ \n 中文"], ["'"], [""]])("a shell gives %j back as it was", (text) => {
  expect(execFileSync("/bin/sh", ["-c", `printf %s ${shellQuoted(text)}`], { encoding: "utf8" })).toBe(text);
});

test("a call as a command", () => {
  expect(asCommand("grep", { pattern: "it's" })).toBe(`deskhand call grep '{"pattern":"it'\\''s"}'`);
});

test("a call as curl names the token by its variable", () => {
  expect(toolAsCurl("undo", {}, "http://127.0.0.1:8787")).toBe(
    `curl -sS -X POST 'http://127.0.0.1:8787/api/v1/tools/execute' -H "Authorization: Bearer $DESKHAND_TOKEN" -H 'Content-Type: application/json' -d '{"tool_name":"undo","parameters":{},"dialect":"deskhand"}'`,
  );
  expect(asCurl({ method: "GET", url: "http://h/x?q=1&r=2" })).toBe(
    `curl -sS 'http://h/x?q=1&r=2' -H "Authorization: Bearer $DESKHAND_TOKEN"`,
  );
});

test("a diff: names of files are no changes, lines that begin with more signs are", () => {
  const kinds = diffLines("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n same\n--- gone\n+++ new\n").map((line) => line.kind);
  expect(kinds).toEqual(["hunk", "hunk", "hunk", "same", "removed", "added"]);
});
