// Saying something and what comes of it.
import { answered, answers, messages, question, said, say, sender, sessionId, times } from "./chat";
import { FakeProvider } from "./provider";
import { calls, says, sentences, slowly } from "./script";
import { expect, named, test, visit } from "./test";

test("a new conversation: the first message makes it, names it and is answered", async ({ open, page }) => {
  const server = await open({ talk: { weather: [says("It is **sunny**, with `code` and a table:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n")] } });
  await say(page, "How is the weather?");
  await answered(page, "It is sunny");
  await expect(page).toHaveURL(/\/s\/[0-9a-f-]+$/);
  await expect(answers(page).locator("strong", { hasText: "sunny" })).toBeVisible();
  await expect(answers(page).getByRole("cell", { name: "2" })).toBeVisible();
  await expect(page.getByRole("link", { name: /How is the weather\?/ })).toBeVisible();
  expect((await messages(server, sessionId(page))).map(({ role }) => role)).toEqual(["user", "assistant"]);
  await expect(sender(page)).toBeFocused();
  await page.getByRole("button", { name: named("New conversation") }).click();
  await expect(page).toHaveURL(/\/$/);
  await expect(said(page)).toHaveCount(0);
});

test("Enter sends, Shift+Enter begins a line, and a draft is kept", async ({ open, page }) => {
  await open({ talk: { line: [says("Two lines, I see.")] } });
  await sender(page).click();
  await page.keyboard.type("line one");
  await page.keyboard.press("Shift+Enter");
  await page.keyboard.type("line two");
  await expect(sender(page)).toHaveValue("line one\nline two");
  await page.reload();
  await expect(sender(page)).toHaveValue("line one\nline two");
  await sender(page).focus();
  await page.keyboard.press("Enter");
  await answered(page, "Two lines, I see.");
  await expect(sender(page)).toHaveValue("");
});

test("an answer streams: its text appears in pieces, each once", async ({ open, page }) => {
  const text = sentences(40);
  await open({ talk: { count: [slowly(text, 25)] } });
  await say(page, "Please count");
  const seen = new Set<number>();
  await expect
    .poll(
      async () => {
        const shown = (await answers(page).last().innerText().catch(() => "")) || "";
        seen.add(times(shown, "Sentence"));
        return shown.includes("Sentence 40 of 40.");
      },
      { intervals: [50], timeout: 40_000 },
    )
    .toBe(true);
  expect(seen.size, `seen so far: ${[...seen].join(", ")}`).toBeGreaterThan(4);
  await answered(page, "Sentence 40 of 40.");
  expect(times(await answers(page).last().innerText(), "Sentence")).toBe(40);
});

test("thoughts and steps are folded, and unfold to what was done", async ({ open, page }) => {
  await open({
    files: { "notes.txt": "milk\nbread\n" },
    talk: {
      need: [calls("read_file", { path: "notes.txt" }, { thoughts: "The notes will say." }), says("Milk and bread.", { expect: "bread" })],
    },
  });
  await say(page, "What do we need?");
  await answered(page, "Milk and bread.");
  const answer = answers(page).last();
  await expect(answer.getByText("The notes will say.")).toBeHidden();
  await answer.getByRole("button", { name: /^Thought/ }).click();
  await expect(answer.getByText("The notes will say.")).toBeVisible();
  const step = answer.getByRole("button", { name: /read_file/ });
  await expect(step).toHaveAttribute("aria-expanded", "false");
  await step.click();
  await expect(step).toHaveAttribute("aria-expanded", "true");
  await expect(answer.getByRole("listitem").filter({ hasText: "read_file" })).toContainText("bread");
  await expect(answer).toContainText("notes.txt");
});

test("what a command prints is shown while it runs", async ({ open, page }) => {
  await open({
    mode: "auto",
    talk: {
      // It ends only when it is stopped.
      build: [calls("bash", { command: "echo line 1; while :; do sleep 0.1; done" }), says("Built.")],
    },
  });
  await say(page, "build it");
  const answer = answers(page).last();
  await expect(answer).toContainText("line 1");
  await page.getByRole("button", { name: named("Stop") }).click();
  await answered(page, "Stopped by you.");
});

test("stop ends the turn and says so; the next message works", async ({ open, page }) => {
  const server = await open({ talk: { long: [slowly(sentences(300), 50)], again: [says("Here I am.")] } });
  await say(page, "a long story");
  await expect(answers(page).last()).toContainText("Sentence 2 of 300.");
  await page.getByRole("button", { name: named("Stop") }).click();
  await answered(page, "Stopped by you.");
  const shown = await answers(page).last().innerText();
  expect(shown).not.toContain("Sentence 299");
  expect((await messages(server, sessionId(page))).at(-1)?.metadata.outcome).toBe("cancelled");
  await say(page, "and again");
  await answered(page, "Here I am.");
});

test("a message is edited in a copy; the conversation as it was stays", async ({ open, page }) => {
  const server = await open({ talk: { first: [says("One.")], second: [says("Two.")], other: [says("Another way.")] } });
  await say(page, "the first thing");
  await answered(page, "One.");
  await say(page, "the second thing");
  await answered(page, "Two.");
  const before = sessionId(page);
  const message = said(page).last();
  await message.hover();
  await message.getByRole("button", { name: "Edit in a copy of the conversation" }).click();
  const editor = page.getByRole("log").getByRole("textbox");
  await expect(editor).toHaveValue("the second thing");
  await editor.fill("the other thing");
  await page.getByRole("button", { name: "Send in a copy" }).click();
  await answered(page, "Another way.");
  expect(sessionId(page)).not.toBe(before);
  await expect(page.getByRole("log")).not.toContainText("the second thing");
  expect((await messages(server, sessionId(page))).map(({ content }) => content)).toEqual([
    "the first thing",
    "One.",
    "the other thing",
    "Another way.",
  ]);
  expect((await messages(server, before)).map(({ content }) => content)).toEqual([
    "the first thing",
    "One.",
    "the second thing",
    "Two.",
  ]);
});

test("an answer that is finished while the page is still reading is whole", async ({ open, page }) => {
  const server = await open({ talk: { slow: [slowly("One and two and three and four and five and six.", 400)] } });
  // Where the turn stands is told late: when it is over, and the messages were read while it ran.
  await page.route(/\/api\/v1\/sessions\/[^/?]+$/, async (route) => {
    if (route.request().method() !== "GET") return route.continue();
    await expect(answers(page)).toBeVisible();
    await expect(answers(page)).not.toContainText("six");
    const id = new URL(route.request().url()).pathname.split("/").at(-1) ?? "";
    await expect.poll(async () => (await messages(server, id)).at(-1)?.metadata.outcome).toBe("completed");
    return route.continue();
  });
  await say(page, "a slow one");
  await answered(page, "One and two and three and four and five and six.");
  await page.unrouteAll({ behavior: "ignoreErrors" });
});

test("a message is tried again in a copy", async ({ open, page }) => {
  const server = await open({ talk: { dice: [says("Four.")] } });
  await say(page, "roll the dice");
  await answered(page, "Four.");
  const before = sessionId(page);
  await said(page).last().hover();
  await said(page).last().getByRole("button", { name: "Try again in a copy of the conversation" }).click();
  await expect(page).not.toHaveURL(new RegExp(before));
  await answered(page, "Four.");
  expect(await messages(server, sessionId(page))).toHaveLength(2);
});

test("a model that fails is told with its reason, and tried again", async ({ open, page }) => {
  await open({
    talk: { key: [{ error: { class: "auth", message: "Incorrect API key provided.", status: 401 } }] },
  });
  await say(page, "use the key");
  const failure = answers(page).last().getByRole("alert");
  await expect(failure).toContainText("The provider refused the key");
  await expect(failure).toContainText("Incorrect API key provided.");
  await expect(failure.getByRole("link", { name: "Models and keys" })).toBeVisible();
  await failure.getByRole("button", { name: "Try again" }).click();
  await expect(answers(page)).toHaveCount(2);
  await expect(said(page)).toHaveCount(1);
});

test("an answer that breaks off stays, marked as incomplete; trying again brings the whole, and one message", async ({ open, page }) => {
  const provider = await FakeProvider.start("the-key");
  try {
    provider.breakOffAfter("Half of the ans");
    const server = await open({ environment: { OPENAI_BASE_URL: provider.baseUrl, OPENAI_API_KEY: "the-key" } });
    await say(page, "Explain everything");
    await answered(page, "Half of the ans");
    await expect(answers(page)).toContainText("This answer is incomplete");
    provider.answerWell();
    await page.reload();
    await expect(answers(page)).toContainText("This answer is incomplete");
    await answers(page).last().getByRole("button", { name: "Try again" }).click();
    const shown = async () => {
      await answered(page, "Yes.");
      await expect(said(page)).toHaveCount(1);
      await expect(answers(page)).toHaveCount(2);
      await expect(answers(page).first()).toContainText("Half of the ans");
      await expect(answers(page).last()).not.toContainText("incomplete");
      await expect(page.getByRole("button", { name: "Try again", exact: true })).toHaveCount(0);
    };
    await shown();
    await page.reload();
    await shown();
    expect((await messages(server, sessionId(page))).map(({ role }) => role)).toEqual(["user", "assistant", "assistant"]);
    expect(times(provider.bodies.at(-1) ?? "", "Explain everything")).toBe(1);
  } finally {
    await provider.stop();
  }
});

test("an answer never brings scripts, foreign pictures or dangerous links into the page", async ({ open, page }) => {
  const text = [
    "<img src=x onerror=\"document.title='broken in'\"><script>document.title='broken in'</script>",
    "[click](javascript:document.title='broken-in') ![picture](https://example.com/seen.png) [fine](https://example.com/)",
  ].join("\n\n");
  await open({ talk: { attack: [says(text)] } });
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await say(page, "attack me");
  await answered(page, "fine");
  const answer = answers(page).last();
  await expect(answer.locator("script, img[src^='http'], img[src='x'], a[href^='javascript']")).toHaveCount(0);
  await expect(answer.getByRole("link", { name: "fine" })).toHaveAttribute("rel", /noopener/);
  expect(asked.filter((url) => url.includes("example.com"))).toEqual([]);
  expect(await page.title()).not.toContain("broken");
});

test("two pages on one session see the same, and an answer on one settles the other", async ({ open, page, context }) => {
  const server = await open({
    talk: { write: [calls("write_file", { path: "a.txt", content: "x\n" }), slowly("It is written now, as you wished.", 30)] },
  });
  await say(page, "write a file");
  await expect(question(page)).toBeVisible();
  const other = await context.newPage();
  await visit(other, server, new URL(page.url()).pathname);
  await expect(said(other)).toContainText("write a file");
  await expect(question(other)).toBeVisible();
  await question(other).getByRole("button", { name: "Allow once" }).click();
  await expect(question(page)).toHaveCount(0);
  await expect(page.getByRole("log")).toContainText("Answered elsewhere.");
  await answered(page, "It is written now, as you wished.");
  await answered(other, "It is written now, as you wished.");
  expect(times(await other.getByRole("log").innerText(), "It is written now")).toBe(1);
  await say(other, "write a file");
  await expect(said(page)).toHaveCount(2);
});
