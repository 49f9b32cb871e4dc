// The acceptance list of seeds/000 (§5.1 AC008–AC012, §5.2, §5.3) over HTTP and in the page. Times are printed; what is
// asserted is ten times the limit of the list, since other work may share the machine.
import { spawn } from "node:child_process";

import { answered, say, sessionId } from "./chat";
import type { Message } from "./chat";
import { says } from "./script";
import type { Server, Session } from "./server";
import { enter, expect, test, visit } from "./test";

interface Listed {
  total: number;
  page: number;
  page_size: number;
  sessions: (Session & { session_id: string })[];
}

const GENEROUS = 10;

async function timed(what: string, limit: number, act: () => Promise<unknown>): Promise<void> {
  const begun = performance.now();
  await act();
  const took = performance.now() - begun;
  console.log(`${what}: ${took.toFixed(0)} ms (limit of the list: ${limit} ms)`);
  expect(took, what).toBeLessThan(limit * GENEROUS);
}

test("AC008: a new session is made and has an id", async ({ open, page }) => {
  const server = await open({ talk: { hello: [says("Hello.")] } });
  const made = await server.json<Session & { session_id: string }>("POST", "/api/v1/sessions", {});
  expect(made).toMatchObject({ title: "新会话", session_id: made.id, message_count: 0 });
  await say(page, "hello");
  await answered(page, "Hello.");
  expect(await server.json("GET", `/api/v1/sessions/${sessionId(page)}`)).toMatchObject({ id: sessionId(page) });
});

test("AC009: sessions are listed page by page", async ({ serve, page }) => {
  const server = await serve({ talk: {} });
  for (let n = 1; n <= 45; n += 1) await server.newSession(`Session number ${n}`);
  const seen: string[] = [];
  for (const at of [1, 2, 3]) {
    const { total, sessions } = await server.json<Listed>("GET", `/api/v1/sessions?page=${at}&page_size=20`);
    expect(total).toBe(45);
    expect(sessions).toHaveLength(at < 3 ? 20 : 5);
    seen.push(...sessions.map(({ id }) => id));
  }
  expect(new Set(seen).size).toBe(45);
  await enter(page, server);
  const list = page.getByRole("list", { name: "Conversations" });
  await expect(list.getByText("Session number 45", { exact: true })).toBeVisible();
  await expect(list.getByText("Session number 1", { exact: true })).toHaveCount(0);
  await list.getByRole("listitem").last().scrollIntoViewIfNeeded();
  await expect(list.getByText("Session number 1", { exact: true })).toBeAttached();
  await expect(list.getByRole("listitem")).toHaveCount(45);
});

test("AC010: messages are stored as they were said", async ({ open, page, watch }) => {
  watch.allow(/ERR_CONNECTION|ERR_INCOMPLETE_CHUNKED|ERR_EMPTY_RESPONSE/);
  const text = "引号 \"quotes\" 'and' <tags> & 表情 🎉\nsecond line";
  const server = await open({ talk: { quotes: [says("我知道了 🎉 <b>not bold</b>")] } });
  await say(page, text.split("\n")[0] ?? "");
  await answered(page, "我知道了 🎉");
  const id = sessionId(page);
  await server.kill();
  await server.startAgain();
  const { messages } = await server.json<{ messages: Message[] }>("GET", `/api/v1/sessions/${id}/messages`);
  expect(messages.map(({ role, content }) => [role, content])).toEqual([
    ["user", text.split("\n")[0]],
    ["assistant", "我知道了 🎉 <b>not bold</b>"],
  ]);
});

test("AC011: all messages of a session can be read, and in the page scrolled through", async ({ serve, page }) => {
  const server = await serve({ talk: {} });
  const said = Array.from({ length: 120 }, (_, n) => `Message number ${n + 1}.`);
  const { id } = await server.importSession("Long talk", said);
  const all = await server.json<{ total: number; messages: Message[] }>("GET", `/api/v1/sessions/${id}/messages`);
  expect(all.total).toBe(120);
  expect(all.messages.map(({ content }) => content)).toEqual(said);
  await enter(page, server);
  await visit(page, server, `/s/${id}`);
  const log = page.getByRole("log");
  await expect(log.getByText("Message number 120.")).toBeVisible();
  await expect(async () => {
    await log.evaluate((element) => element.scrollTo({ top: 0 }));
    await expect(log.getByText("Message number 1.", { exact: true })).toBeInViewport({ timeout: 1_000 });
  }).toPass();
});

test("AC012: a session is deleted with all its messages", async ({ open }) => {
  const server = await open({ talk: {} });
  const { id } = await server.importSession("Away with it", ["唯一的秘密", "Yes."]);
  expect(await server.json("DELETE", `/api/v1/sessions/${id}`)).toEqual({ success: true });
  for (const path of ["", "/messages", "/export?format=json"]) {
    expect((await server.ask("GET", `/api/v1/sessions/${id}${path}`)).status).toBe(404);
  }
  const { items } = await server.json<{ items: unknown[] }>("GET", `/api/v1/sessions/search?q=${encodeURIComponent("秘密")}`);
  expect(items).toEqual([]);
});

test("§5.2: lists, messages, a command and the start are quick", async ({ serve }) => {
  let server: Server | undefined;
  await timed("a new data folder, until the server answers", 1_000, async () => {
    server = await serve({ talk: {}, mode: "auto" });
  });
  const running = server as Server;
  for (let n = 0; n < 100; n += 1) await running.newSession(`Session ${n}`);
  await timed("the list of 100 sessions", 100, () => running.json("GET", "/api/v1/sessions?page=1&page_size=100"));
  const thousand = Array.from({ length: 1_000 }, (_, n) => `Message number ${n} with some text in it.`);
  const { id } = await running.importSession("A thousand", thousand);
  await timed("1,000 messages", 200, () => running.json("GET", `/api/v1/sessions/${id}/messages`));
  await timed("a command", 5_000, () =>
    running.json("POST", "/api/v1/tools/execute", { tool_name: "bash", parameters: { command: "echo hello" } }),
  );
});

/** Forbidden all the same, though there is nothing that it could harm. */
const HARMLESS = "mkfs.ext4 /dev/no-such-disk";

const DESTRUCTIVE = [
  "rm -rf /",
  "rm -rf /*",
  "sudo rm -rf --no-preserve-root /",
  "mkfs.ext4 /dev/sda1",
  "dd if=/dev/zero of=/dev/sda",
  ":(){ :|:& };:",
  "wipefs -a /dev/sda",
  "shutdown now",
  "chmod -R 777 /",
  "echo x > /dev/sda",
];

test("§5.3: what destroys is forbidden, every time, and a bare yes opens nothing", async ({ serve }) => {
  const server = await serve({ mode: "auto" });
  // Only explained, lest the test itself destroys something on the day when it finds a hole.
  for (const command of DESTRUCTIVE) {
    const explained = await server.json<{ explanation: { decision: string } }>("POST", "/api/v1/tools/explain", {
      tool_name: "bash",
      parameters: { command },
    });
    expect(explained.explanation.decision, command).toBe("forbid");
  }
  const call = { tool_name: "bash", parameters: { command: HARMLESS }, require_confirmation: true };
  for (const attempt of [1, 2]) {
    const answer = await server.json("POST", "/api/v1/tools/execute", call);
    expect(answer, `attempt ${attempt}`).toMatchObject({ success: false, status: "blocked", need_confirmation: false });
  }
});

test("§5.3: ending a process asks first", async ({ serve }) => {
  const server = await serve({ mode: "auto" });
  const victim = spawn("sleep", ["600"]);
  try {
    const answer = await server.json("POST", "/api/v1/tools/execute", {
      tool_name: "kill_process",
      parameters: { pid: victim.pid },
    });
    expect(answer).toMatchObject({ success: false, need_confirmation: true });
    expect(victim.exitCode).toBeNull();
    const { plan_id: plan } = answer as { plan_id: string };
    const call = { tool_name: "kill_process", parameters: { pid: victim.pid }, plan_id: plan };
    expect(await server.json("POST", "/api/v1/tools/execute", call)).toMatchObject({ success: true });
  } finally {
    victim.kill("SIGKILL");
  }
});

test("§5.3: sessions are for who has the token alone", async ({ serve }) => {
  const server = await serve({ talk: {} });
  const { id } = await server.importSession("Private", ["a secret", "Yes."]);
  for (const path of ["", "/messages", "/events", "/export?format=json", "/uploads", "/calls"]) {
    for (const headers of [new Headers(), new Headers({ authorization: "Bearer wrong" })]) {
      const answer = await fetch(`${server.url}/api/v1/sessions/${id}${path}`, { headers });
      expect(answer.status, path).toBe(401);
      expect(await answer.text()).not.toContain("secret");
    }
  }
  // Nor for a page of another site that the browser happens to show.
  const foreign = await fetch(`${server.url}/api/v1/sessions`, {
    headers: { authorization: `Bearer ${server.token}`, origin: "https://example.com" },
  });
  expect(foreign.status).toBe(403);
});
