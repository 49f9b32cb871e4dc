import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { PART, sendFile } from "./sendFile";

const UPLOAD = { id: "u1", session_id: "s", name: "a.bin", mime: "", size: 0, path: "/x", created_at: "" };

/** A server that keeps what it is sent; `trouble` may answer a request in its place. */
class FakeServer {
  readonly asked: string[] = [];
  readonly began: Record<string, unknown>[] = [];
  kept = 0;
  size = 0;
  trouble: (method: string, count: number) => Response | "gone" | null = () => null;
  private count = 0;

  answer = (url: string, init: RequestInit): Promise<Response> => {
    const method = init.method ?? "GET";
    const offset = new Headers(init.headers).get("upload-offset");
    this.asked.push(offset === null ? `${method} ${url}` : `${method} ${offset}`);
    this.count += 1;
    const trouble = this.trouble(method, this.count);
    if (trouble === "gone") return Promise.reject(new TypeError("failed to fetch"));
    if (trouble !== null) return Promise.resolve(trouble);
    if (method === "POST") {
      const body = JSON.parse(init.body as string) as { size: number };
      this.began.push(body);
      this.size = body.size;
    } else if (method === "PATCH") {
      this.kept += (init.body as Blob).size;
    }
    const complete = this.kept >= this.size;
    return Promise.resolve(Response.json({ upload_id: "u1", offset: this.kept, size: this.size, complete, ...(complete ? { upload: UPLOAD } : {}) }));
  };
}

let server: FakeServer;
beforeEach(() => {
  server = new FakeServer();
  vi.stubGlobal("fetch", server.answer);
});
afterEach(() => {
  vi.unstubAllGlobals();
});

const file = (size: number) => new File([new Uint8Array(size)], "a.bin");

function sending(more = {}) {
  const progress: number[] = [];
  const waits: number[] = [];
  const abort = new AbortController();
  const options = {
    signal: abort.signal,
    onProgress: (sent: number) => progress.push(sent),
    wait: (ms: number) => {
      waits.push(ms);
      return Promise.resolve();
    },
    ...more,
  };
  return { progress, waits, abort, options };
}

test("a file goes in parts, one behind the other, with its hash", async () => {
  const { progress, options } = sending();
  expect(await sendFile("s", file(PART * 2 + 5), options)).toEqual(UPLOAD);
  expect(server.asked).toEqual(["POST /api/v1/sessions/s/uploads", "PATCH 0", `PATCH ${PART}`, `PATCH ${PART * 2}`]);
  expect(progress).toEqual([PART, PART * 2, PART * 2 + 5]);
  expect(server.began[0]).toMatchObject({ name: "a.bin", size: PART * 2 + 5 });
  expect(server.began[0]?.sha256).toMatch(/^[0-9a-f]{64}$/);
});

test("the hash is the file's", async () => {
  await sendFile("s", new File(["abc"], "abc.txt"), sending().options);
  expect(server.began[0]?.sha256).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});

test("where the browser may not hash, the file goes without", async () => {
  vi.stubGlobal("crypto", {});
  await sendFile("s", file(3), sending().options);
  expect(server.began[0]).not.toHaveProperty("sha256");
});

test("after a loss it goes on from where the server is", async () => {
  server.trouble = (_, count) => (count === 3 || count === 4 ? "gone" : null);
  const states: boolean[] = [];
  const { options, waits } = sending({ onWaiting: (waiting: boolean) => states.push(waiting) });
  await sendFile("s", file(PART + 5), options);
  expect(server.asked).toEqual([
    "POST /api/v1/sessions/s/uploads", "PATCH 0", `PATCH ${PART}`, "GET /api/v1/uploads/u1", "GET /api/v1/uploads/u1", `PATCH ${PART}`,
  ]);
  expect(states).toEqual([true, false]);
  expect(waits.length).toBeGreaterThan(0);
});

test("the server's offset counts where the two differ", async () => {
  server.trouble = (_, count) => {
    if (count !== 2) return null;
    server.kept = 7;
    return Response.json({ error: { code: "conflict", message: "not there", hint: null, offset: 7 } }, { status: 409 });
  };
  await sendFile("s", file(20), sending().options);
  expect(server.asked.slice(1)).toEqual(["PATCH 0", "PATCH 7"]);
});

test.each([400, 403, 413])("an answer of %i ends it", async (status) => {
  server.trouble = (method) => (method === "PATCH" ? Response.json({ error: { code: "no", message: "No.", hint: null } }, { status }) : null);
  await expect(sendFile("s", file(20), sending().options)).rejects.toMatchObject({ status });
  expect(server.asked).toHaveLength(2);
});

test("asked too often, it waits as long as it is told", async () => {
  server.trouble = (method, count) =>
    method === "POST" && count === 1 ? Response.json({ error: { code: "rate_limited", message: "Slow.", hint: null } }, { status: 429, headers: { "retry-after": "7" } }) : null;
  const { options, waits } = sending();
  await sendFile("s", file(3), options);
  expect(waits).toEqual([7000]);
});

test("a server that never comes back is given up", async () => {
  server.trouble = () => "gone";
  await expect(sendFile("s", file(3), sending().options)).rejects.toMatchObject({ code: "server_gone" });
});

test("what is called back is taken away from the server", async () => {
  const { options, abort } = sending();
  options.onProgress = () => {
    abort.abort();
    return 0;
  };
  await expect(sendFile("s", file(PART * 3), options)).rejects.toMatchObject({ name: "AbortError" });
  await vi.waitFor(() => expect(server.asked.at(-1)).toBe("DELETE /api/v1/uploads/u1"));
});

test("an empty file is a file", async () => {
  server.trouble = () => null;
  expect(await sendFile("s", file(0), sending().options)).toEqual(UPLOAD);
});

test("a later try goes on where the earlier one ended", async () => {
  server.trouble = (method, count) =>
    method === "PATCH" && count === 3 ? Response.json({ error: { code: "no", message: "No.", hint: null } }, { status: 403 }) : null;
  const begun: string[] = [];
  const options = { ...sending().options, onBegun: (id: string) => begun.push(id) };
  await expect(sendFile("s", file(PART + 5), options)).rejects.toMatchObject({ status: 403 });
  expect(begun).toEqual(["u1"]);
  const before = server.asked.length;
  expect(await sendFile("s", file(PART + 5), { ...options, begun: "u1" })).toEqual(UPLOAD);
  expect(server.asked.slice(before)).toEqual(["GET /api/v1/uploads/u1", `PATCH ${PART}`]);
});

test("where the server no longer has it, it begins anew", async () => {
  server.trouble = (method) => (method === "GET" ? Response.json({ error: { code: "not_found", message: "Gone.", hint: null } }, { status: 404 }) : null);
  await sendFile("s", file(3), { ...sending().options, begun: "old" });
  expect(server.asked).toEqual(["GET /api/v1/uploads/old", "POST /api/v1/sessions/s/uploads", "PATCH 0"]);
});

test("one that is called back while it begins leaves no place on the server", async () => {
  const { options, abort } = sending();
  server.trouble = (method) => {
    if (method === "POST") abort.abort();
    return null;
  };
  await expect(sendFile("s", file(3), options)).rejects.toMatchObject({ name: "AbortError" });
  await vi.waitFor(() => expect(server.asked.at(-1)).toBe("DELETE /api/v1/uploads/u1"));
});
