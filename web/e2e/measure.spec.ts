// Numbers for docs/benchmarks.md: `npm run measure`. Written to the file that MEASURE_TO names, else printed. Nothing
// is asserted about them: they depend on the machine and on what else it does.
import { writeFileSync } from "node:fs";

import type { Page } from "@playwright/test";

import { answered, say } from "./chat";
import { enter, expect, test, visit } from "./test";

test.describe.configure({ mode: "serial" });
test.setTimeout(180_000);

const results: Record<string, number> = {};
const note = (name: string, value: number) => {
  results[name] = Math.round(value * 10) / 10;
};

test.afterAll(() => {
  const text = `${JSON.stringify(results, null, 2)}\n`;
  const file = process.env.MEASURE_TO;
  if (file !== undefined && file !== "") writeFileSync(file, text);
  console.log(text);
});

/** Begins to note how long each frame takes. */
async function watchFrames(page: Page): Promise<void> {
  await page.evaluate(() => {
    const frames: number[] = [];
    let last = performance.now();
    const step = (now: number) => {
      frames.push(now - last);
      last = now;
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
    Object.assign(window, { frames });
  });
}

async function framesOf(page: Page): Promise<{ count: number; over50: number; longest: number }> {
  const frames = await page.evaluate(() => (window as unknown as { frames: number[] }).frames.slice(1));
  return { count: frames.length, over50: frames.filter((each) => each > 50).length, longest: Math.max(0, ...frames) };
}

test("the first load", async ({ serve, page }) => {
  const server = await serve({ talk: {} });
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  const kinds = new Map<string, string>();
  let script = 0;
  let all = 0;
  session.on("Network.responseReceived", ({ requestId, type }) => void kinds.set(requestId, type));
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    all += encodedDataLength;
    if (kinds.get(requestId) === "Script") script += encodedDataLength;
  });
  // Once without a stop-watch, so that the server has read its files.
  await enter(page, server);
  script = 0;
  all = 0;
  await page.context().newPage().then((other) => other.close());
  await session.send("Network.clearBrowserCache");
  const begun = Date.now();
  await page.goto(server.url);
  await page.getByRole("textbox", { name: "Message" }).fill("ready");
  note("first_load_until_one_can_write_ms", Date.now() - begun);
  await page.waitForLoadState("load");
  await page.waitForTimeout(1_000);
  note("first_load_javascript_kb", script / 1024);
  note("first_load_all_kb", all / 1024);
  const timing = await page.evaluate(() => {
    const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
    const [paint] = performance.getEntriesByName("first-contentful-paint");
    return { interactive: navigation?.domInteractive ?? 0, paint: paint?.startTime ?? 0 };
  });
  note("first_load_dom_interactive_ms", timing.interactive);
  note("first_load_first_contentful_paint_ms", timing.paint);
  expect(script).toBeGreaterThan(0);
});

test("a session of 2,000 messages", async ({ serve, page }) => {
  const server = await serve({ talk: {} });
  const messages = Array.from({ length: 2_000 }, (_, n) =>
    n % 2 === 0
      ? `Question number ${n + 1}: what about it?`
      : `Answer number ${n + 1}.\n\n- one **point**\n- another with \`code\`\n\n\`\`\`python\nprint(${n})\n\`\`\`\n`,
  );
  const { id } = await server.importSession("Two thousand messages", messages);
  await server.importSession("Short", ["Hello?", "Hello."]);
  await enter(page, server);
  await expect(page.getByRole("link", { name: /Two thousand messages/ })).toBeVisible();
  // In the page, as a click does it: from the click to the frame in which the newest message stands.
  const opened = await page.evaluate(async (session) => {
    const link = document.querySelector<HTMLAnchorElement>(`a[href="/s/${session}"]`);
    const begun = performance.now();
    link?.click();
    while (!(document.querySelector("[role=log]")?.textContent ?? "").includes("Answer number 2000.")) {
      await new Promise(requestAnimationFrame);
    }
    await new Promise(requestAnimationFrame);
    return performance.now() - begun;
  }, id);
  note("open_2000_messages_ms", opened);
  await watchFrames(page);
  const log = page.getByRole("log");
  const box = await log.boundingBox();
  if (box === null) throw new Error("the list is not shown");
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  for (let n = 0; n < 200; n += 1) {
    await page.mouse.wheel(0, -600);
    await page.waitForTimeout(16);
  }
  const frames = await framesOf(page);
  note("scroll_frames", frames.count);
  note("scroll_frames_over_50_ms_percent", (100 * frames.over50) / frames.count);
  note("scroll_longest_frame_ms", frames.longest);
  note("scroll_rows_in_the_document", await log.locator("[data-key]").count());
});

test("a streamed answer of 100 KB", async ({ serve, page }) => {
  const paragraph = (n: number) =>
    `## Part ${n}\n\nSome **bold** text, some \`code\`, and a [link](https://example.com/${n}).\n\n- one\n- two\n\n\`\`\`js\nconst part = ${n};\n\`\`\`\n\n| a | b |\n|---|---|\n| ${n} | x |\n\n`;
  let text = "";
  for (let n = 1; text.length < 100 * 1024; n += 1) text += paragraph(n);
  text += "The end.";
  const server = await serve({ talk: { long: [{ text, piece: 40, delay_ms: 4 }] } });
  await enter(page, server);
  await visit(page, server, `/s/${(await server.newSession("Long answer")).id}`);
  await watchFrames(page);
  const begun = Date.now();
  await say(page, "a long answer");
  // Looked for seldom, so that the looking is not what is measured.
  await page.waitForFunction(
    () => document.querySelector("[role=log]")?.textContent.includes("The end."),
    undefined,
    { polling: 2_000, timeout: 120_000 },
  );
  const frames = await framesOf(page);
  note("stream_100_kb_ms", Date.now() - begun);
  note("stream_100_kb_frames", frames.count);
  note("stream_100_kb_frames_over_50_ms_percent", (100 * frames.over50) / frames.count);
  note("stream_100_kb_longest_frame_ms", frames.longest);
  await answered(page, "The end.");
  note("stream_100_kb_longest_frame_with_the_end_ms", (await framesOf(page)).longest);
});
