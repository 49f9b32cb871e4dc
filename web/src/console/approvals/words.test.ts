import { expect, test } from "vitest";

import type { Grant, GrantScope } from "../../api/types";
import { CONSOLE_TEXTS } from "../texts";
import { scopeWords, untilWords } from "./words";

const en = CONSOLE_TEXTS.en.oversight.grants;
const zh = CONSOLE_TEXTS.zh.oversight.grants;

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
