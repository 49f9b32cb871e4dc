// What a command changed, in the conversation: shown, kept or discarded, undone.
import type { Locator, Page } from "@playwright/test";

import { answered, question, say } from "./chat";
import { calls, says } from "./script";
import { expect, test } from "./test";

const COMMAND = "printf 'after\\n' > a.txt && rm b.txt && mkdir new && touch new/c.txt";
const FILES = { "a.txt": "before\n", "b.txt": "gone\n" };
const TALK = { run: [calls("bash", { command: COMMAND }), says("It is done.")] };

const list = (within: Locator): Locator => within.getByRole("list", { name: "Changed files" });
const wide = (page: Page): Promise<number> => page.evaluate(() => document.documentElement.scrollWidth);

test("keep: nothing is changed before the yes; the list stays after a reload, and undo brings all back", async ({ open, page }) => {
  const server = await open({ files: FILES, talk: TALK });
  await say(page, "run it");
  await expect(question(page)).toContainText("Keep these changes?");
  await expect(list(question(page)).getByRole("listitem")).toHaveCount(3);
  await expect(question(page)).toContainText("1 created · 1 modified · 1 deleted");
  expect(server.read("a.txt")).toBe("before\n");
  await question(page).getByRole("button", { name: /^Keep/ }).first().click();
  await answered(page, "It is done.");
  expect(server.read("a.txt")).toBe("after\n");
  expect(server.has("b.txt")).toBe(false);
  await page.reload();
  await page.getByRole("button", { name: "3 files changed, kept" }).click();
  await expect(list(page.getByRole("main")).getByRole("listitem")).toHaveCount(3);
  await page.getByRole("button", { name: /Undo$/ }).first().click();
  await expect.poll(() => server.has("b.txt")).toBe(true);
  expect(server.read("a.txt")).toBe("before\n");
  expect(server.has("new/c.txt")).toBe(false);
});

test("discard: the files stay as they are, and the step says so", async ({ open, page }) => {
  const server = await open({ files: FILES, talk: TALK });
  await say(page, "run it");
  await question(page).getByRole("button", { name: /^Discard/ }).click();
  await question(page).getByRole("button", { name: "Discard", exact: true }).click();
  await answered(page, "It is done.");
  await expect(page.getByRole("button", { name: "3 files changed, discarded" })).toBeVisible();
  expect(server.read("a.txt")).toBe("before\n");
  expect(server.has("b.txt")).toBe(true);
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test("the question and the list fit", async ({ open, page }) => {
    const name = "a_very_long_name_without_any_place_to_break_it_".repeat(3);
    const command = `mkdir -p deep/folder && touch deep/folder/${name}`;
    await open({ talk: { run: [calls("bash", { command }), says("It is done.")] } });
    await say(page, "run it");
    await expect(question(page)).toContainText(name);
    expect(await wide(page)).toBeLessThanOrEqual(390);
    await question(page).getByRole("button", { name: /^Keep/ }).first().tap();
    await answered(page, "It is done.");
    await page.getByRole("button", { name: "1 file changed, kept" }).tap();
    await expect(list(page.getByRole("main"))).toBeVisible();
    expect(await wide(page)).toBeLessThanOrEqual(390);
  });
});
