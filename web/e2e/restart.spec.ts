// The server goes away and comes back.
import { answered, answers, messages, question, said, say, sender, sessionId, times } from "./chat";
import { calls, says, sentences, slowly } from "./script";
import { expect, test } from "./test";

// The browser itself writes these lines about requests to a server that is not there.
const GONE = /ERR_CONNECTION|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE_CHUNKED|ERR_NETWORK|status of 503/;

test("killed in the middle of a turn: the page says so, comes back by itself, nothing is doubled or lost", async ({
  open,
  page,
  watch,
}) => {
  watch.allow(GONE);
  const server = await open({
    files: { "notes.txt": "milk\n" },
    talk: {
      story: [calls("read_file", { path: "notes.txt" }, { text: "First I read. " }), slowly(sentences(400), 40)],
      next: [says("All is well again.")],
    },
  });
  await say(page, "tell a story");
  await expect(answers(page).last()).toContainText("Sentence 5 of 400.");
  await server.kill();
  await expect(page.getByText("The server is gone. Reconnecting…")).toBeVisible();
  await expect(answers(page).last()).toContainText("Sentence 5 of 400.");
  await sender(page).fill("next, please");
  await server.startAgain();
  await expect(page.getByText("The server is gone. Reconnecting…")).toBeHidden({ timeout: 40_000 });
  await expect(answers(page).last()).toHaveAttribute("aria-busy", "false");
  await expect(answers(page).last().getByRole("alert")).toBeVisible();
  const log = page.getByRole("log");
  await expect(log).toContainText("Sentence 5 of 400.");
  const shown = await log.innerText();
  expect(times(shown, "Sentence 5 of 400.")).toBe(1);
  expect(times(shown, "First I read.")).toBe(1);
  expect(times(shown, "tell a story")).toBe(1);
  await expect(answers(page)).toHaveCount(1);
  expect((await messages(server, sessionId(page))).map(({ role, metadata }) => [role, metadata.outcome])).toEqual([
    ["user", undefined],
    ["assistant", "failed"],
  ]);
  // What was written meanwhile is still there, and the conversation goes on.
  await expect(sender(page)).toHaveValue("next, please");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await answered(page, "All is well again.");
});

test("sending while the server is away keeps the text", async ({ open, page, watch }) => {
  watch.allow(GONE);
  const server = await open({ talk: { hello: [says("Hello.")], still: [says("Still here.")] } });
  await say(page, "hello");
  await answered(page, "Hello.");
  await server.kill();
  await sender(page).fill("are you still there?");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await expect(page.getByText("The server is gone. Reconnecting…")).toBeVisible();
  await expect(sender(page)).toHaveValue("are you still there?");
  await server.startAgain();
  await expect(page.getByText("The server is gone. Reconnecting…")).toBeHidden({ timeout: 40_000 });
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await answered(page, "Still here.");
  await expect(said(page)).toHaveCount(2);
});

test("nothing that was allowed runs again after a restart, and a question that waited is gone", async ({ open, page, watch }) => {
  watch.allow(GONE);
  const server = await open({
    talk: {
      append: [
        calls("write_file", { path: "log.txt", content: "once\n", mode: "append" }),
        calls("write_file", { path: "other.txt", content: "never\n" }),
        says("Done."),
      ],
    },
  });
  await say(page, "append a line");
  await question(page).getByRole("button", { name: "Allow once" }).click();
  await expect(question(page)).toContainText("other.txt");
  await server.kill();
  await server.startAgain();
  await expect(question(page)).toHaveCount(0, { timeout: 40_000 });
  await expect(page.getByRole("button", { name: "No approvals pending" })).toBeVisible();
  expect(server.read("log.txt")).toBe("once\n");
  expect(server.has("other.txt")).toBe(false);
});
