// The conversations in the sidebar: found, named, put away and thrown away.
import type { Page } from "@playwright/test";

import { expect, named, test } from "./test";

const row = (page: Page, title: string) =>
  page.getByRole("list", { name: "Conversations" }).getByRole("listitem").filter({ hasText: title });

async function choose(page: Page, title: string, action: string): Promise<void> {
  await page.getByRole("button", { name: `Actions for ${title}` }).click();
  await page.getByRole("menuitem", { name: named(action) }).click();
}

async function show(page: Page, from: string, to: string): Promise<void> {
  await page.getByRole("button", { name: named(from) }).click();
  await page.getByRole("menuitem", { name: named(to) }).click();
}

test("a conversation is renamed in the list, and keeps its name", async ({ open, page }) => {
  const server = await open({ talk: {} });
  const { id } = await server.newSession("First name");
  await choose(page, "First name", "Rename");
  const title = page.getByRole("textbox", { name: "Title" });
  await title.fill("第二个 name");
  await title.press("Enter");
  await expect(row(page, "第二个 name")).toBeVisible();
  expect(await server.json("GET", `/api/v1/sessions/${id}`)).toMatchObject({ title: "第二个 name" });
  await page.reload();
  await expect(row(page, "第二个 name")).toBeVisible();
  await expect(row(page, "First name")).toHaveCount(0);
});

test("one switches between conversations, and back with the browser", async ({ open, page }) => {
  const server = await open({ talk: {} });
  const one = await server.importSession("About apples", ["Are apples red?", "Some apples are red."]);
  const two = await server.importSession("About pears", ["Are pears green?", "Most pears are green."]);
  await row(page, "About apples").getByRole("link").click();
  await expect(page).toHaveURL(new RegExp(`/s/${one.id}$`));
  await expect(page.getByRole("main")).toContainText("Some apples are red.");
  await row(page, "About pears").getByRole("link").click();
  await expect(page).toHaveURL(new RegExp(`/s/${two.id}$`));
  await expect(page.getByRole("main")).toContainText("Most pears are green.");
  await expect(page.getByRole("main")).not.toContainText("apples");
  await expect(row(page, "About pears").getByRole("link")).toHaveAttribute("aria-current", "page");
  await page.goBack();
  await expect(page.getByRole("main")).toContainText("Some apples are red.");
});

test("what is archived leaves the list and comes back", async ({ open, page }) => {
  const server = await open({ talk: {} });
  await server.newSession("Old matters");
  await server.newSession("New matters");
  await choose(page, "Old matters", "Archive");
  await expect(row(page, "Old matters")).toHaveCount(0);
  await expect(row(page, "New matters")).toBeVisible();
  await show(page, "Active", "Archived");
  await expect(row(page, "Old matters")).toBeVisible();
  await choose(page, "Old matters", "Take out of the archive");
  await expect(row(page, "Old matters")).toHaveCount(0);
  await show(page, "Archived", "Active");
  await expect(row(page, "Old matters")).toBeVisible();
});

test("deleting asks first, can be taken back, and ends in the bin for good", async ({ open, page }) => {
  const server = await open({ talk: {} });
  const { id } = await server.newSession("To be deleted");
  await choose(page, "To be deleted", "Delete");
  const question = page.getByRole("dialog");
  await expect(question).toContainText("Delete “To be deleted”?");
  await question.getByRole("button", { name: "Cancel" }).click();
  await expect(question).toBeHidden();
  await expect(row(page, "To be deleted")).toBeVisible();

  await choose(page, "To be deleted", "Delete");
  await question.getByRole("button", { name: "Delete" }).click();
  await expect(row(page, "To be deleted")).toHaveCount(0);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(row(page, "To be deleted")).toBeVisible();

  await choose(page, "To be deleted", "Delete");
  await question.getByRole("button", { name: "Delete" }).click();
  await expect(row(page, "To be deleted")).toHaveCount(0);
  await show(page, "Active", "Bin");
  await choose(page, "To be deleted", "Delete for good");
  await question.getByRole("button", { name: "Delete for good" }).click();
  await expect(page.getByText("The bin is empty")).toBeVisible();
  expect((await server.ask("GET", `/api/v1/sessions/${id}`)).status).toBe(404);
});

test("Chinese is found, down to a word of two characters", async ({ open, page }) => {
  const server = await open({ talk: {} });
  const { id } = await server.importSession("服务器笔记", ["数据库怎么配置？", "修改连接池的大小，然后重启服务。"]);
  await server.importSession("Shopping", ["What do we need?", "Milk and bread."]);
  const search = page.getByRole("searchbox", { name: "Search conversations" });
  await search.fill("重启");
  const hits = page.getByRole("list", { name: "Search conversations" }).getByRole("listitem");
  await expect(hits).toHaveCount(1);
  await expect(hits.getByText("重启", { exact: true })).toBeVisible();
  await hits.getByRole("link").click();
  await expect(page).toHaveURL(new RegExp(`/s/${id}`));
  await expect(page.getByRole("main")).toContainText("修改连接池的大小");
  await search.fill("没有这个词");
  await expect(page.getByText("Nothing found for “没有这个词”")).toBeVisible();
});

test("a conversation is exported as Markdown, and imported from JSON", async ({ open, page }) => {
  const server = await open({ talk: {} });
  const { id } = await server.importSession("Kept talk", ["Remember me?", "Yes, **always**."]);
  const waiting = page.waitForEvent("download");
  await choose(page, "Kept talk", "Export as Markdown");
  const download = await waiting;
  expect(download.suggestedFilename()).toMatch(/\.md$/);
  const exported = await (await server.ask("GET", `/api/v1/sessions/${id}/export?format=json`)).text();
  await page.locator("input[type=file][accept*=json]").setInputFiles({
    name: "kept.json",
    mimeType: "application/json",
    buffer: Buffer.from(exported),
  });
  await expect(row(page, "Kept talk")).toHaveCount(2);
  await expect(page.getByRole("main")).toContainText("always");
  await expect(page).not.toHaveURL(new RegExp(id));
});
