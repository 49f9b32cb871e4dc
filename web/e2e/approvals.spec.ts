// Questions in the conversation: every answer there is, and what comes of it.
import type { Locator, Page } from "@playwright/test";

import { answered, answers, question, say } from "./chat";
import { calls, says } from "./script";
import { expect, named, test, visit } from "./test";

const write = (path: string, content = "written\n") => calls("write_file", { path, content });

test("allow once: the plan is shown, it runs after the yes, the next call is asked again", async ({ open, page }) => {
  const server = await open({
    files: { "a.txt": "before\n" },
    talk: { write: [write("a.txt", "after\n"), write("b.txt"), says("Both are written.")] },
  });
  await say(page, "write two files");
  await expect(question(page)).toContainText("May write_file run?");
  await expect(question(page)).toContainText("a.txt");
  await expect(question(page)).toContainText("before");
  await expect(question(page)).toContainText("after");
  expect(server.read("a.txt")).toBe("before\n");
  await question(page).getByRole("button", { name: "Allow once" }).click();
  await expect(question(page)).toContainText("b.txt");
  expect(server.read("a.txt")).toBe("after\n");
  expect(server.has("b.txt")).toBe(false);
  await question(page).getByRole("button", { name: "Allow once" }).click();
  await answered(page, "Both are written.");
  expect(server.has("b.txt")).toBe(true);
});

test("allow for the session: a second call of the kind is not asked", async ({ open, page }) => {
  const server = await open({ talk: { write: [write("a.txt"), write("b.txt"), says("Both are written.")] } });
  await say(page, "write two files");
  await question(page).getByRole("button", { name: "Allow and remember…" }).click();
  await question(page).getByRole("radio", { name: /write_file on anything in the folder/ }).check();
  await question(page).getByRole("radio", { name: "This conversation" }).check();
  await expect(question(page)).toContainText("Runs without asking in this conversation: write_file on anything in the folder");
  await question(page).getByRole("button", { name: "Allow and remember", exact: true }).click();
  await answered(page, "Both are written.");
  expect(server.has("a.txt") && server.has("b.txt")).toBe(true);
  await expect(answers(page).last()).toContainText("The answer is remembered.");
});

test("deny with a reason: nothing runs, and the model reads the reason", async ({ open, page }) => {
  const server = await open({
    talk: { write: [write("a.txt"), says("Then I shall use the drafts folder.", { expect: "put it under drafts/" })] },
  });
  await say(page, "write a file");
  await question(page).getByRole("button", { name: /^Deny…/ }).click();
  await question(page).getByRole("textbox", { name: "Reason" }).fill("put it under drafts/");
  await question(page).getByRole("button", { name: "Deny", exact: true }).click();
  await answered(page, "Then I shall use the drafts folder.");
  await expect(answers(page).last()).toContainText("Reason: put it under drafts/");
  expect(server.has("a.txt")).toBe(false);
});

test("the arguments are edited: what the person wrote is asked about again and runs", async ({ open, page }) => {
  const server = await open({ talk: { write: [write("a.txt", "model\n"), says("Done.")] } });
  await say(page, "write a file");
  await question(page).getByRole("button", { name: /^Edit/ }).click();
  await question(page).getByRole("textbox", { name: "content" }).fill("person\n");
  await question(page).getByRole("textbox", { name: "path" }).fill("b.txt");
  await question(page).getByRole("button", { name: "Use these arguments" }).click();
  const allow = question(page).getByRole("button", { name: "Allow once" });
  await expect(question(page)).toContainText("b.txt");
  await allow.click();
  await answered(page, "Done.");
  expect(server.has("a.txt")).toBe(false);
  expect(server.read("b.txt")).toBe("person\n");
});

const LOOKED_AT = "[tools.read_file]\nrequires_result_approval = true\n";

test("a result is edited: the model sees what the person left", async ({ open, page }) => {
  await open({
    config: LOOKED_AT,
    files: { "notes.txt": "the password is swordfish\n" },
    talk: { read: [calls("read_file", { path: "notes.txt" }), says("It says nothing secret.", { expect: "the password is ***" })] },
  });
  await say(page, "read the notes");
  await expect(question(page)).toContainText("May the model see this result of read_file?");
  await expect(question(page)).toContainText("the password is swordfish");
  await question(page).getByRole("button", { name: /^Edit/ }).click();
  const text = question(page).getByRole("textbox", { name: "Result" });
  await text.fill((await text.inputValue()).replace("swordfish", "***"));
  await question(page).getByRole("button", { name: "Pass on the edited text" }).click();
  await answered(page, "It says nothing secret.");
});

test("a result is withheld: the model only learns that, and why", async ({ open, page }) => {
  await open({
    config: LOOKED_AT,
    files: { "notes.txt": "the password is swordfish\n" },
    talk: { read: [calls("read_file", { path: "notes.txt" }), says("I did not see it.", { expect: "not for you" })] },
  });
  await say(page, "read the notes");
  await question(page).getByRole("button", { name: /^Withhold…/ }).click();
  await question(page).getByRole("textbox", { name: "Reason" }).fill("not for you");
  await question(page).getByRole("button", { name: "Withhold", exact: true }).click();
  await answered(page, "I did not see it.");
});

/** Until it is heard. */
async function press(page: Page, key: string, shows: Locator): Promise<void> {
  await expect(async () => {
    await page.getByRole("log").focus();
    await page.keyboard.press(key);
    await expect(shows).toBeVisible({ timeout: 500 });
  }).toPass();
}

test("the keyboard answers: d denies, e edits, Escape and Back return, a allows", async ({ open, page }) => {
  const server = await open({ talk: { write: [write("a.txt"), says("Done.")] } });
  await say(page, "write a file");
  await expect(question(page)).toBeVisible();
  // While a text field has the focus, letters are letters.
  await page.keyboard.type("a");
  await expect(question(page)).toBeVisible();
  // In the first moment no key counts.
  await press(page, "d", question(page).getByRole("textbox", { name: "Reason" }));
  await expect(question(page).getByRole("textbox", { name: "Reason" })).toBeFocused();
  await page.keyboard.press("Escape");
  await press(page, "e", question(page).getByRole("button", { name: "Use these arguments" }));
  await question(page).getByRole("button", { name: "Back" }).click();
  await press(page, "a", page.getByText("Allowed by"));
  await answered(page, "Done.");
  expect(server.has("a.txt")).toBe(true);
});

test("one press of a key answers one of two questions", async ({ open, page }) => {
  const files = ["first.txt", "second.txt"].map((path) => ({ name: "write_file", arguments: { path, content: "written\n" } }));
  const server = await open({ talk: { write: [{ calls: files }, says("Both are written.")] } });
  await say(page, "write two files at once");
  await expect(question(page)).toHaveCount(2);
  await page.getByRole("log").focus();
  let sent = 0;
  page.on("request", (request) => {
    if (request.method() === "POST" && request.url().includes("/api/v1/approvals/")) sent += 1;
  });
  // In the first moment no key counts, and the first press may only bring the question into view.
  const pressOnce = async () => {
    if (sent === 0) await page.keyboard.press("a");
    return sent;
  };
  await expect.poll(pressOnce, { intervals: [200] }).toBe(1);
  await expect(page.getByText("Allowed by")).toHaveCount(1);
  // Calls of one reply are planned side by side: either may be asked about first.
  const written = () => ["first.txt", "second.txt"].filter((name) => server.has(name));
  await expect.poll(() => written().length).toBe(1);
  expect(sent).toBe(1);
  await expect(question(page)).toHaveCount(1);
  await question(page).getByRole("button", { name: "Allow once" }).click();
  await answered(page, "Both are written.");
  expect(written()).toHaveLength(2);
});

test("what waits is counted on every page, and found from there", async ({ open, page, context }) => {
  const server = await open({ talk: { write: [write("a.txt"), says("Done.")] } });
  const other = await context.newPage();
  await visit(other, server, "/tools");
  await expect(other.getByRole("button", { name: "No approvals pending" })).toBeVisible();
  await say(page, "write a file");
  const bell = other.getByRole("button", { name: "1 approval pending" });
  await expect(bell).toBeVisible();
  await bell.click();
  await other.getByRole("button", { name: /^write_file/ }).click();
  await expect(other).toHaveURL(/\/s\//);
  await question(other).getByRole("button", { name: "Allow once" }).click();
  await expect(other.getByRole("button", { name: "No approvals pending" })).toBeVisible();
  await answered(page, "Done.");
});

test("stop while a question waits withdraws it, and nothing runs", async ({ open, page }) => {
  const server = await open({ talk: { write: [write("a.txt"), says("Done.")] } });
  await say(page, "write a file");
  await expect(question(page)).toBeVisible();
  await page.getByRole("button", { name: named("Stop") }).click();
  await answered(page, "Stopped by you.");
  await expect(question(page)).toHaveCount(0);
  expect(server.has("a.txt")).toBe(false);
});
