// A real Chromium with a page of tests/pages/, and our script in an isolated world of it, as the program puts it there.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";

const top = new URL("../../../../", import.meta.url);
const { chromium } = createRequire(new URL("web/package.json", top))("playwright-core");

const folder = new URL("../../src/page/inject/", import.meta.url);
/** The script as `mod.rs` puts it together; the list of files stands only there. */
const files = [...readFileSync(new URL("mod.rs", folder), "utf8").matchAll(/include_str!\("([^"]+)"\)/gu)].map((found) => found[1]);
export const SOURCE = `(() => {\n"use strict";\n${files.map((file) => readFileSync(new URL(file, folder), "utf8")).join("")}return api;\n})()\n`;

const TYPES = { ".html": "text/html; charset=utf-8", ".svg": "image/svg+xml", ".xml": "text/xml" };

/** Starts the browser and a server of the pages; `close` ends both. */
export async function start() {
  const server = createServer((request, response) => {
    const path = new URL(request.url, "http://x").pathname.slice(1);
    try {
      const body = readFileSync(fileURLToPath(new URL(`tests/pages/${path.replaceAll("..", "")}`, top)));
      response.writeHead(200, { "content-type": TYPES[extname(path)] ?? "text/plain" }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: process.getuid?.() === 0 ? ["--no-sandbox"] : [] });
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const at = `http://127.0.0.1:${server.address().port}/`;
  return {
    at,
    /** Opens a page of tests/pages/; the frame of the test, with our functions. */
    async open(name, prefix = "") {
      const page = await context.newPage();
      await page.goto(at + name, { waitUntil: "load" });
      const session = await context.newCDPSession(page);
      const { frameTree } = await session.send("Page.getFrameTree");
      return { page, session, frameTree, ...(await inject(session, frameTree.frame.id, prefix)) };
    },
    async close() {
      await browser.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Our script in an isolated world of one frame: `call(name, args)` by value, as Rust calls it. */
export async function inject(session, frameId, prefix = "") {
  const { executionContextId } = await session.send("Page.createIsolatedWorld", { frameId, worldName: "deskhand" });
  const { result, exceptionDetails } = await session.send("Runtime.evaluate", { expression: SOURCE, contextId: executionContextId });
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  const run = async (functionDeclaration, args, returnByValue) => {
    const answer = await session.send("Runtime.callFunctionOn", { objectId: result.objectId, functionDeclaration, arguments: args, returnByValue, awaitPromise: true });
    if (answer.exceptionDetails) throw new Error(answer.exceptionDetails.exception?.description ?? answer.exceptionDetails.text);
    return answer.result;
  };
  const call = async (name, args = {}, objectId = null) => (await run(
    "function (name, args, given) { return this[name](args, given); }",
    [{ value: name }, { value: args }, ...(objectId ? [{ objectId }] : [])], true,
  )).value;
  const element = (target) => run("function (args) { return this.element(args); }", [{ value: target }], false);
  /** The ids of the elements in a list that a function gives, or null. */
  const list = async (name, args) => (await run("function (name, args) { return this[name](args)?.map((one) => one.id) ?? null; }", [{ value: name }, { value: args }], true)).value;
  if (prefix) await call("configure", { prefix });
  return { call, element, list };
}

/** The ref of the first line of a snapshot that has `part` in it. */
export function refIn(text, part) {
  const line = text.split("\n").find((one) => one.includes(part));
  const ref = /\[ref=([^\]]+)\]/u.exec(line ?? "")?.[1];
  if (!ref) throw new Error(`no line with «${part}» and a ref in:\n${text}`);
  return ref;
}
