// Pages that want to break us, and documents that are no pages.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { refIn, start } from "./frame.mjs";

let desk;
before(async () => { desk = await start(); });
after(() => desk.close());

/** Everything there is, with arguments good and bad; none may throw or fail inside. */
async function withstands(call) {
  const targets = [{}, { selector: "button" }, { selector: "a[" }, { selector: "#nothing-here" }, { ref: "e1" }, { ref: "e99999" }, { ref: {} }, { x: 5, y: 5 }, { x: -1, y: 1e9 }, { x: "a", y: null }];
  const names = ["snapshot", "action_point", "describe", "hits", "prepare_typing", "holds_focus", "set_value", "select_option", "dom"];
  for (const name of names) for (const target of targets) {
    const answer = await call(name, { ...target, timeout_ms: 50 });
    assert.notEqual(answer?.error, "internal", `${name} ${JSON.stringify(target)}: ${answer?.message}`);
  }
  for (const target of targets) {
    const answer = await call("wait_state", { ...target, timeout_ms: 20 });
    assert.notEqual(answer.error, "internal", answer.message);
    for (const direction of ["down", "to_bottom", "left", "sideways"]) assert.notEqual((await call("scroll", { ...target, direction })).error, "internal");
  }
  for (const args of [{ max_chars: -5 }, { max_chars: "x", depth: 0 }, { offset: 1e9 }, { since: {} }, { root_ref: "nonsense" }]) {
    const answer = await call("snapshot", args);
    assert.notEqual(answer.error, "internal", `${JSON.stringify(args)}: ${answer.message}`);
  }
}

for (const name of ["form.html", "hostile.html", "drawing.svg", "data.xml", "shadow.html", "deep.html", "deep.html?of=ul"]) {
  test(`${name} withstands every call`, async () => {
    const { call, page } = await desk.open(name);
    await withstands(call);
    await page.close();
  });
}

test("a page that lost its body, and one that lost everything", async () => {
  const { page, call } = await desk.open("form.html");
  await page.evaluate(() => document.body.remove());
  await withstands(call);
  await page.evaluate(() => document.documentElement.remove());
  assert.equal((await call("snapshot")).text, "");
  await withstands(call);
});

test("a hostile page is read and used as any other", async () => {
  const { call } = await desk.open("hostile.html");
  const { text } = await call("snapshot");
  assert.match(text, /textbox "One" \[ref=\w+\]/u);
  assert.equal(text.split("\n").filter((line) => line.includes("textbox")).length, 19, "none is lost to the names of the others");
  assert.ok(!/^\s*- button "Forged"/mu.test(text), "text cannot make a line of its own");
  assert.equal(text.match(/\[ref=e1\]/gu).length, 1, "text cannot lend itself a ref");
  const spring = await call("describe", { ref: refIn(text, '"Spring"') });
  assert.deepEqual([spring.submits.method, new URL(spring.submits.action).pathname, spring.submits.cross_origin, spring.submits.secret_fields], ["post", "/trap", false, 1]);
  assert.ok((await call("action_point", { selector: "#spring" })).x > 0);
  assert.equal((await call("prepare_typing", { selector: "[aria-label=One]" })).mode, "insert");
});

test("5,000 levels: the bottom is there, and no line is indented without end", async () => {
  for (const name of ["deep.html", "deep.html?of=ul"]) {
    const { call } = await desk.open(name);
    const { text } = await call("snapshot");
    assert.match(text, /button "Bottom"/u);
    assert.match(text, /After the deep/u);
    assert.ok(Math.max(...text.split("\n").map((line) => line.length)) < 400);
    assert.equal((await call("describe", { selector: "#bottom" })).count, 1);
    assert.ok((await call("dom", { max_depth: 200 })).left_out.deeper > 0);
  }
});

test("a drawing and data", async () => {
  const drawing = await desk.open("drawing.svg");
  const { text } = await drawing.call("snapshot");
  assert.match(text, /link "Link in a drawing" \[ref=\w+\] \[url=\/from-svg\]/u);
  assert.ok(text.includes("Just text") && !text.includes("SECRET"));
  assert.ok((await drawing.call("action_point", { selector: "#rect" })).x >= 0);
  const data = await desk.open("data.xml");
  assert.match((await data.call("snapshot")).text, /First/u);
});

test("100,000 elements are bounded in work and output", async () => {
  const { call } = await desk.open("many-nodes.html?n=100000");
  const { text, truncated } = await call("snapshot");
  assert.ok(text.length < 20_000 && truncated);
  assert.match(text, /heading "Everything"/u);
  assert.ok((await call("dom", { max_depth: 50 })).text.length <= 16_000);
});
