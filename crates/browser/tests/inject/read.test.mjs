import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { start } from "./frame.mjs";

let desk;
before(async () => { desk = await start(); });
after(() => desk.close());

test("dom: simplified, as deep as asked, and what was left out", async () => {
  const { call } = await desk.open("form.html");
  const whole = await call("dom", { max_depth: 20 });
  assert.match(whole.text, /<form#order action="\/order" method="post" aria-label="Order">/u);
  assert.match(whole.text, /<input#name name="name" required>/u);
  assert.match(whole.text, /<h1> Order/u);
  assert.ok(!whole.text.includes("addEventListener"), "no scripts");
  assert.equal(whole.truncated, false);
  const shallow = await call("dom", { max_depth: 1 });
  assert.ok(shallow.left_out.deeper > 10);
  assert.match(shallow.text, /elements deeper than max_depth 1/u);
  assert.ok(shallow.text.split("\n").every((line) => line.startsWith("…") || /^(?: {2})?\S/u.test(line)), shallow.text);
  const part = await call("dom", { selector: "fieldset", max_depth: 9 });
  assert.match(part.text, /^<fieldset>\n {2}<legend> Size/u);
  assert.equal((await call("dom", { selector: "#no" })).error, "not_found");
  const big = await (await desk.open("many-nodes.html")).call("dom", { max_depth: 20, max_chars: 3000 });
  assert.ok(big.text.length <= 3000 && big.left_out.more > 5000, JSON.stringify({ ...big, text: big.text.length }));
  const shadow = await (await desk.open("shadow.html")).call("dom", { max_depth: 9 });
  assert.match(shadow.text, /<my-inner> #shadow-root/u);
});

test("scroll: the page, a part, the only part that can; where it stands and where it ends", async () => {
  const { call } = await desk.open("scroll.html");
  const down = await call("scroll", { direction: "down", amount: 300 });
  assert.deepEqual([down.before.y, down.after.y, down.at_end, down.of], [0, 300, false, "page"]);
  const bottom = await call("scroll", { direction: "to_bottom" });
  assert.deepEqual([bottom.after.y, bottom.at_end], [bottom.after.max_y, true]);
  assert.deepEqual((await call("scroll", { direction: "down" })).moved, { x: 0, y: 0 });
  assert.equal((await call("scroll", { direction: "right", amount: 100 })).moved.x, 100);
  assert.equal((await call("scroll", { direction: "to_top" })).after.y, 0);
  const box = await call("scroll", { direction: "down", amount: 50, selector: "#in-box" });
  assert.deepEqual([box.moved.y, box.of !== "page"], [50, true]);
  const inside = await desk.open("scroll-inside.html");
  const pane = await inside.call("scroll", { direction: "down", amount: 700 });
  assert.deepEqual([pane.moved.y, pane.of.includes("Pane")], [700, true]);
  assert.equal((await call("scroll", { direction: "sideways" })).error, "bad_direction");
});

test("wait_state: each state, by mutation, by style alone, in a new shadow root", async () => {
  const { call, page } = await desk.open("changing.html");
  const when = async (step, args) => {
    const waiting = call("wait_state", { timeout_ms: 10_000, ...args });
    await page.evaluate((hash) => { location.hash = hash; }, step);
    return waiting;
  };
  assert.equal((await call("wait_state", { selector: "#go" })).reached, true);
  assert.match((await when("add", { selector: "#list li:nth-child(3)", state: "attached" })).line, /three/u);
  assert.equal((await when("hide", { selector: "#spinner", state: "hidden" })).reached, true);
  assert.equal((await when("style", { selector: "#by-style" })).reached, true);
  assert.match((await when("shadow", { selector: "#late" })).line, /button "Late"/u);
  const { ref } = await call("describe", { selector: "#go" });
  assert.equal((await when("remove", { ref, state: "detached" })).reached, true);
  assert.equal((await call("wait_state", { ref, state: "hidden" })).reached, true, "gone is hidden too");
  assert.equal((await call("wait_state", { ref })).error, "stale_ref");
  const never = await call("wait_state", { selector: "#never-list", timeout_ms: 30 });
  assert.deepEqual([never.error, never.count], ["timeout", 0]);
  assert.ok(never.hints.length > 0);
  assert.equal((await call("wait_state", { selector: "h1", state: "odd" })).error, "bad_state");
});
