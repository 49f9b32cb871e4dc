import { renderHook, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { attach, type Attachment, detach, retryAttachment, useAttachments } from "./uploads";

const UPLOAD = { id: "u1", session_id: "s", name: "a.bin", mime: "", size: 3, path: "/x", created_at: "" };
let asked: string[];
let refuses: boolean;
let session = 0;

beforeEach(() => {
  asked = [];
  refuses = true;
  session += 1;
  vi.stubGlobal("fetch", (url: string, init: RequestInit) => {
    const method = init.method ?? "GET";
    asked.push(`${method} ${url.replace("/api/v1/", "")}`);
    if (method === "PATCH" && refuses) return Promise.resolve(Response.json({ error: { code: "no", message: "No.", hint: null } }, { status: 403 }));
    const complete = method === "PATCH";
    return Promise.resolve(Response.json({ upload_id: "u1", offset: complete ? 3 : 1, size: 3, complete, ...(complete ? { upload: UPLOAD } : {}) }));
  });
});
afterEach(() => vi.unstubAllGlobals());

async function attached(state: Attachment["state"]) {
  const id = `s${session}`;
  const { result } = renderHook(() => useAttachments(id));
  attach(id, [new File(["abc"], "a.bin")], 100);
  await waitFor(() => expect(result.current[0]?.state).toBe(state));
  return { id, result, key: result.current[0]?.key ?? "" };
}

test("a failed one is taken away from the server, too", async () => {
  const { id, key, result } = await attached("failed");
  detach(id, key);
  await waitFor(() => expect(asked.at(-1)).toBe("DELETE uploads/u1"));
  await waitFor(() => expect(result.current).toEqual([]));
});

test("one that is there whole stays there", async () => {
  refuses = false;
  const { id, key, result } = await attached("done");
  detach(id, key);
  await waitFor(() => expect(result.current).toEqual([]));
  expect(asked.some((one) => one.startsWith("DELETE"))).toBe(false);
});

test("to try again goes on, and begins no second one", async () => {
  const { id, key, result } = await attached("failed");
  refuses = false;
  retryAttachment(id, key);
  await waitFor(() => expect(result.current[0]?.state).toBe("done"));
  expect(asked).toEqual([`POST sessions/${id}/uploads`, "PATCH uploads/u1", "GET uploads/u1", "PATCH uploads/u1"]);
});
