import { afterEach, expect, test, vi } from "vitest";

import { Refusal, serve } from "../../test/page";
import { undoCall } from "./undoCall";

afterEach(() => vi.unstubAllGlobals());

const signal = new AbortController().signal;

function start(gone = false) {
  return serve({
    "POST tools/execute": ({ body }) => {
      const { plan_id, session_id } = body as { plan_id?: string; session_id?: string };
      if (gone && session_id !== undefined) return new Refusal(404, "not_found", "There is no such session.");
      return plan_id === "p1" ? { success: true, need_confirmation: false } : { success: false, need_confirmation: true, plan_id: "p1", plan: { summary: "Take back" } };
    },
  });
}

test("what would be taken back is shown first, and the yes holds for that plan", async () => {
  const log = start();
  const send = undoCall("c1", "s1");
  const first = await send(undefined, signal);
  expect(first).toMatchObject({ need_confirmation: true, plan: { summary: "Take back" } });
  expect((await send(first.plan_id, signal)).success).toBe(true);
  const call = { dialect: "deskhand", wait: true, tool_name: "undo", parameters: { call_id: "c1" }, session_id: "s1" };
  expect(log.map(({ body }) => body)).toEqual([call, { ...call, plan_id: "p1" }]);
});

test("a change of a conversation that is gone is taken back from the console", async () => {
  const log = start(true);
  const send = undoCall("c1", "s1");
  const first = await send(undefined, signal);
  expect((await send(first.plan_id, signal)).success).toBe(true);
  expect(log.map(({ body }) => (body as { session_id?: string }).session_id)).toEqual(["s1", undefined, undefined]);
});
