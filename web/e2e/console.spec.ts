// Tools by hand, without any model: form, plan, question, outcome, undo.
import { expect, named, test, visit } from "./test";

test("a tool is found, planned, confirmed, run and taken back", async ({ open, page }) => {
  const server = await open({ files: { "notes.txt": "old\n" } });
  await visit(page, server, "/tools");
  await page.getByRole("textbox", { name: "Search by name, purpose or keyword" }).fill("写入");
  await page.getByRole("link", { name: /^write_file/ }).click();
  await page.getByRole("textbox", { name: /^path/ }).fill("notes.txt");
  await page.getByRole("textbox", { name: /^content/ }).fill("new\n");
  await page.getByRole("button", { name: named("Show the plan") }).click();
  const plan = page.getByRole("region", { name: "Plan" });
  await expect(plan).toContainText("you are asked");
  await expect(plan).toContainText("notes.txt");
  await expect(plan).toContainText("can be taken back");
  await expect(plan).toContainText("-old");
  expect(server.read("notes.txt")).toBe("old\n");

  await page.getByRole("button", { name: named("Run") }).click();
  const question = page.getByRole("region", { name: "Run this?" });
  await expect(question).toBeVisible();
  expect(server.read("notes.txt")).toBe("old\n");
  await question.getByRole("button", { name: "No", exact: true }).click();
  await expect(page.getByText("Not run.")).toBeVisible();
  expect(server.read("notes.txt")).toBe("old\n");

  await page.getByRole("button", { name: named("Run") }).click();
  await question.getByRole("button", { name: "Yes, run it" }).click();
  const outcome = page.getByRole("region", { name: "Outcome" });
  await expect(outcome).toContainText("Done");
  expect(server.read("notes.txt")).toBe("new\n");
  await outcome.getByRole("button", { name: named("Undo") }).click();
  await page.getByRole("dialog", { name: "Undo" }).getByRole("button", { name: named("Undo") }).click();
  await expect.poll(() => server.read("notes.txt")).toBe("old\n");
});

test("a tool that only reads runs without a question, its data stands in a table", async ({ open, page }) => {
  const server = await open({ files: { "a.txt": "1", "b.txt": "22" } });
  await visit(page, server, "/tools/list_dir");
  await page.getByRole("textbox", { name: /^path/ }).fill(".");
  await page.getByRole("button", { name: named("Run") }).click();
  const outcome = page.getByRole("region", { name: "Outcome" });
  await expect(outcome).toContainText("Done");
  await outcome.getByRole("tab", { name: "Data" }).click();
  await expect(outcome.getByRole("cell", { name: "a.txt" })).toBeVisible();
  await expect(outcome.getByRole("cell", { name: "b.txt" })).toBeVisible();
});

test("the form says what is missing, and JSON and form hold the same", async ({ open, page }) => {
  const server = await open({});
  await visit(page, server, "/tools/write_file");
  await page.getByRole("button", { name: named("Run") }).click();
  await expect(page.getByText("This is required.").first()).toBeVisible();
  await page.getByRole("textbox", { name: /^path/ }).fill("x.txt");
  await page.getByRole("textbox", { name: /^content/ }).fill("text");
  await page.getByText("JSON", { exact: true }).click();
  const raw = page.getByRole("region", { name: "Arguments" }).getByRole("textbox");
  expect(JSON.parse(await raw.inputValue())).toEqual({ path: "x.txt", content: "text" });
  await raw.fill('{"path": "y.txt", "content": "other"}');
  await page.getByText("Form", { exact: true }).click();
  await expect(page.getByRole("textbox", { name: /^path/ })).toHaveValue("y.txt");
});

test("what is forbidden is refused with the reason, whatever anyone says", async ({ open, page }) => {
  const server = await open({});
  await visit(page, server, "/tools/bash");
  await page.getByRole("textbox", { name: /^command/ }).fill("mkfs.ext4 /dev/no-such-disk");
  await page.getByRole("button", { name: named("Run") }).click();
  await expect(page.getByRole("region", { name: "Outcome" })).toContainText("Blocked");
  await expect(page.getByRole("button", { name: "Yes, run it" })).toHaveCount(0);
});
