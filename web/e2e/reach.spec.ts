// The mode and the folder of a conversation, shown and changed at the message field.
import type { Locator, Page } from "@playwright/test";

import { answered, answers, question, say } from "./chat";
import { calls, says } from "./script";
import { expect, test } from "./test";

const chip = (page: Page, name: string): Locator => page.getByRole("button", { name: new RegExp(`^${name}: `) });
const shows = (page: Page, text: string): Locator => page.getByRole("button", { name: text, exact: true });

async function choose(page: Page, name: string, item: RegExp): Promise<void> {
  await chip(page, name).click();
  await page.getByRole("menuitem", { name: item }).click();
}

test("the mode is chosen at the message field, refuses a write in read-only, and survives a reload", async ({ open, page }) => {
  const server = await open({
    talk: {
      first: [calls("write_file", { path: "a.txt", content: "x\n" }), says("Not written.")],
      second: [calls("write_file", { path: "b.txt", content: "x\n" }), says("Written.")],
    },
  });
  await expect(shows(page, "Mode: Ask")).toBeVisible();
  await choose(page, "Mode", /Read-only/);
  await expect(shows(page, "Mode: Read-only")).toBeVisible();
  await say(page, "the first one");
  await answered(page, "Not written.");
  await expect(answers(page).last()).toContainText("Blocked");
  expect(server.has("a.txt")).toBe(false);

  await page.reload();
  await answered(page, "Not written.");
  await expect(shows(page, "Mode: Read-only")).toBeVisible();
  await choose(page, "Mode", /Auto/);
  await expect(shows(page, "Mode: Auto")).toBeVisible();
  await say(page, "the second one");
  await answered(page, "Written.");
  await expect(question(page)).toHaveCount(0);
  expect(server.has("b.txt")).toBe(true);
});

test.describe("on a phone, in Chinese", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, locale: "zh-CN" });

  test("the folder is chosen among the server's, and nothing is wider than the screen", async ({ open, page }) => {
    const server = await open({
      folders: ["photos"],
      talk: { look: [calls("write_file", { path: "seen.txt", content: "x\n" }), says("Done.")] },
    });
    await expect(shows(page, "文件夹: workspace")).toBeVisible();
    await choose(page, "文件夹", /photos/);
    await choose(page, "模式", /自动/);
    await page.getByRole("textbox", { name: "消息" }).fill("look around");
    await page.getByRole("button", { name: "发送", exact: true }).click();
    await expect.poll(() => server.has("../photos/seen.txt")).toBe(true);
    await expect(page).toHaveURL(/\/s\//);
    await page.reload();
    await expect(shows(page, "文件夹: photos")).toBeVisible();
    await expect(shows(page, "模式: 自动")).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  });
});

test("a folder is added at the page, and an open conversation moves there", async ({ open, page, watch }) => {
  watch.allow(/status of 400/);
  const server = await open({
    mode: "auto",
    files: { "extra/kept.txt": "" },
    talk: {
      first: [calls("write_file", { path: "a.txt", content: "x\n" }), says("One.")],
      second: [calls("write_file", { path: "b.txt", content: "x\n" }), says("Two.")],
    },
  });
  await say(page, "the first one");
  await answered(page, "One.");
  expect(server.has("a.txt")).toBe(true);
  await choose(page, "Folder", /Add a folder/);
  const dialog = page.getByRole("dialog", { name: "Add a folder…" });
  const path = dialog.getByRole("textbox", { name: "Path of the folder" });
  await path.fill("/");
  await dialog.getByRole("button", { name: "Add" }).click();
  await expect(dialog.getByRole("alert")).toContainText("is the whole file system");
  await path.fill(server.path("extra"));
  await dialog.getByRole("button", { name: "Add" }).click();
  await expect(dialog).toHaveCount(0);
  await expect(shows(page, "Folder: extra")).toBeVisible();
  await say(page, "the second one");
  await answered(page, "Two.");
  expect(server.has("extra/b.txt")).toBe(true);
});

test("what the server was started with is not loosened", async ({ open, page }) => {
  await open({ mode: "read-only", talk: {} });
  await expect(shows(page, "Mode: Read-only")).toBeVisible();
  await chip(page, "Mode").click();
  await expect(page.getByRole("menuitem")).toHaveCount(1);
});
