// What the machine does and what was done on it.
import { answered, question, say } from "./chat";
import { startDisplay } from "./display";
import { calls, says } from "./script";
import { expect, named, test, visit } from "./test";

test("vitals move by themselves", async ({ open, page }) => {
  const server = await open({ talk: {} });
  await visit(page, server, "/views/vitals");
  const chart = page.getByRole("img", { name: /^Memory, now/ });
  await expect(chart).toBeVisible();
  await expect(page.getByRole("img", { name: /^Processor, now \d+ %/ })).toBeVisible();
  // The line of the chart grows with each measurement.
  const line = () => page.getByRole("img", { name: /^Processor, now/ }).innerHTML();
  const first = await line();
  await expect.poll(line).not.toBe(first);
});

test("processes are listed and filtered, and ending one asks first", async ({ open, page }) => {
  const server = await open({ talk: {} });
  await visit(page, server, "/views/processes");
  await page.getByRole("textbox", { name: "Only names that contain…" }).fill("deskhand");
  const rows = page.getByRole("row").filter({ hasText: "deskhand" });
  await expect(rows.first()).toBeVisible();
  await rows.first().getByRole("button", { name: /^End deskhand/ }).click();
  // Deskhand itself is never ended, whatever anyone says; the plan or the refusal comes before anything happens.
  await expect(page.getByRole("dialog")).toBeVisible();
  expect((await server.ask("GET", "/healthz")).status).toBe(200);
});

test("the audit trail has every call, and its chain is verified", async ({ open, page }) => {
  const server = await open({ talk: { list: [calls("list_dir", { path: "." }), says("Looked.")] } });
  await say(page, "list the folder");
  await answered(page, "Looked.");
  await visit(page, server, "/views/audit");
  await expect(page.getByRole("row").filter({ hasText: "list_dir" })).toHaveCount(2);
  await page.getByRole("button", { name: named("Verify now") }).click();
  await expect(page.getByText(/The chain is intact: \d+ records/)).toBeVisible();
  await page.getByRole("textbox", { name: "Tool" }).fill("write_file");
  await expect(page.getByText("No record fits.")).toBeVisible();
});

test("a remembered answer is listed in words and revoked: then it is asked again", async ({ open, page }) => {
  const server = await open({
    talk: { write: [calls("write_file", { path: "a.txt", content: "x\n" }), says("Written.")] },
  });
  await say(page, "write a file");
  await question(page).getByRole("button", { name: "Allow and remember…" }).click();
  await question(page).getByRole("radio", { name: "Always, everywhere" }).check();
  await question(page).getByRole("button", { name: "Allow and remember", exact: true }).click();
  await answered(page, "Written.");
  const conversation = new URL(page.url()).pathname;
  await visit(page, server, "/views/grants");
  await expect(page.getByRole("main")).toContainText("write_file");
  await expect(page.getByRole("main")).toContainText("everywhere");
  await page.getByRole("button", { name: named("Revoke") }).click();
  await page.getByRole("tooltip").or(page.getByRole("dialog")).getByRole("button", { name: named("Revoke") }).click();
  await expect(page.getByText("No answer is remembered.")).toBeVisible();
  await visit(page, server, conversation);
  await say(page, "write a file");
  await expect(question(page)).toBeVisible();
});

test("a background job shows what it prints, while it prints, and is ended", async ({ open, page }) => {
  const server = await open({ mode: "auto" });
  const started = await server.json<{ success: boolean }>("POST", "/api/v1/tools/execute", {
    tool_name: "bash",
    parameters: { command: "for n in $(seq 1 600); do echo tick $n; sleep 0.2; done", background: true },
  });
  expect(started).toMatchObject({ success: true });
  await visit(page, server, "/views/jobs");
  const output = page.getByRole("region", { name: "Output" });
  await expect(output).toContainText("tick 2");
  await expect(output).not.toContainText("tick 600");
  const shown = (await output.innerText()).length;
  await expect.poll(async () => (await output.innerText()).length).toBeGreaterThan(shown);
  await output.getByRole("button", { name: named("End") }).click();
  await page.getByRole("tooltip").or(page.getByRole("dialog")).getByRole("button", { name: named("End") }).click();
  await expect
    .poll(async () => (await server.json<{ processes: { status: string }[] }>("GET", "/api/v1/processes")).processes[0]?.status)
    .not.toBe("running");
});

test("what a turn changed is listed and taken back", async ({ open, page }) => {
  const server = await open({
    mode: "auto",
    files: { "kept.txt": "before\n" },
    talk: {
      write: [
        calls("write_file", { path: "kept.txt", content: "after\n" }),
        calls("write_file", { path: "new.txt", content: "x\n" }),
        says("Written."),
      ],
    },
  });
  await say(page, "write two files");
  await answered(page, "Written.");
  expect(server.read("kept.txt")).toBe("after\n");
  await visit(page, server, "/views/undo");
  const change = page.getByRole("row").or(page.getByRole("listitem")).filter({ hasText: "kept.txt" }).last();
  await change.getByRole("button", { name: named("Take back") }).click();
  // In this mode nothing that can be taken back is asked about, and an undo can itself be taken back.
  await expect.poll(() => server.read("kept.txt")).toBe("before\n");
  expect(server.has("new.txt")).toBe(true);
});

test("a file is searched by content and by name", async ({ open, page }) => {
  const server = await open({ files: { "src/a.rs": "fn main() {}\n// TODO: 修理\n", "notes.txt": "nothing\n" } });
  await visit(page, server, "/views/search");
  await page.getByRole("textbox", { name: "Text or regular expression" }).fill("TODO");
  await page.getByRole("button", { name: named("Search") }).click();
  await expect(page.getByText("1 line in 1 file")).toBeVisible();
  await expect(page.getByRole("main")).toContainText("修理");
});

test("a tool that this machine lacks is said to be missing, with the reason", async ({ open, page }) => {
  const server = await open({});
  await visit(page, server, "/views/windows");
  await expect(page.getByRole("main")).toContainText(/list_windows|desktop|display/i);
  await expect(page.getByRole("main")).not.toContainText("Something went wrong");
});

test("a screenshot is taken after one confirmation, seen, and saved in the workspace", async ({ open, page }) => {
  const display = await startDisplay();
  try {
    const server = await open({ environment: { DISPLAY: display.name } });
    await visit(page, server, "/views/screenshots");
    await page.getByRole("button", { name: named("Take a screenshot") }).click();
    const dialog = page.getByRole("dialog", { name: "Take a screenshot" });
    await expect(dialog).toContainText("screenshot_1.png");
    await dialog.getByRole("button", { name: named("Yes, run it") }).click();
    await expect(question(page)).toContainText("Share this screenshot result?");
    await expect(question(page).getByRole("img")).toBeVisible();
    expect(server.has("screenshots/screenshot_1.png")).toBe(false);
    await question(page).getByRole("button", { name: /^Share/ }).click();
    await expect(page.getByRole("figure")).toContainText("screenshots/screenshot_1.png");
    expect(server.has("screenshots/screenshot_1.png")).toBe(true);
    // By the form of the tool as well, and the next one has the next name.
    await visit(page, server, "/tools/screenshot");
    await page.getByRole("button", { name: named("Run") }).click();
    await page.getByRole("region", { name: "Run this?" }).getByRole("button", { name: "Yes, run it" }).click();
    await question(page).getByRole("button", { name: /^Share/ }).click();
    await expect(page.getByRole("region", { name: "Outcome" })).toContainText("Done");
    expect(server.has("screenshots/screenshot_2.png")).toBe(true);
  } finally {
    await display.stop();
  }
});
