// The pictures of the README and the manual: `npm run screenshots` makes them anew in docs/images/.
import { statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import type { Page } from "@playwright/test";

import { answered, question, say } from "./chat";
import { calls, says } from "./script";
import { Shop } from "./shop";
import { expect, named, test, visit } from "./test";

const FOLDER = fileURLToPath(new URL("../../docs/images/", import.meta.url));
const MOST_BYTES = 200 * 1024;

/** The same path in every picture. */
const place = (name: string) => join(tmpdir(), `deskhand-${name}`);

async function take(page: Page, name: string): Promise<void> {
  // The mouse hovers over nothing, what moves has moved, what would blink does not.
  await page.mouse.move(0, 0);
  await page.waitForTimeout(600);
  const path = `${FOLDER}${name}.png`;
  await page.screenshot({ path, animations: "disabled", caret: "hide" });
  expect(statSync(path).size, name).toBeLessThan(MOST_BYTES);
}

const FILES = {
  "src/app.py": "def greet(name):\n    print('Hello ' + name)\n\n# TODO: read the name from the command line\ngreet('world')\n",
  "src/prices.csv": "item,price\nbread,3.20\nmilk,1.45\ncheese,7.90\n",
  "notes.md": "# Notes\n\nBuy milk and bread.\n",
  "README.md": "# A small shop\n",
};

const TALK = {
  "What does": [
    calls("read_file", { path: "src/prices.csv" }, { thoughts: "The prices are in a table; I read it first." }),
    says(
      "The three items cost **12.55** together:\n\n| item | price |\n|---|---:|\n| cheese | 7.90 |\n| bread | 3.20 |\n| milk | 1.45 |\n\nTo add them up yourself:\n\n```python\nimport csv\n\nwith open(\"src/prices.csv\") as file:\n    print(sum(float(row[\"price\"]) for row in csv.DictReader(file)))\n```\n",
    ),
  ],
  "Use an f-string": [
    calls("edit_file", {
      path: "src/app.py",
      edits: [{ old_text: "print('Hello ' + name)", new_text: "print(f'Hello {name}!')" }],
    }, { text: "I change one line of the program." }),
    says("Done: the greeting uses an f-string now."),
  ],
  一共多少钱: [
    calls("read_file", { path: "src/prices.csv" }, { thoughts: "价格在表格里，先读一下。" }),
    says("三样东西一共 **12.55** 元：\n\n| 商品 | 价格 |\n|---|---:|\n| 奶酪 | 7.90 |\n| 面包 | 3.20 |\n| 牛奶 | 1.45 |\n"),
  ],
  备份: [calls("bash", { command: "cp src/prices.csv prices-backup.csv" }), says("已经备份好了。")],
};

test("a conversation, a question, the console", async ({ open, page }) => {
  const server = await open({ talk: TALK, files: FILES, place: place("chat") });
  await server.importSession("Plan the summer party", ["What do we need?", "A list of guests, first of all."]);
  await server.importSession("整理下载文件夹", ["怎么整理？", "按月份分。"]);
  await say(page, "What does everything in src/prices.csv cost together?");
  await answered(page, "To add them up");
  await take(page, "web-chat");
  await say(page, "Use an f-string in src/app.py");
  await expect(question(page)).toBeVisible();
  await take(page, "web-approval");
  await visit(page, server, "/tools/write_file");
  await page.getByRole("textbox", { name: /^path/ }).fill("notes.md");
  await page.getByRole("textbox", { name: /^content/ }).fill("# Notes\n\nBuy milk, bread and cheese.\n");
  await page.getByRole("button", { name: named("Show the plan") }).click();
  await expect(page.getByRole("region", { name: "Plan" })).toContainText("notes.md");
  await page.getByRole("region", { name: "Plan" }).scrollIntoViewIfNeeded();
  await take(page, "web-console");
});

test("a web page that is used", async ({ open, page }) => {
  const shop = await Shop.open(8780);
  try {
    const config = `[network]\nallow = ["${shop.host}"]\n[tools.browser_screenshot]\nrequires_result_approval = true\n`;
    const talk = {
      "Order some cheese": [
        calls("browser_navigate", { url: shop.url }, { text: "I open the shop." }),
        calls("browser_type", { selector: "input", text: "cheese" }),
        calls("browser_screenshot", { selector: "body" }),
        says("…"),
      ],
    };
    await open({ talk, files: FILES, mode: "auto", config, place: place("shop") });
    await say(page, `Order some cheese at ${shop.url}`);
    await expect(question(page).getByRole("img").first()).toBeVisible();
    await question(page).scrollIntoViewIfNeeded();
    await take(page, "web-browser");
  } finally {
    await shop.close();
  }
});

test("the views", async ({ open, page }) => {
  const server = await open({ talk: TALK, files: FILES, mode: "auto", place: place("views") });
  await say(page, "Use an f-string in src/app.py");
  await answered(page, "Done");
  await visit(page, server, "/views/audit");
  await page.getByRole("button", { name: named("Verify now") }).click();
  await expect(page.getByText(/The chain is intact/)).toBeVisible();
  await take(page, "web-views");
});

test("the first run", async ({ open, page }) => {
  await open();
  await expect(page.getByRole("button", { name: /^OpenAI/ })).toBeVisible();
  await take(page, "web-setup");
});

test.describe("in Chinese, dark", () => {
  test.use({ locale: "zh-CN", colorScheme: "dark" });
  test("a conversation", async ({ open, page }) => {
    const server = await open({ talk: TALK, files: FILES, place: place("zh") });
    await server.importSession("整理下载文件夹", ["怎么整理？", "按月份分。"]);
    const { id } = await server.newSession();
    await visit(page, server, `/s/${id}`);
    const send = async (text: string) => {
      await page.getByRole("main").getByRole("textbox").fill(text);
      await page.keyboard.press("Enter");
    };
    await send("prices.csv 里的东西一共多少钱？");
    await expect(page.getByRole("cell", { name: "1.45" })).toBeVisible();
    await expect(page.getByRole("article").last()).toHaveAttribute("aria-busy", "false");
    await send("把价格表备份一下");
    await expect(page.getByRole("region").filter({ hasText: "bash" })).toBeVisible();
    await take(page, "web-dark-zh");
  });
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
  test("a question", async ({ open, page }) => {
    await open({ talk: TALK, files: FILES, place: place("phone") });
    await say(page, "Use an f-string in src/app.py");
    await expect(question(page)).toBeVisible();
    await take(page, "web-phone");
  });
});
