// Files in and out of a conversation.
import { readFile } from "node:fs/promises";

import type { Locator, Page } from "@playwright/test";

import { answered, question, said, say, sender, sessionId } from "./chat";
import { calls, says } from "./script";
import { expect, test } from "./test";

const LIMIT = 100 * 1024 * 1024;
const attached = (page: Page) => page.getByRole("list", { name: "Attached files" });

/** As a browser does it when files are dragged here or pasted. */
async function give(page: Page, how: "drop" | "paste", name: string, text: string): Promise<void> {
  const data = await page.evaluateHandle(
    ([file, content]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([content], file, { type: "text/plain" }));
      return transfer;
    },
    [name, text] as const,
  );
  if (how === "drop") {
    await sender(page).dispatchEvent("dragover", { dataTransfer: data });
    await expect(page.getByText("Drop to attach")).toBeVisible();
    await sender(page).dispatchEvent("drop", { dataTransfer: data });
    return;
  }
  await sender(page).evaluate((element, transfer) => {
    element.dispatchEvent(new ClipboardEvent("paste", { clipboardData: transfer, bubbles: true, cancelable: true }));
  }, data);
}

test("a file is attached by the button, goes with the message, shows as a chip and comes back", async ({ open, page }) => {
  const server = await open({ talk: { file: [says("I have your file.")] } });
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Attach files" }).click();
  await (await chooser).setFiles({ name: "报告 1.txt", mimeType: "text/plain", buffer: Buffer.from("内容\n") });
  await expect(attached(page)).toContainText("报告 1.txt");
  await say(page, "look at this file");
  await answered(page, "I have your file.");
  const chip = said(page).last().getByRole("button", { name: /报告 1\.txt/ });
  await expect(chip).toBeVisible();
  const { uploads } = await server.json<{ uploads: { name: string; size: number }[] }>(
    "GET",
    `/api/v1/sessions/${sessionId(page)}/uploads`,
  );
  expect(uploads.map(({ name, size }) => [name, size])).toEqual([["报告 1.txt", 7]]);
  const waiting = page.waitForEvent("download");
  await chip.click();
  expect(await readFile(await (await waiting).path(), "utf8")).toBe("内容\n");
});

const PICTURE = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

for (const images of [true, false]) {
  test(`text and a picture reach a model that ${images ? "sees" : "sees nothing, which is said before"}`, async ({ open, page }) => {
    const expected = images ? "It is shown with this message." : "this model takes no pictures";
    await open({
      images,
      talk: { list: [says("Milk and eggs.", { expect: "milk and eggs" })], dot: [says("A dot.", { expect: expected })] },
    });
    const add = async (name: string, mimeType: string, buffer: Buffer) => {
      const chooser = page.waitForEvent("filechooser");
      await page.getByRole("button", { name: "Attach files" }).click();
      await (await chooser).setFiles({ name, mimeType, buffer });
      await expect(attached(page)).toContainText(name);
    };
    const isDrawn = (picture: Locator) => expect.poll(() => picture.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBeGreaterThan(0);
    await add("notes.txt", "text/plain", Buffer.from("milk and eggs\n"));
    await add("archive.zip", "application/zip", Buffer.from("PK\u0003\u0004\0\0\0\0\0\0"));
    await expect(attached(page)).toContainText("Neither text nor a picture: the model gets only the name and path");
    await say(page, "what is in the list?");
    await answered(page, "Milk and eggs.");
    await add("dot.png", "image/png", PICTURE);
    await isDrawn(attached(page).getByRole("img", { name: "Preview of dot.png" }));
    await expect(attached(page).getByText("This model takes no pictures")).toHaveCount(images ? 0 : 1);
    await say(page, "and this dot?");
    await answered(page, "A dot.");
    await isDrawn(said(page).last().getByRole("img", { name: "Preview of dot.png" }));
    await page.reload();
    await isDrawn(said(page).last().getByRole("img", { name: "Preview of dot.png" }));
  });
}

for (const how of ["drop", "paste"] as const) {
  test(`a file is attached by ${how}, and can be taken away again`, async ({ open, page, watch }) => {
    // Taken away at the moment at which it is there, it is a file of its session already.
    watch.allow(/status of 409 .*\/uploads\//u);
    await open({ talk: { file: [says("I have your file.")] } });
    await give(page, how, "one.txt", "one");
    await expect(attached(page)).toContainText("one.txt");
    await give(page, how, "two.txt", "two");
    await expect(attached(page)).toContainText("two.txt");
    await attached(page).getByRole("button", { name: "Remove one.txt" }).click();
    await expect(attached(page)).not.toContainText("one.txt");
    await say(page, "look at this file");
    await answered(page, "I have your file.");
    await expect(said(page).last()).toContainText("two.txt");
    await expect(said(page).last()).not.toContainText("one.txt");
  });
}

test("a file that is too large is refused at once, with the limit", async ({ open, page }) => {
  const server = await open({ talk: { hello: [says("Hello.")] } });
  await say(page, "hello");
  await answered(page, "Hello.");
  const sent: string[] = [];
  page.on("request", (request) => {
    if (request.method() !== "GET") sent.push(request.url());
  });
  await page.locator("input[type=file][multiple]").evaluate((input, size) => {
    const transfer = new DataTransfer();
    const file = new File(["x"], "huge.bin");
    // Not so many bytes, only said to be.
    Object.defineProperty(file, "size", { value: size });
    transfer.items.add(file);
    Object.defineProperty(input, "files", { value: [file], configurable: true });
    input.dispatchEvent(new Event("change", { bubbles: true }));
  }, LIMIT + 1);
  await expect(attached(page).getByRole("alert")).toContainText(/Too large: 100(\.0)? M(i?)B, at most 100(\.0)? M(i?)B/);
  expect(sent).toEqual([]);
  const refused = await server.ask("POST", `/api/v1/sessions/${sessionId(page)}/uploads`, { name: "huge.bin", size: LIMIT + 1 });
  expect(refused.status).toBe(413);
});

test("a larger file is sent in pieces and arrives whole", async ({ open, page }) => {
  const server = await open({ talk: { file: [says("I have your file.")] } });
  const content = Buffer.alloc(9 * 1024 * 1024, "deskhand ");
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Attach files" }).click();
  await (await chooser).setFiles({ name: "nine.bin", mimeType: "application/octet-stream", buffer: content });
  await expect(attached(page)).toContainText("9");
  await say(page, "look at this file");
  await answered(page, "I have your file.");
  const { uploads } = await server.json<{ uploads: { id: string }[] }>("GET", `/api/v1/sessions/${sessionId(page)}/uploads`);
  const link = await server.json<{ url: string }>("POST", "/api/v1/downloads", {
    upload_id: uploads[0]?.id,
    session_id: sessionId(page),
  });
  const back = Buffer.from(await (await server.ask("GET", link.url)).arrayBuffer());
  expect(back.equals(content)).toBe(true);
});

test("a file that a tool wrote is downloaded from the conversation", async ({ open, page }) => {
  await open({ talk: { write: [calls("write_file", { path: "made.txt", content: "made\n" }), says("There it is.")] } });
  await say(page, "write a file");
  await question(page).getByRole("button", { name: "Allow once" }).click();
  await answered(page, "There it is.");
  await page.getByRole("tab", { name: "Files" }).click();
  const file = page.getByRole("tabpanel", { name: "Files" }).getByText("made.txt").first();
  await file.hover();
  const waiting = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download made.txt" }).first().click();
  expect(await readFile(await (await waiting).path(), "utf8")).toBe("made\n");
});
