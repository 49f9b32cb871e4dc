// What stays of a step: its details after a reload, undo on the step and on the turn, a question that is asked again.
import type { Locator, Page } from "@playwright/test";

import { answered, answers, question, said, say } from "./chat";
import { calls, says } from "./script";
import { expect, named, test, visit } from "./test";

const write = (path: string, content = "written\n") => calls("write_file", { path, content });
const steps = (page: Page): Locator => answers(page).last().locator("ol > li");

/** What a step shows when it is unfolded, with its plan and its arguments. */
async function unfolded(step: Locator): Promise<string> {
  await step.getByRole("button", { expanded: false }).first().click();
  for (const name of ["Plan", "Arguments"]) await step.getByRole("button", { name: named(name) }).click();
  return (await step.innerText()).replace(/\s+/g, " ");
}

test("a reload keeps each step's diff, plan, table and who allowed it", async ({ open, page }) => {
  await open({
    files: { "notes.txt": "milk\n", "b.txt": "22" },
    talk: {
      work: [
        calls("edit_file", { path: "notes.txt", old_text: "milk", new_text: "oat milk" }),
        write("remembered.txt"),
        calls("list_dir", { path: "." }),
        says("All is done."),
      ],
    },
  });
  await say(page, "work on it");
  await question(page).getByRole("button", { name: "Allow once" }).click();
  await expect(question(page)).toContainText("remembered.txt");
  await question(page).getByRole("button", { name: "Allow and remember…" }).click();
  await question(page).getByRole("button", { name: "Allow and remember", exact: true }).click();
  await answered(page, "All is done.");

  const look = async () => {
    await expect(steps(page)).toHaveCount(3);
    const texts: string[] = [];
    for (const step of await steps(page).all()) texts.push(await unfolded(step));
    return texts;
  };
  const live = await look();
  expect(live[0]).toContain("Allowed by you on this page.");
  expect(live[0]).toContain("oat milk");
  expect(live[0]).toContain("+1 −1");
  expect(live[0]).toContain("can be undone");
  expect(live[0]).toContain("Decided by you on this page");
  expect(live[1]).toContain("The answer is remembered.");
  expect(live[2]).toContain("Decided by the permission rules");
  await expect(steps(page).nth(2).getByRole("cell", { name: "b.txt" })).toBeVisible();

  await page.reload();
  await answered(page, "All is done.");
  expect(await look()).toEqual(live);
  await expect(steps(page).nth(2).getByRole("cell", { name: "b.txt" })).toBeVisible();
});

test("what was shown for the person alone is gone after its answer, also after a reload", async ({ open, page }) => {
  await open({
    config: "[tools.read_file]\nrequires_result_approval = true\n",
    files: { "notes.txt": "the word is swordfish\n" },
    talk: { read: [calls("read_file", { path: "notes.txt" }), says("I did not see it.")] },
  });
  await say(page, "read the notes");
  await expect(question(page)).toContainText("swordfish");
  await question(page).getByRole("button", { name: /^Withhold…/ }).click();
  await question(page).getByRole("button", { name: "Withhold", exact: true }).click();
  await answered(page, "I did not see it.");
  await page.reload();
  await answered(page, "I did not see it.");
  const step = steps(page).first();
  await expect(step).toContainText("Withheld by you on this page.");
  await unfolded(step);
  await expect(step).not.toContainText("swordfish");
});

test("a step and a turn are undone where they stand, and a reload knows it", async ({ open, page }) => {
  const server = await open({
    mode: "auto",
    files: { "a.txt": "old\n" },
    talk: { write: [write("a.txt"), write("b.txt"), says("Both are written.")] },
  });
  await say(page, "write two files");
  await answered(page, "Both are written.");
  const turn = answers(page).last();
  await expect(turn.getByText("2 files changed")).toBeVisible();
  await expect(steps(page).first()).toContainText("1 file changed");
  await steps(page).first().getByRole("button", { name: named("Undo") }).click();
  await expect(steps(page).first()).toContainText("Undone");
  expect(server.read("a.txt")).toBe("old\n");
  expect(server.has("b.txt")).toBe(true);
  await expect(turn).toContainText("1 of 2 changes undone");

  await page.reload();
  await answered(page, "Both are written.");
  await expect(steps(page).first()).toContainText("Undone");
  await expect(steps(page).nth(1).getByRole("button", { name: named("Undo") })).toBeVisible();
  await turn.getByRole("button", { name: named("Undo") }).last().click();
  const asked = page.getByRole("tooltip");
  await expect(asked).toContainText("b.txt");
  await asked.getByRole("button", { name: "Undo" }).click();
  await expect(turn.getByText("Undone")).toHaveCount(3);
  expect(server.has("b.txt")).toBe(false);
  await page.reload();
  await expect(turn.getByText("Undone")).toHaveCount(3);
  await expect(turn.getByRole("button", { name: named("Undo") })).toHaveCount(0);
});

test("a file that was changed since is not undone, and the step says why", async ({ open, page }) => {
  const server = await open({ mode: "auto", files: { "a.txt": "old\n" }, talk: { write: [write("a.txt"), says("Written.")] } });
  await say(page, "write a file");
  await answered(page, "Written.");
  server.write("a.txt", "changed by hand\n");
  await steps(page).first().getByRole("button", { name: named("Undo") }).click();
  const refused = steps(page).first().getByRole("alert");
  await expect(refused).toContainText("Not undone");
  await expect(refused).toContainText("a.txt");
  expect(server.read("a.txt")).toBe("changed by hand\n");
  await expect(steps(page).first().getByRole("button", { name: named("Undo") })).toBeVisible();
});

const SOON = "approval_timeout_s = 4\n";

test("an expired question is asked again with one click, and runs on the new answer alone", async ({ open, page }) => {
  const server = await open({
    config: SOON,
    talk: {
      create: [write("a.txt"), says("Nobody answered.")],
      "Ask me again": [says("unused"), says("Now it is written.", { expect: "a.txt" })],
    },
  });
  await say(page, "create a file");
  await answered(page, "Nobody answered.");
  await expect(answers(page).last()).toContainText("Not answered in time");
  await page.reload();
  await answered(page, "Nobody answered.");
  await page.getByRole("button", { name: named("Ask again") }).click();
  await question(page).getByRole("button", { name: "Allow once" }).click();
  await answered(page, "Now it is written.");
  await expect(said(page).last()).toContainText("Ask me again: write_file");
  expect(server.read("a.txt")).toBe("written\n");
  await expect(page.getByRole("button", { name: named("Ask again") })).toHaveCount(0);
});

test("in the console, too, a question whose time is up is asked again", async ({ open, page }) => {
  const server = await open({ config: SOON });
  await visit(page, server, "/tools/write_file");
  await page.getByRole("textbox", { name: /^path/ }).fill("a.txt");
  await page.getByRole("textbox", { name: /^content/ }).fill("by hand\n");
  await page.getByRole("button", { name: named("Run") }).click();
  const asked = page.getByRole("region", { name: "Run this?" });
  await expect(asked.getByText("Time is up: nothing ran.")).toBeVisible();
  await expect(asked.getByRole("button", { name: "Yes, run it" })).toHaveCount(0);
  await asked.getByRole("button", { name: named("Ask again") }).click();
  await asked.getByRole("button", { name: "Yes, run it" }).click();
  await expect(page.getByRole("region", { name: "Outcome" })).toContainText("Done");
  expect(server.read("a.txt")).toBe("by hand\n");
});
