// The frame of the page: who is let in, the language, the colours, a phone.
import { enter, expect, named, test, visit } from "./test";

test("without a token the page says how to get in, and a pasted address opens it", async ({ serve, page, watch }) => {
  watch.allow(/status of 401/);
  const server = await serve({ talk: {} });
  await page.goto(server.url);
  await expect(page.getByRole("heading", { name: "This page needs your token" })).toBeVisible();
  expect(await page.evaluate(async () => (await fetch("/api/v1/sessions")).status)).toBe(401);
  await page.getByRole("textbox").fill(server.openUrl);
  await page.getByRole("button", { name: "Open" }).click();
  await expect(page.getByRole("tab", { name: "History" })).toBeVisible();
  expect(page.url()).not.toContain(server.token);
});

test("a wrong token opens nothing", async ({ serve, page, watch }) => {
  watch.allow(/status of 401/);
  const server = await serve({ talk: {} });
  await page.goto(`${server.url}/?token=wrong`);
  await expect(page.getByRole("heading", { name: "This page needs your token" })).toBeVisible();
});

test.describe("a browser that prefers Chinese", () => {
  test.use({ locale: "zh-CN" });
  test("gets the page in Chinese", async ({ open, page }) => {
    await open({ talk: {} });
    await expect(page.locator("html")).toHaveAttribute("lang", /^zh/);
    await expect(page.getByRole("tab", { name: "历史" })).toBeVisible();
    await expect(page.getByText("New conversation")).toHaveCount(0);
  });
});

test("the language is switched, and stays", async ({ open, page }) => {
  await open({ talk: {} });
  await expect(page.locator("html")).toHaveAttribute("lang", "en");
  await page.getByRole("button", { name: "Language" }).click();
  await page.getByRole("menuitem", { name: "简体中文" }).click();
  await expect(page.locator("html")).toHaveAttribute("lang", /^zh/);
  await expect(page.getByRole("tab", { name: "历史" })).toBeVisible();
  await page.reload();
  await expect(page.getByRole("tab", { name: "历史" })).toBeVisible();
  await page.getByRole("button", { name: "语言" }).click();
  await page.getByRole("menuitem", { name: "English" }).click();
  await expect(page.getByRole("tab", { name: "History" })).toBeVisible();
});

test("a menu moves, but not for who asked their system for less movement", async ({ open, page }) => {
  await open({ talk: {} });
  const moves = () =>
    page.evaluate(
      () =>
        new Promise<boolean>((resolve) => {
          document.addEventListener("animationstart", ({ target }) => {
            if ((target as Element).closest(".ant-dropdown") !== null) resolve(true);
          });
          document.querySelector<HTMLElement>("button[aria-label='Language']")?.click();
          setTimeout(() => resolve(false), 2_000);
        }),
    );
  expect(await moves()).toBe(false);
  await expect(page.getByRole("menuitem", { name: "简体中文" })).toBeInViewport();
  await page.emulateMedia({ reducedMotion: "no-preference" });
  await page.reload();
  await expect(page.getByRole("main")).toBeVisible();
  expect(await moves()).toBe(true);
});

const brightness = () => {
  const [red = 0, green = 0, blue = 0] = (getComputedStyle(document.body).backgroundColor.match(/\d+/g) ?? []).map(Number);
  return (red + green + blue) / 3;
};

test("dark by the system, light and dark by choice, and the choice stays", async ({ open, page }) => {
  await page.emulateMedia({ colorScheme: "dark" });
  await open({ talk: {} });
  await expect.poll(() => page.evaluate(brightness)).toBeLessThan(80);
  await page.getByRole("button", { name: "Appearance" }).click();
  await page.getByRole("menuitem", { name: "Light" }).click();
  await expect.poll(() => page.evaluate(brightness)).toBeGreaterThan(200);
  await page.emulateMedia({ colorScheme: "light" });
  await page.getByRole("button", { name: "Appearance" }).click();
  await page.getByRole("menuitem", { name: "Dark" }).click();
  await expect.poll(() => page.evaluate(brightness)).toBeLessThan(80);
  await page.reload();
  await expect.poll(() => page.evaluate(brightness)).toBeLessThan(80);
});

test("the sidebar folds away and stays so", async ({ open, page }) => {
  await open({ talk: {} });
  await page.getByRole("button", { name: "Close the sidebar" }).click();
  await expect(page.getByRole("tab", { name: "History" })).toBeHidden();
  await page.reload();
  await expect(page.getByRole("button", { name: "Open the sidebar" })).toBeVisible();
  await expect(page.getByRole("tab", { name: "History" })).toBeHidden();
});

test("the keyboard reaches the content and the tabs", async ({ open, page }) => {
  await open({ talk: {} });
  await page.getByRole("link", { name: "Skip to the content" }).focus();
  await expect(page.getByRole("link", { name: "Skip to the content" })).toBeInViewport();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("main")).toBeFocused();
  await page.getByRole("tab", { name: "History" }).focus();
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("tab", { name: "Settings" })).toBeFocused();
  await expect(page.getByRole("tabpanel", { name: "Settings" })).toBeVisible();
});

test("files of the workspace are listed, looked into and downloaded", async ({ open, page }) => {
  await open({ talk: {}, files: { "notes.txt": "milk and bread\n", "src/main.py": "print('hello')\n" } });
  await page.getByRole("tab", { name: "Files" }).click();
  const pane = page.getByRole("tabpanel", { name: "Files" });
  await pane.getByText("notes.txt").click();
  await expect(page.getByText("milk and bread")).toBeVisible();
  const waiting = page.waitForEvent("download");
  await page.getByRole("button", { name: /^(download )?Download( notes\.txt)?$/ }).first().click();
  const download = await waiting;
  expect(download.suggestedFilename()).toBe("notes.txt");
  const chunks: Buffer[] = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
  expect(Buffer.concat(chunks).toString()).toBe("milk and bread\n");
});

test("the server's documentation can be browsed and tried", async ({ open, page }) => {
  const server = await open({ talk: {} });
  await server.newSession("Seen by the docs");
  await visit(page, server, "/api-docs");
  await expect(page.getByRole("heading", { name: "HTTP API" })).toBeVisible();
  await page.getByRole("navigation", { name: "Operations" }).getByRole("button", { name: /^GET Sessions, the one/ }).click();
  const operation = page.getByRole("group").filter({ hasText: "Sessions, the one that changed last first" }).first();
  await operation.getByRole("form", { name: "Try it" }).getByRole("button", { name: named("Send") }).click();
  await expect(operation).toContainText("Seen by the docs");
});

test("the page asks nothing of other hosts, and its content policy is strict", async ({ serve, page }) => {
  const server = await serve({ talk: {} });
  const elsewhere: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(server.url) && !/^(data|blob):/.test(request.url())) elsewhere.push(request.url());
  });
  const answer = await page.goto(server.openUrl);
  await enter(page, server);
  for (const path of ["/tools/read_file", "/views/vitals", "/settings", "/api-docs"]) await visit(page, server, path);
  expect(elsewhere).toEqual([]);
  const policy = (await answer?.headerValue("content-security-policy")) ?? "";
  expect(policy).toContain("default-src");
  const scripts = policy.split(";").find((part) => part.trim().startsWith("script-src")) ?? policy;
  expect(scripts).not.toMatch(/unsafe-inline|unsafe-eval|\*/);
});
