// Messages that are written while a turn runs.
import type { Locator, Page } from "@playwright/test";

import { answered, answers, question, said, say, sender } from "./chat";
import { calls, says } from "./script";
import { expect, named, test } from "./test";

const write = calls("write_file", { path: "a.txt", content: "x\n" });
const queue = (page: Page): Locator => page.getByRole("list", { name: "Queued messages" }).getByRole("listitem");

async function queueByEnter(page: Page, text: string): Promise<void> {
  await sender(page).fill(text);
  await sender(page).press("Enter");
  await expect(queue(page).last()).toContainText(text);
  await expect(sender(page)).toHaveValue("");
}

test("Enter during a turn queues the message; it is edited, removed, kept over a reload, and sent when the turn ends", async ({
  open,
  page,
}) => {
  await open({ talk: { write: [write, says("Written.")], second: [says("To the second.")], third: [says("To the third.")] } });
  await say(page, "write a file");
  await expect(question(page)).toBeVisible();
  await queueByEnter(page, "first of the waiting");
  await queueByEnter(page, "never said");
  await queueByEnter(page, "the third");
  await expect(queue(page).first()).toContainText("sent when this turn ends");
  await page.reload();
  await expect(queue(page)).toHaveCount(3);
  await queue(page).nth(1).getByRole("button", { name: "Remove" }).click();
  await expect(queue(page)).toHaveCount(2);
  await queue(page).first().getByRole("button", { name: "Edit" }).click();
  await page.getByRole("textbox", { name: "Queued message" }).fill("the second");
  await queue(page).first().getByRole("button", { name: "Save" }).click();
  await expect(queue(page).first()).toContainText("the second");
  await expect(said(page)).toHaveCount(1);

  await question(page).getByRole("button", { name: "Allow once" }).click();
  await answered(page, "To the third.");
  await expect(answers(page)).toHaveCount(3);
  await expect(answers(page).nth(1)).toContainText("To the second.");
  await expect(said(page)).toHaveText([/write a file/, /the second/, /the third/]);
  await expect(queue(page)).toHaveCount(0);
});

test("after Stop nothing is sent by itself; the queued message is sent with one click", async ({ open, page }) => {
  await open({ talk: { write: [write, says("Written.")], later: [says("Here it is.")] } });
  await say(page, "write a file");
  await expect(question(page)).toBeVisible();
  await queueByEnter(page, "later, then");
  await page.getByRole("button", { name: named("Stop") }).click();
  await answered(page, "Stopped by you.");
  await expect(queue(page)).toContainText("not sent");
  await expect(said(page)).toHaveCount(1);
  await queue(page).getByRole("button", { name: "Send now" }).click();
  await answered(page, "Here it is.");
  await expect(queue(page)).toHaveCount(0);
});
