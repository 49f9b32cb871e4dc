// No serious or critical finding of axe, on every main view, in light and dark.
import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";

import { answered, question, say } from "./chat";
import { calls, says } from "./script";
import type { Server } from "./server";
import { expect, named, test, visit } from "./test";

/** What dark changes; all the rest was looked at in light. */
const ABOUT_COLOURS = ["color-contrast", "link-in-text-block"];

async function check(page: Page, what: string): Promise<void> {
  // What fades in is judged when it is there.
  await page.evaluate(() => Promise.allSettled(document.getAnimations().map(({ finished }) => finished)).then(() => null));
  const dark = await page.evaluate(() => document.documentElement.dataset.theme === "dark");
  const axe = new AxeBuilder({ page });
  const { violations } = await (dark ? axe.withRules(ABOUT_COLOURS) : axe).analyze();
  const serious = violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, help, nodes }) => `${id}: ${help}\n${nodes.map(({ html, failureSummary }) => `  ${html.slice(0, 200)}\n  ${failureSummary ?? ""}`).join("\n")}`);
  expect(serious, what).toEqual([]);
}

const TALK = {
  table: [
    calls("read_file", { path: "notes.txt" }, { thoughts: "I look." }),
    says("# Result\n\nA [link](https://example.com), `code`:\n\n```rust\nfn main() { println!(\"hi\"); } // comment\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> quoted\n"),
  ],
  write: [calls("write_file", { path: "notes.txt", content: "new\n" }), says("Written.")],
};

const PAGES = [
  "/", "/tools", "/tools/write_file", "/views/vitals", "/views/processes", "/views/jobs", "/views/undo", "/views/audit",
  "/views/grants", "/views/search", "/views/approvals", "/settings", "/settings/models", "/settings/all", "/setup", "/api-docs",
];

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

async function visitAndCheck(page: Page, server: Server, paths: string[]): Promise<void> {
  for (const path of paths) {
    await visit(page, server, path);
    await expect(page.getByRole("heading", { level: 1 }).first()).toBeAttached();
    // A few rows stand for all.
    if (path === "/views/processes") await page.getByRole("textbox").first().fill("deskhand");
    await check(page, path);
  }
}

for (const scheme of ["light", "dark"] as const) {
  test.describe(scheme, () => {
    test.use({ colorScheme: scheme });

    test("the conversation and its questions", async ({ open, page }) => {
      await open({ talk: TALK, files: { "notes.txt": "old\n" } });
      await talkAndCheck(page);
    });

    test("the first half of the other pages", async ({ open, page }) => {
      test.slow();
      const server = await open({ talk: TALK });
      await visitAndCheck(page, server, PAGES.slice(0, PAGES.length / 2));
    });

    test("the second half of the other pages", async ({ open, page }) => {
      test.slow();
      const server = await open({ talk: TALK });
      await visitAndCheck(page, server, PAGES.slice(PAGES.length / 2));
    });

    test("menus, files and the page without a token", async ({ open, page, watch }) => {
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
  });
}

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  test("the conversation, the drawer, the console", async ({ open, page }) => {
    const server = await open({ talk: TALK, files: { "notes.txt": "old\n" } });
    await talkAndCheck(page);
    await page.getByRole("button", { name: "Open the sidebar" }).click();
    await expect(page.getByRole("dialog")).toBeVisible();
    await check(page, "the drawer");
    await visitAndCheck(page, server, ["/tools/write_file", "/views/vitals"]);
  });
});
