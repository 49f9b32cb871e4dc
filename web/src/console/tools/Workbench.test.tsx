import { fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";

import type { Json, ApprovalRequest, ToolInfo } from "../../api/types";
import { serve, show } from "../../test/page";
import { sameJson } from "../data/sameJson";
import { questionsOf } from "./Waiting";
import { Workbench } from "./Workbench";

afterEach(() => vi.unstubAllGlobals());

const tool = {
  name: "write_file",
  input_schema: { type: "object", required: ["path"], properties: { path: { type: "string" } } },
  example: {},
  available: true,
  permission: "moderate",
  effects: [],
} as unknown as ToolInfo;

test("while a plan is asked about, its arguments cannot be changed", async () => {
  const log = serve({
    "GET approvals": () => ({ approvals: [] }),
    "POST tools/execute": () => ({ success: false, status: "success", need_confirmation: true, confirmation_message: "Write\u202E a?", plan_id: "p1" }),
  });
  await show(<Workbench tool={tool} />);
  const path = screen.getByRole<HTMLInputElement>("textbox", { name: /path/ });
  fireEvent.change(path, { target: { value: "a.txt" } });
  fireEvent.click(screen.getByRole("button", { name: /Run$/ }));
  expect(await screen.findByText("Write⟨U+202E⟩ a?")).toBeTruthy();
  expect(path.disabled).toBe(true);
  expect(screen.getByRole<HTMLButtonElement>("button", { name: /Run$/ }).disabled).toBe(true);
  fireEvent.click(screen.getByRole("button", { name: "No" }));
  await waitFor(() => expect(path.disabled).toBe(false));
  expect(log.filter(({ path: asked }) => asked === "tools/execute")).toHaveLength(1);
});

const waiting = (more: Partial<ApprovalRequest>) =>
  ({ id: "q", session_id: "web-console", tool: "fetch", arguments: { url: "x", n: [1] }, subject: { about: "result", text: "", data: null }, ...more }) as ApprovalRequest;

test.each<[string, Partial<ApprovalRequest>, boolean]>([
  ["this very call", {}, true],
  ["another order of the arguments", { arguments: { n: [1], url: "x" } }, true],
  ["other arguments", { arguments: { url: "y", n: [1] } }, false],
  ["another tool", { tool: "bash" }, false],
  ["an MCP client's", { session_id: "mcp-0190b3a0" }, false],
  ["a conversation", { session_id: "0190b3a0-1111-7222-8333-444455556666" }, false],
  ["a question before it runs", { subject: { about: "execution", plan: {} } as ApprovalRequest["subject"] }, false],
])("a question that is shown at a call: %s", (_, more, shown) => {
  expect(questionsOf("fetch", { url: "x", n: [1] }, [waiting(more)])).toHaveLength(shown ? 1 : 0);
});

test.each<[Json, Json, boolean]>([
  [{ a: 1, b: null }, { b: null, a: 1 }, true],
  [{ a: 1 }, { a: 1, b: null }, false],
  [{ a: null }, { b: null }, false],
  [[1, [2]], [1, [2]], true],
  [[1], [1, null], false],
  [[], {}, false],
  ["1", 1, false],
])("%j and %j", (one, other, same) => {
  expect(sameJson(one, other)).toBe(same);
});
