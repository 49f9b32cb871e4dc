import { renderHook } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";

import { setRefused, useRefused } from "./access";
import { address, api, ApiError } from "./client";

function answer(status: number, body: string, headers: Record<string, string> = {}) {
  const fake = vi.fn(() => Promise.resolve(new Response(body, { status, headers })));
  vi.stubGlobal("fetch", fake);
  return fake;
}

afterEach(() => {
  vi.unstubAllGlobals();
  setRefused(false);
});

async function failure(work: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ApiError)) throw new Error(`no ApiError: ${String(error)}`);
  return error;
}

test("an address leaves out what is not given", () => {
  expect(address("sessions", { page: 2, archived: false, q: undefined, x: null })).toBe(
    "/api/v1/sessions?page=2&archived=false",
  );
  expect(address("/healthz")).toBe("/healthz");
  expect(address("sessions/search", { q: "需求 a&b" })).toBe("/api/v1/sessions/search?q=%E9%9C%80%E6%B1%82+a%26b");
});

test("JSON goes out and comes back", async () => {
  const fake = answer(200, '{"ok":true}');
  expect(await api.post("demo", { language: "zh" })).toEqual({ ok: true });
  expect(fake).toHaveBeenCalledWith(
    "/api/v1/demo",
    expect.objectContaining({ method: "POST", body: '{"language":"zh"}', credentials: "same-origin" }),
  );
});

test("an error has what the server said", async () => {
  const body = { error: { code: "busy", message: "A turn runs.", hint: "Cancel it.", offset: 7 } };
  answer(409, JSON.stringify(body), { "retry-after": "3" });
  const error = await failure(api.get("about"));
  expect(error).toMatchObject({ status: 409, code: "busy", message: "A turn runs.", hint: "Cancel it.", retryAfter: 3 });
  expect(error.body.offset).toBe(7);
});

test("an answer that is no JSON is an error all the same", async () => {
  answer(502, "<html>Bad Gateway</html>");
  expect(await failure(api.get("about"))).toMatchObject({ status: 502, code: "http_502" });
});

test("no answer means that the server is gone", async () => {
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
  const error = await failure(api.get("about"));
  expect(error.code).toBe("server_gone");
  expect(error.isGone).toBe(true);
});

test("a server that does not answer is not waited for forever", async () => {
  vi.stubGlobal(
    "fetch",
    (_: string, init: RequestInit) =>
      new Promise((_resolve, reject) => {
        init.signal?.addEventListener("abort", () => reject(new DOMException("x", "AbortError")));
      }),
  );
  expect(await failure(api.get("about", { timeout: 5 }))).toMatchObject({ status: 0, code: "timeout" });
});

test("401 shuts the page, the next good answer opens it", async () => {
  const { result, rerender } = renderHook(() => useRefused());
  answer(401, '{"error":{"code":"unauthorized","message":"no"}}');
  await failure(api.get("about"));
  rerender();
  expect(result.current).toBe(true);
  answer(200, "{}");
  await api.get("about");
  rerender();
  expect(result.current).toBe(false);
});
