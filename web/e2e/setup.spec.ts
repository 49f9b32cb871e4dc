// The first run: no model yet, a key that is refused, one that works, the demo.
import { answered, question, said, say, sessionId } from "./chat";
import { FakeProvider } from "./provider";
import { expect, named, test, visit } from "./test";

test("without a model the page begins with the set-up, and can be used all the same", async ({ open, page }) => {
  await open();
  await expect(page).toHaveURL(/\/setup$/);
  await expect(page.getByRole("heading", { name: "Welcome to Deskhand" })).toBeVisible();
  await expect(page.getByRole("button", { name: /^OpenAI/ })).toBeVisible();
  await expect(page.getByRole("button", { name: /Ollama/ })).toBeVisible();
  await page.getByRole("button", { name: /Go on without a model/ }).click();
  await expect(page).toHaveURL(/\/tools$/);
  await expect(page.getByRole("link", { name: /^list_dir/ })).toBeVisible();
});

test("without a model the conversation says so and leads to the set-up", async ({ serve, page, context }) => {
  const server = await serve();
  await context.addInitScript(() => localStorage.setItem("deskhand.setup", "passed"));
  await page.goto(server.openUrl);
  await page.getByRole("main").getByRole("link", { name: /set up|choose a model/i }).first().click();
  await expect(page).toHaveURL(/\/setup$/);
});

test("a key that is refused is told as such; one that works is kept and used", async ({ open, page, context }) => {
  const provider = await FakeProvider.start("the-right-key");
  try {
    const server = await open({ environment: { OPENAI_BASE_URL: provider.baseUrl } });
    await page.getByRole("button", { name: /^OpenAI/ }).click();
    const key = page.getByRole("textbox", { name: "Key" });
    await key.fill("a-wrong-key");
    await page.getByRole("radio", { name: "A file that only you can read" }).check();
    await expect(page.getByRole("link", { name: "Get a key from OpenAI" })).toHaveAttribute("href", /^https:/);
    await page.getByRole("button", { name: "Test and save" }).click();
    await expect(page.getByRole("alert")).toContainText("The key was refused.");
    await expect(page.getByRole("alert")).toContainText(/127\.0\.0\.1:\d+ answered: “Incorrect API key provided\.”/);
    await expect(page.getByRole("button", { name: "Start talking" })).toHaveCount(0);
    expect((await server.json<{ usual: string | null }>("GET", "/api/v1/models")).usual).toBeNull();
    await key.fill("the-right-key");
    await page.getByRole("button", { name: "Test and save" }).click();
    await expect(page.getByRole("alert")).toContainText("It answers");
    expect(provider.keys).toContain("a-wrong-key");
    expect(provider.keys.at(-1)).toBe("the-right-key");
    await page.getByRole("button", { name: "Start talking" }).click();
    await expect(page).toHaveURL(new RegExp(`^${server.url}/$`));
    const models = await server.json<{ usual: string }>("GET", "/api/v1/models");
    expect(models.usual).toMatch(/^openai/);
    // The key itself never comes back to a page.
    const whole = await (await server.ask("GET", "/api/v1/settings")).text();
    expect(whole + JSON.stringify(models) + (await page.content())).not.toContain("the-right-key");
    expect(await context.cookies()).toEqual([expect.objectContaining({ httpOnly: true, sameSite: "Strict" })]);
  } finally {
    await provider.stop();
  }
});

test("a custom server is set up by its address, with a model found in its own list", async ({ open, page }) => {
  const names = ["alpha-large", "alpha-small", "beta-large", "omega"];
  const provider = await FakeProvider.start("its-key", names);
  try {
    const server = await open();
    await page.setViewportSize({ width: 390, height: 800 });
    await page.getByRole("button", { name: /^Custom OpenAI-compatible server/ }).click();
    const address = page.getByRole("textbox", { name: "Address" });
    // What answers there is a page.
    await address.fill(`${server.url}/settings`);
    await address.blur();
    await expect(page.getByRole("alert")).toContainText("but not as an OpenAI-compatible server");
    await address.fill("http://nowhere.invalid/v1");
    await address.blur();
    await expect(page.getByRole("alert")).toContainText("The name nowhere.invalid was not found.");
    const closed = await FakeProvider.start("");
    const nobody = closed.baseUrl;
    await closed.stop();
    await address.fill(nobody);
    await address.blur();
    await expect(page.getByRole("alert")).toContainText(`No server is running at ${new URL(nobody).host}.`);
    await address.fill(provider.baseUrl);
    // What was said about the other address is gone with the first letter.
    await expect(page.getByRole("alert")).toHaveCount(0);
    await address.blur();
    await expect(page.getByRole("alert")).toContainText("requires an API key.");
    await page.getByRole("radio", { name: "A file that only you can read" }).check();
    await page.getByRole("textbox", { name: "Key" }).fill("its-key");
    await page.getByRole("textbox", { name: "Key" }).blur();
    await expect(page.getByText("4 models available")).toBeVisible();
    const model = page.getByRole("combobox", { name: "Model" });
    await model.fill("gamma");
    await page.getByRole("button", { name: "Test and save" }).click();
    await expect(page.getByRole("alert")).toContainText("has no model “gamma”.");
    await model.fill("LARGE");
    const shown = page.locator(".ant-select-item-option");
    await expect(shown).toHaveText(["alpha-large", "beta-large"]);
    await shown.filter({ hasText: "beta-large" }).click();
    await expect(model).toHaveValue("beta-large");
    await page.getByRole("button", { name: "Test and save" }).click();
    await expect(page.getByRole("alert")).toContainText("It answers");
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBeLessThanOrEqual(390);
    await page.getByRole("button", { name: "Start talking" }).click();
    const models = await server.json<{ usual: string }>("GET", "/api/v1/models");
    expect(models.usual).toBe("custom/beta-large");
    await expect(page).toHaveURL(new RegExp(`^${server.url}/$`));
  } finally {
    await provider.stop();
  }
});

test("Ollama that does not run says how to start it, in Chinese, too", async ({ open, page }) => {
  const closed = await FakeProvider.start("");
  const host = new URL(closed.baseUrl).host;
  await closed.stop();
  await open({ environment: { OLLAMA_HOST: host } });
  await page.getByRole("button", { name: /^Ollama/ }).click();
  await expect(page.getByRole("alert")).toContainText(`Ollama is not running at ${host}.`);
  await expect(page.getByRole("alert")).toContainText("ollama serve");
  await page.evaluate(() => localStorage.setItem("deskhand.language", "zh"));
  await page.reload();
  await page.getByRole("button", { name: /^Ollama/ }).click();
  await expect(page.getByRole("alert")).toContainText(`Ollama 没有在 ${host} 运行。`);
  await expect(page.getByRole("alert")).toContainText("ollama serve");
});

test("a local server that requires a key gets one, and what overrides the choice is shown", async ({ open, page }) => {
  const provider = await FakeProvider.start("its-key", ["tiny"]);
  try {
    const server = await open({ environment: { OLLAMA_HOST: new URL(provider.baseUrl).host, DESKHAND_MODEL: "openai/other" } });
    await visit(page, server, "/setup");
    await page.getByRole("button", { name: /^Ollama/ }).click();
    await expect(page.getByRole("alert")).toContainText("requires an API key.");
    await page.getByRole("textbox", { name: "Key" }).fill("its-key");
    // The list is asked for when the field is left.
    await page.keyboard.press("Tab");
    await expect(page.getByText("1 model available")).toBeVisible();
    await expect(page.getByRole("combobox", { name: "Model" })).toHaveValue("tiny");
    await page.getByRole("button", { name: "Test and save" }).click();
    await expect(page.getByText("It answers")).toBeVisible();
    expect(provider.keys.at(-1)).toBe("its-key");
    await expect(page.getByRole("alert").filter({ hasText: "Saved, but note:" })).toContainText("DESKHAND_MODEL");
  } finally {
    await provider.stop();
  }
});

test("a key is added and removed in the settings", async ({ open, page }) => {
  const provider = await FakeProvider.start("the-right-key");
  try {
    const server = await open({ talk: {}, environment: { OPENAI_BASE_URL: provider.baseUrl } });
    await visit(page, server, "/settings/models");
    const row = page.getByRole("listitem").filter({ hasText: /^OpenAI/ });
    await row.getByRole("button", { name: "Add a key" }).click();
    await page.getByRole("textbox", { name: "Key", exact: true }).fill("the-right-key");
    await page.getByRole("radio", { name: "A file that only you can read" }).check();
    await page.getByRole("button", { name: "Test and save" }).click();
    await expect(page.getByRole("main")).toContainText("It answers");
    await expect(row).toContainText("Key in a file");
    await row.getByRole("button", { name: named("Remove") }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await expect(row).toContainText("No key");
  } finally {
    await provider.stop();
  }
});

test("the demo plays a step for each Next, and nothing that nobody asked for", async ({ open, page }) => {
  const server = await open();
  await page.getByRole("button", { name: /Show me a demo first/ }).click();
  await expect(page).toHaveURL(/\/s\//);
  const main = page.getByRole("main");
  await expect(main).toContainText(/demo/i);
  await expect(main).toContainText(/scripted/i);
  const next = page.getByRole("button", { name: named("Next") });
  await expect(next).toBeEnabled();
  await expect(main).toContainText("What is on my packing list?");
  await expect(said(page)).toHaveCount(0);
  await next.click();
  await answered(page, "There are three things on it");
  await expect(said(page)).toHaveCount(1);
  await expect(page.getByText("Step 2 of 4")).toBeVisible();
  // What is not in the script is answered as such, and does nothing.
  await say(page, "delete my files");
  await answered(page, "Nothing was done.");
  const { calls } = await server.json<{ calls: { tool: string }[] }>("GET", `/api/v1/sessions/${sessionId(page)}/calls`);
  expect(calls.map(({ tool }) => tool)).toEqual(["read_file"]);
  await page.reload();
  await expect(page.getByText("Step 2 of 4")).toBeVisible();
  await next.click();
  await expect(next).toBeDisabled();
  await question(page).getByRole("button", { name: "Allow once" }).click();
  await answered(page, "The line now says");
  await next.click();
  await question(page).getByRole("button", { name: "Allow once" }).click();
  await answered(page, "The file is as it was");
  await next.click();
  await answered(page, "That was refused before anything ran");
  await expect(next).toHaveCount(0);
  await expect(page.getByText("The demo is over.")).toBeVisible();
});

test.describe("in Chinese", () => {
  test.use({ locale: "zh-CN" });

  test("the demo speaks Chinese, its steps and its answers", async ({ open, page }) => {
    await open();
    await page.getByRole("button", { name: /先看演示/ }).click();
    await expect(page).toHaveURL(/\/s\//);
    await expect(page.getByText(/^第 1 步，共 \d 步$/)).toBeVisible();
    await page.getByRole("button", { name: named("下一步") }).click();
    await expect(page.getByText(/^第 2 步，共 \d 步$/)).toBeVisible();
    const said = page.getByRole("article", { name: "您" });
    await expect(said).toHaveCount(1);
    await expect(said).toContainText(/\p{Script=Han}/u);
    const answer = page.getByRole("article", { name: "Deskhand" }).last();
    await expect(answer).toHaveAttribute("aria-busy", "false");
    await expect(answer).toContainText(/\p{Script=Han}{4}/u);
  });
});
