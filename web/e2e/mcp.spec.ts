// A program that has Deskhand's tools over MCP, and the page that answers for it.
import type { ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";

import { question } from "./chat";
import type { Server } from "./server";
import { expect, test, visit } from "./test";

interface Result {
  isError?: boolean;
  content: { type: string; text?: string }[];
}

/** A client on stdio that has no way to ask its own person. */
class Client {
  private constructor(private readonly child: ChildProcessByStdio<Writable, Readable, null>) {}

  private readonly waiting = new Map<number, (answer: { result?: unknown; error?: unknown }) => void>();
  private last = 0;

  static async start(server: Server): Promise<Client> {
    const client = new Client(server.spawn(["mcp"]));
    createInterface(client.child.stdout).on("line", (line) => {
      const message = JSON.parse(line) as { id?: number; result?: unknown; error?: unknown };
      if (message.id !== undefined) client.waiting.get(message.id)?.(message);
    });
    await client.ask("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "robot", version: "1" },
    });
    client.send({ method: "notifications/initialized" });
    return client;
  }

  private send(message: object): void {
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  async ask<T>(method: string, params: object): Promise<T> {
    const id = ++this.last;
    const answered = new Promise<{ result?: unknown; error?: unknown }>((resolve) => this.waiting.set(id, resolve));
    this.send({ id, method, params });
    const { result, error } = await answered;
    if (error !== undefined) throw new Error(JSON.stringify(error));
    return result as T;
  }

  call(name: string, args: object): Promise<Result> {
    return this.ask("tools/call", { name, arguments: args });
  }

  async end(): Promise<void> {
    const gone = once(this.child, "exit");
    this.child.stdin.end();
    await gone;
  }
}

test("the page answers for a client on stdio: yes, and no", async ({ open, page }) => {
  const server = await open({ files: { "a.txt": "before\n" } });
  const client = await Client.start(server);
  const written = client.call("write_file", { path: "a.txt", content: "after\n" });
  await page.getByRole("button", { name: /1 approval pending/ }).click();
  await page.getByRole("button", { name: /write_file/ }).click();
  await expect(page).toHaveURL(/\/views\/approvals$/);
  await expect(page.getByText("Asked for mcp:robot")).toBeVisible();
  await expect(question(page)).toContainText("before");
  expect(server.read("a.txt")).toBe("before\n");
  await question(page).getByRole("button", { name: "Allow once" }).click();
  expect((await written).isError ?? false).toBe(false);
  expect(server.read("a.txt")).toBe("after\n");

  const refused = client.call("write_file", { path: "b.txt", content: "x\n" });
  await visit(page, server, "/views/approvals");
  await question(page).getByRole("button", { name: /^Deny…/ }).click();
  await question(page).getByRole("textbox", { name: "Reason" }).fill("not there");
  await question(page).getByRole("button", { name: "Deny", exact: true }).click();
  const result = await refused;
  expect(result.isError).toBe(true);
  expect(result.content[0]?.text).toContain("not there");
  expect(server.has("b.txt")).toBe(false);

  await visit(page, server, "/views/audit");
  await expect(page.getByRole("row").filter({ hasText: "mcp:robot" }).first()).toBeVisible();
  await client.end();
});

test("a question is withdrawn when its client goes away", async ({ open, page }) => {
  const server = await open();
  const client = await Client.start(server);
  void client.call("write_file", { path: "b.txt", content: "x\n" });
  await visit(page, server, "/views/approvals");
  await expect(question(page)).toBeVisible();
  await client.end();
  await expect(page.getByText("Nothing waits for you.")).toBeVisible();
  expect(server.has("b.txt")).toBe(false);
});
