import { describe, expect, test } from "vitest";

import type { Remember, Shape } from "../../api/types";
import { conversation as enTexts } from "../../i18n/en/conversation";
import { conversation as zhTexts } from "../../i18n/zh/conversation";
import { settledWords } from "./SettledLine";
import { rememberWords, SCOPES, scopesOf, shapeWords, untilOf } from "./shapes";
import { sayWho } from "./who";

const { approval: en } = enTexts;
const { approval: zh } = zhTexts;

const SHAPES: Shape[] = [
  { kind: "exact", sha256: "x", shown: "{path: a.txt}" },
  { kind: "folder", path: "/w/src" },
  { kind: "command", pattern: "git push origin *", folder: "/w", network: true },
  { kind: "command", pattern: "cargo test", folder: "/w", network: false },
  { kind: "host", host: "example.org" },
  { kind: "changes", workspace: "/w" },
  { kind: "any_arguments" },
];

test("what each shape covers, in both languages", () => {
  expect(SHAPES.map((shape) => shapeWords(shape, "bash", en))).toEqual([
    "exactly this call: bash {path: a.txt}",
    "bash on anything in the folder /w/src",
    "every command that begins with “git push origin”, run in /w, with the network",
    "the command “cargo test” run in /w",
    "bash on the host example.org, and on no other",
    "undoable changes in this workspace, by commands and file tools",
    "bash with any arguments",
  ]);
  expect(SHAPES.map((shape) => shapeWords(shape, "bash", zh))).toEqual([
    "仅这个调用：bash {path: a.txt}",
    "对文件夹 /w/src 中任何内容使用 bash",
    "在 /w 中运行所有以“git push origin”开头的命令，可使用网络",
    "在 /w 中运行命令“cargo test”",
    "仅在主机 example.org 上使用 bash",
    "本工作区内可撤销的更改（命令与文件工具）",
    "bash，任何参数",
  ]);
});

describe("the whole answer says what, where and until when", () => {
  const cases = SCOPES.flatMap((scope) => SHAPES.map((shape): [string, Remember] => [`${scope} × ${shape.kind}`, { scope, shape, until: null }]));
  test.each(cases)("%s", (_, remember) => {
    for (const words of [en, zh]) {
      const said = rememberWords(remember, true, "bash", "/w", words);
      expect(said).toContain(shapeWords(remember.shape, "bash", words));
      expect(said).toContain(remember.scope === "workspace" ? words.scopeIn.workspace("/w") : words.scopeIn[remember.scope]);
      expect(said).toContain(words.untilRevoked);
      expect(rememberWords(remember, false, "bash", "/w", words)).not.toBe(said);
    }
  });

  test("no two yes of one question read the same", () => {
    for (const words of [en, zh]) {
      expect(new Set(cases.map(([, remember]) => rememberWords(remember, true, "bash", "/w", words))).size).toBe(cases.length);
    }
  });
});

test("changes are remembered for the session or the workspace", () => {
  expect(scopesOf({ kind: "changes", workspace: "/w" })).toEqual(["session", "workspace"]);
  expect(scopesOf({ kind: "any_arguments" })).toEqual(SCOPES);
});

test("a time at which it ends", () => {
  const now = Date.UTC(2026, 0, 1);
  expect(untilOf("open", now)).toBeNull();
  expect(untilOf("hour", now)).toBe("2026-01-01T01:00:00.000Z");
  expect(untilOf("week", now)).toBe("2026-01-08T00:00:00.000Z");
});

test("how a question was settled, and where", () => {
  const no = { settled: "answered", answer: { to: "execution", answer: "no", reason: "not today" }, by: "person:terminal" } as const;
  expect(settledWords(no, true, enTexts)).toBe("Answered elsewhere. Denied by you in the terminal. Reason: not today");
  expect(settledWords(no, false, zhTexts)).toBe("您在终端中已拒绝。 理由：not today");
  expect(settledWords(no, false, enTexts, true)).toBe("Discarded by you in the terminal. Reason: not today");
  expect(settledWords(no, false, zhTexts, true)).toBe("您在终端中已丢弃更改。 理由：not today");
  expect(settledWords({ settled: "expired" }, false, enTexts)).toBe(en.expired);
  expect(settledWords({ settled: "withdrawn" }, true, enTexts)).toBe(en.withdrawn);
});

test.each([
  ["policy", "mode:auto", "the mode “Auto”", "模式“自动”"],
  ["policy", "path:workspace-read", "the permission rules", "权限规则"],
  ["policy", null, "the permission rules", "权限规则"],
  ["grant:0190", "grant", "a remembered answer", "已记住的答复"],
])("who decided is said without internal names: %s %s", (by, rule, english, chinese) => {
  expect(sayWho(by, rule, enTexts)).toBe(english);
  expect(sayWho(by, rule, zhTexts)).toBe(chinese);
});
