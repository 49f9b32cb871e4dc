// Other MCP servers on the page: added after a look at what will run, watched, denied a tool, signed in to, removed.
import { fileURLToPath } from "node:url";

import type { Locator, Page } from "@playwright/test";

import { SignInServer } from "./signInServer";
import { expect, named, test, visit } from "./test";

const FIXTURE = fileURLToPath(new URL("../../crates/serve/tests/mcp_client/hostile.py", import.meta.url));

async function fillProgram(page: Page, name: string, command: string, args: string[]): Promise<void> {
  await page.getByRole("button", { name: named("Add a server") }).click();
  await page.getByRole("textbox", { name: "Name", exact: true }).fill(name);
  await page.getByRole("textbox", { name: "Command", exact: true }).fill(command);
  await page.getByRole("textbox", { name: /^Arguments/ }).fill(args.join("\n"));
}

async function choose(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole("combobox", { name: label, exact: true }).click();
  await page.locator(".ant-select-dropdown:visible").getByTitle(option, { exact: true }).click();
}

const row = (page: Page, name: string): Locator => page.getByRole("listitem", { name, exact: true });

test("a server is added, shows its tools and its log, is denied a tool, and removed", async ({ open, page }) => {
  const server = await open({ talk: {} });
  await page.getByRole("tab", { name: "Settings" }).click();
  await page.getByRole("link", { name: "MCP servers" }).first().click();
  await expect(page).toHaveURL(/\/settings\/servers$/);
  await expect(page.getByText("No MCP servers yet.")).toBeVisible();

  await fillProgram(page, "small", "python3", [FIXTURE, "good"]);
  const variables = page.getByRole("textbox", { name: /^Environment variables/ });
  await variables.fill("nonsense");
  await expect(page.getByText("Line 1 must look like NAME=VALUE.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Review" })).toBeDisabled();
  await variables.fill("SOME_TOKEN=hunter2-hunter2");
  await page.getByRole("button", { name: "Review" }).click();
  const main = page.getByRole("main");
  await expect(main).toContainText(`python3 ${FIXTURE} good`);
  await expect(main).toContainText("outside the sandbox");
  expect(await server.json<{ servers: unknown[] }>("GET", "/api/v1/servers")).toMatchObject({ servers: [] });
  await page.getByRole("button", { name: "Add and run" }).click();

  const small = row(page, "small");
  await expect(small).toContainText("Connected");
  await expect(small).toContainText("2 tools");
  await small.getByRole("button", { name: "Details: small" }).click();
  await expect(small.getByRole("log")).toContainText("here with");
  await expect(small.getByRole("log")).toContainText("connected, 2 tools");
  expect(await page.content()).not.toContain("hunter2");

  const call = () =>
    server.json<{ status: string; need_confirmation: boolean }>("POST", "/api/v1/tools/execute", {
      tool_name: "mcp_small_echo",
      parameters: {},
    });
  expect(await call()).toMatchObject({ need_confirmation: true });
  await choose(page, "echo", "Deny");
  await expect(small).toContainText("1 tool");
  expect(await call()).toMatchObject({ status: "not_found" });
  await choose(page, "echo", "Allow");
  // The log says "2 tools", too: only a call shows that the tool is back.
  await expect.poll(call).toMatchObject({ status: "success", need_confirmation: false });

  // What holds for all of its tools holds for those that say nothing else.
  await choose(page, "All tools of this server", "Allow");
  await choose(page, "echo", "Default (Allow)");
  await expect.poll(async () => (await call()).status).toBe("success");
  // Its log begins again, with the time of the new start.
  const log = small.getByRole("log");
  const before = await log.innerText();
  await small.getByRole("button", { name: "Restart: small" }).click();
  await expect.poll(() => log.innerText()).not.toBe(before);
  await expect(log).toContainText("connected, 2 tools");
  await expect(small).toContainText("Connected");

  await small.getByRole("button", { name: "Turn off: small" }).click();
  await expect(small).toContainText("Off");
  await small.getByRole("button", { name: "Turn on: small" }).click();
  await expect(small).toContainText("Connected");
  await small.getByRole("button", { name: "Remove: small" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await expect(page.getByText("No MCP servers yet.")).toBeVisible();
  expect(await call()).toMatchObject({ status: "not_found" });
});

test("a program that cannot run says why, and a wrong entry is not added", async ({ open, page, watch }) => {
  watch.allow(/status of 400/);
  const server = await open({ talk: {} });
  await visit(page, server, "/settings/servers");
  await fillProgram(page, "broken", "no-such-program-anywhere", []);
  await page.getByRole("button", { name: "Review" }).click();
  await page.getByRole("button", { name: "Add and run" }).click();
  await expect(row(page, "broken")).toContainText("Failed");
  await expect(row(page, "broken")).toContainText("there is no program `no-such-program-anywhere`");

  await page.getByRole("button", { name: named("Import") }).click();
  const json = page.getByRole("textbox", { name: "JSON with mcpServers" });
  await json.fill("{ nothing");
  await page.getByRole("button", { name: "Review" }).click();
  await expect(page.getByRole("alert")).toContainText("this is not JSON");
  const settings = JSON.stringify({
    mcpServers: {
      small: { command: "python3", args: [FIXTURE, "good"], autoApprove: ["echo"] },
      old: { type: "sse", url: "https://example.com/sse" },
    },
  });
  const chooser = page.waitForEvent("filechooser");
  await page.getByText("Choose a file", { exact: true }).click();
  await (await chooser).setFiles({ name: "mcp.json", mimeType: "application/json", buffer: Buffer.from(settings) });
  await expect(json).toHaveValue(settings);
  await page.getByRole("button", { name: "Review" }).click();
  await expect(page.getByRole("main")).toContainText(`python3 ${FIXTURE} good`);
  await expect(page.getByRole("main")).toContainText("mcpServers.old.type");
  await page.getByRole("button", { name: "Add and run" }).click();
  await expect(row(page, "small")).toContainText("Connected");
});

test("one signs in to a server in the browser, and out again; in Chinese, on a phone", async ({ serve, page, context }) => {
  const notes = await SignInServer.start();
  try {
    const server = await serve({ talk: {} });
    await page.setViewportSize({ width: 390, height: 844 });
    await page.addInitScript(() => localStorage.setItem("deskhand.language", "zh"));
    await page.goto(server.openUrl);
    await visit(page, server, "/settings/servers");
    await page.getByRole("button", { name: named("添加服务器") }).click();
    await page.getByRole("textbox", { name: "名称", exact: true }).fill("notes");
    await page.getByText("网址", { exact: true }).first().click();
    await page.getByRole("textbox", { name: "网址", exact: true }).fill(notes.url);
    await page.getByRole("button", { name: "下一步" }).click();
    await expect(page.getByRole("main")).toContainText("将连接此服务");
    await page.getByRole("button", { name: named("添加") }).click();
    const one = row(page, "notes");
    await expect(one).toContainText("需要登录");
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);

    const opened = context.waitForEvent("page");
    await one.getByRole("button", { name: named("登录") }).click();
    await expect((await opened).getByText("您可以关闭此页面")).toBeVisible();
    await expect(one).toContainText("已连接");
    await expect(one).toContainText("1 个工具");
    await one.getByRole("button", { name: "退出登录" }).click();
    await expect(one).toContainText("需要登录");
    await one.getByRole("button", { name: "详情: notes" }).click();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    expect(await page.content()).not.toContain("the-access-token");
  } finally {
    await notes.stop();
  }
});
