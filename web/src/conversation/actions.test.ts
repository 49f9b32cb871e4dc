import { afterEach, expect, test, vi } from "vitest";

import { Refusal, serve } from "../test/page";
import { forkAndSay } from "./actions";

afterEach(() => vi.unstubAllGlobals());

const usual = {
  "GET sessions/s/messages": () => ({ session_id: "s", total: 2, last_event: 0, messages: [{ id: 4 }] }),
  "POST sessions/s/fork": () => ({ id: "copy" }),
  "POST sessions/copy/uploads/copy": ({ body }: { body: unknown }) => ({ id: `${(body as { upload_id: string }).upload_id}-new` }),
  "POST sessions/copy/messages": () => ({ session_id: "copy" }),
  "DELETE sessions/copy": () => ({ success: true }),
};

test("files go along as copies of their own, and the text names them", async () => {
  const log = serve(usual);
  expect(await forkAndSay("s", 5, "Read [file_ref:u1] again", ["u1", "u2"])).toBe("copy");
  expect(log.find(({ path }) => path === "sessions/s/fork")?.body).toEqual({ at_message: 4 });
  expect(log.find(({ path }) => path === "sessions/copy/messages")?.body).toEqual({
    content: "Read [file_ref:u1-new] again",
    uploads: ["u1-new", "u2-new"],
  });
  expect(log.some(({ method }) => method === "DELETE")).toBe(false);
});

test.each([
  ["a file that cannot be copied", "POST sessions/copy/uploads/copy", new Refusal(404, "not_found", "It is gone.")],
  ["a message that is refused", "POST sessions/copy/messages", new Refusal(409, "model_auth", "The key is wrong.")],
])("%s leaves no empty copy, and the reason is told", async (_, route, refusal) => {
  const log = serve({ ...usual, [route]: () => refusal });
  await expect(forkAndSay("s", 5, "Again", ["u1"])).rejects.toMatchObject({ message: refusal.error.message });
  const removed = log.filter(({ method }) => method === "DELETE");
  expect(removed.map(({ path, query }) => [path, query.get("soft")])).toEqual([["sessions/copy", null]]);
});

test("the reason stays what it was where the copy cannot be removed either", async () => {
  serve({ ...usual, "POST sessions/copy/messages": () => new Refusal(409, "busy", "Busy."), "DELETE sessions/copy": () => new Refusal(409, "busy", "Not now.") });
  await expect(forkAndSay("s", 5, "Again", [])).rejects.toMatchObject({ message: "Busy." });
});

test("a copy stays where the server's answer was lost: the turn may have begun", async () => {
  const log = serve({
    ...usual,
    "POST sessions/copy/messages": () => {
      throw new TypeError("Failed to fetch");
    },
  });
  await expect(forkAndSay("s", 5, "Again", [])).rejects.toMatchObject({ status: 0 });
  expect(log.some(({ method }) => method === "DELETE")).toBe(false);
});
