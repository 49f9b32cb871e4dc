import { afterEach, expect, test, vi } from "vitest";

import { undoCall } from "./undoCall";

afterEach(() => vi.unstubAllGlobals());

function serve(answers: Record<string, unknown>): string[] {
  const asked: string[] = [];
  vi.stubGlobal("fetch", (url: string) => {
    asked.push(url);
    return Promise.resolve(new Response(JSON.stringify(answers[url]), { status: 200 }));
  });
  return asked;
}

test("what would be taken back is shown before anything is", async () => {
  const asked = serve({
    "/api/v1/tools/explain": { explanation: { question: "?", plan: { summary: "Take back" } } },
    "/api/v1/undo/c%2F1": { success: true, need_confirmation: false },
  });
  const send = undoCall("c/1");
  const first = await send(undefined, new AbortController().signal);
  expect(first).toMatchObject({ need_confirmation: true, plan: { summary: "Take back" } });
  expect(asked).toEqual(["/api/v1/tools/explain"]);
  const second = await send(first.plan_id, new AbortController().signal);
  expect(second.success).toBe(true);
  expect(asked).toEqual(["/api/v1/tools/explain", "/api/v1/undo/c%2F1"]);
});

test("where there is no plan, the outcome says why", async () => {
  serve({
    "/api/v1/tools/explain": { error: { code: "changed", message: "It was changed since.", hint: null } },
    "/api/v1/undo/c1": { success: false, status: "error", need_confirmation: false },
  });
  const answer = await undoCall("c1")(undefined, new AbortController().signal);
  expect(answer).toMatchObject({ success: false, status: "error" });
});
