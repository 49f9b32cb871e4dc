// No serious or critical finding of axe on any main view, in light and in dark.
import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";

import { answered, question, say } from "./chat";
import { calls, says } from "./script";
import { expect, named, test } from "./test";

/** What dark changes. All the rest is looked at in light. */
const ABOUT_COLOURS = ["color-contrast", "link-in-text-block"];

async function serious(page: Page, rules?: string[]): Promise<string[]> {
  // What fades in is judged when it is there.
  await page.evaluate(() => Promise.allSettled(document.getAnimations().map(({ finished }) => finished)).then(() => null));
  const axe = new AxeBuilder({ page });
  const { violations } = await (rules === undefined ? axe : axe.withRules(rules)).analyze();
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, help, nodes }) => {
      const places = nodes.map(({ html, failureSummary }) => `  ${html.slice(0, 200)}\n  ${failureSummary ?? ""}`);
      return `${id}: ${help}\n${places.join("\n")}`;
    });
}

async function check(page: Page, what: string): Promise<void> {
  expect.soft(await serious(page), `${what}, light`).toEqual([]);
  await page.emulateMedia({ colorScheme: "dark" });
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  expect.soft(await serious(page, ABOUT_COLOURS), `${what}, dark`).toEqual([]);
  await page.emulateMedia({ colorScheme: "light" });
  await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
}

const TALK = {
  table: [
    calls("read_file", { path: "notes.txt" }, { thoughts: "I look." }),
    says("# Result\n\nA [link](https://example.com), `code`:\n\n```rust\nfn main() { println!(\"hi\"); } // comment\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> quoted\n"),
  ],
  write: [calls("write_file", { path: "notes.txt", content: "new\n" }), says("Written.")],
};

const PAGES = {
  "the start, the console and its documentation": ["/", "/tools", "/tools/write_file", "/setup", "/api-docs"],
  "the views": ["/views/vitals", "/views/processes", "/views/jobs", "/views/search", "/views/windows"],
  "oversight and settings": [
    "/views/undo", "/views/audit", "/views/grants", "/views/approvals", "/settings", "/settings/models", "/settings/servers", "/settings/all",
  ],
};

async function talkAndCheck(page: Page): Promise<void> {
  await say(page, "a table, please");
  await answered(page, "Result");
  await page.getByRole("button", { name: /read_file/ }).click();
  await check(page, "a conversation");
  await say(page, "write it");
  await expect(question(page)).toBeVisible();
  await check(page, "a question");
  await question(page).getByRole("button", { name: "Allow and remember…" }).click();
  await check(page, "a question, what to remember");
  await question(page).getByRole("button", { name: "Back" }).click();
  await question(page).getByRole("button", { name: /^Edit/ }).click();
  await check(page, "a question, editing");
}

/** Within the page, as a click on a link goes there. */
async function visitAndCheck(page: Page, paths: string[]): Promise<void> {
  for (const path of paths) {
    await page.evaluate((address) => {
      window.history.pushState(null, "", address);
      window.dispatchEvent(new PopStateEvent("popstate"));
    }, path);
    await expect(page.getByRole("main").getByRole("heading", { level: 1 }).first(), path).toBeAttached();
    await expect(page.getByRole("main").getByText("Loading…"), path).toHaveCount(0);
    // A few rows stand for all.
    if (path === "/views/processes") {
      await page.getByRole("main").getByRole("textbox").first().fill("deskhand");
      await expect(page.getByRole("row").filter({ hasNotText: /deskhand/i }), "only its head is left").toHaveCount(1);
    }
    // A button that waits for an answer is pale.
    await expect(page.getByRole("main").locator(".ant-btn-loading"), path).toHaveCount(0);
    await check(page, path);
  }
}

test("the conversation and its questions", async ({ open, page }) => {
  test.slow();
  await open({ talk: TALK, files: { "notes.txt": "old\n" } });
  await talkAndCheck(page);
});

for (const [name, paths] of Object.entries(PAGES)) {
  test(name, async ({ open, page }) => {
    test.slow();
    await open({ talk: TALK });
    await visitAndCheck(page, paths);
  });
}

test("menus, files and the page without a token", async ({ open, page, watch }) => {
  test.slow();
  watch.allow(/status of 401/);
  const server = await open({ talk: TALK, files: { "notes.txt": "old\n" } });
  await server.newSession("A conversation");
  await page.getByRole("button", { name: "Actions for A conversation" }).click();
  await expect(page.getByRole("menuitem", { name: named("Rename") })).toBeVisible();
  await check(page, "a menu");
  await page.keyboard.press("Escape");
  await page.getByRole("tab", { name: "Files" }).click();
  await page.getByRole("tabpanel", { name: "Files" }).getByText("notes.txt").click();
  await check(page, "files");
  await page.context().clearCookies();
  await page.goto(server.url);
  await expect(page.getByRole("heading", { name: "This page needs your token" })).toBeVisible();
  await check(page, "without a token");
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  test("a question, the drawer, the console", async ({ open, page }) => {
    test.slow();
    await open({ talk: TALK, files: { "notes.txt": "old\n" } });
    await say(page, "write it");
    await expect(question(page)).toBeVisible();
    await check(page, "a question");
    await page.getByRole("button", { name: "Open the sidebar" }).click();
    await expect(page.getByRole("dialog")).toBeVisible();
    await check(page, "the drawer");
    await page.keyboard.press("Escape");
    await visitAndCheck(page, ["/tools", "/tools/write_file", "/views/vitals"]);
  });
});
