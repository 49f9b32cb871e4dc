// The page in the hand: 390 × 844, by touch.
import { answered, question, say } from "./chat";
import { calls, says } from "./script";
import { expect, named, test } from "./test";

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

test("the sidebar is a drawer; one sends and approves, and nothing is wider than the screen", async ({ open, page }) => {
  const server = await open({
    talk: { write: [calls("write_file", { path: "a.txt", content: "x\n" }), says("Written, with a `very_long_name_without_any_place_to_break_it_anywhere_at_all` in it.")] },
  });
  await expect(page.getByRole("tab", { name: "History" })).toBeHidden();
  await say(page, "write a file");
  await expect(question(page)).toBeVisible();
  await question(page).getByRole("button", { name: "Allow once" }).tap();
  await answered(page, "Written");
  expect(server.has("a.txt")).toBe(true);
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);

  await page.getByRole("button", { name: "Open the sidebar" }).tap();
  const drawer = page.getByRole("dialog");
  await expect(drawer.getByRole("link", { name: /write a file/ })).toBeVisible();
  await drawer.getByRole("button", { name: named("New conversation") }).tap();
  await expect(drawer).toBeHidden();
  await expect(page).toHaveURL(/\/$/);
  await page.getByRole("button", { name: "Open the sidebar" }).tap();
  await drawer.getByRole("link", { name: /write a file/ }).tap();
  await expect(drawer).toBeHidden();
  await answered(page, "Written");
});

test("the other pages fit, too", async ({ open, page }) => {
  const server = await open({ talk: {} });
  for (const path of ["/", "/tools", "/tools/write_file", "/settings", "/settings/models", "/settings/servers", "/api-docs", "/views/vitals", "/views/audit"]) {
    await page.goto(new URL(path, server.url).href);
    await expect(page.getByRole("heading", { level: 1 }).first(), path).toBeAttached();
    expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBeLessThanOrEqual(390);
  }
});
