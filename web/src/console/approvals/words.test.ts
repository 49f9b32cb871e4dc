import { expect, test } from "vitest";

import type { Grant, GrantScope, Shape } from "../../api/types";
import { CONSOLE_TEXTS } from "../texts";
import { scopeWords, shapeWords, untilWords } from "./words";

const en = CONSOLE_TEXTS.en.oversight.grants;
const zh = CONSOLE_TEXTS.zh.oversight.grants;

test.each<[Shape, string, string]>([
  [
    { kind: "exact", sha256: "00", shown: '{"path":"a"}' },
    'write_file with exactly these arguments: {"path":"a"}',
    'write_file，仅限这些参数：{"path":"a"}',
  ],
  [{ kind: "folder", path: "/home/x" }, "write_file on anything in /home/x", "write_file，可用于 /home/x 中的任何内容"],
  [
    { kind: "command", pattern: "git push origin *", folder: "/w", network: false },
    "write_file with commands like “git push origin *” in /w",
    "write_file，在 /w 中运行类似“git push origin *”的命令",
  ],
  [
    { kind: "command", pattern: "npm ci", folder: { bytes: "2fff" }, network: true },
    "write_file with commands like “npm ci” in 0x2fff, with the network",
    "write_file，在 0x2fff 中运行类似“npm ci”的命令，可使用网络",
  ],
  [{ kind: "any_arguments" }, "every use of write_file that is not sensitive", "write_file 的所有非敏感调用"],
])("the shape %j", (shape, english, chinese) => {
  expect(shapeWords(shape, "write_file", en)).toBe(english);
  expect(shapeWords(shape, "write_file", zh)).toBe(chinese);
});

test.each<[GrantScope, string, string]>([
  [{ in: "session", id: "s" }, "in one conversation", "在一个对话中"],
  [{ in: "workspace", path: "/w" }, "in the workspace /w", "在工作区 /w 中"],
  [{ in: "always" }, "everywhere", "任何地方"],
])("the scope %j", (scope, english, chinese) => {
  expect(scopeWords(scope, en)).toBe(english);
  expect(scopeWords(scope, zh)).toBe(chinese);
});

test("until when: for ever, a time, or over", () => {
  const grant: Grant = {
    id: "g",
    effect: "allow",
    tool: "bash",
    shape: { kind: "any_arguments" },
    scope: { in: "always" },
    until: null,
    created_at: "2026-01-01T00:00:00.000Z",
    created_by: "person:web",
    reason: null,
  };
  const now = Date.parse("2026-02-01T00:00:00.000Z");
  expect(untilWords(grant, now, en, "en")).toBe("until you revoke it");
  expect(untilWords({ ...grant, until: "2026-01-31T00:00:00.000Z" }, now, zh, "zh")).toBe("已过期");
  expect(untilWords({ ...grant, until: "2026-03-05T12:00:00.000Z" }, now, en, "en")).toContain("Mar");
});
