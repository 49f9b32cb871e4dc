import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { refIn, start } from "./frame.mjs";

let desk;
before(async () => { desk = await start(); });
after(() => desk.close());

test("describe: selectors into shadow roots, several matches, and what is wrong with the others", async () => {
  const { call, element, page } = await desk.open("shadow.html");
  for (const selector of ["#in-shadow", "my-card button", "my-outer my-inner #deep", "my-outer section .field", "nothing, my-inner input"]) {
    const answer = await call("describe", { selector });
    assert.equal(answer.count, 1, `${selector}: ${JSON.stringify(answer)}`);
  }
  const { x, y } = await call("action_point", { selector: "my-card button" });
  await page.mouse.click(x, y);
  assert.equal(await page.title(), "bought");
  assert.equal((await element({ selector: "#deep" })).subtype, "node");
  assert.equal((await element({ selector: "#no" })).subtype, "null");

  const form = await desk.open("form.html");
  const many = await form.call("describe", { selector: "input, option" });
  assert.ok(many.count > 5);
  assert.match(many.line, /textbox "Your name"/u);
  const hidden = await form.call("describe", { selector: "input[type=file], #gift" });
  assert.match(hidden.line, /checkbox "Gift"/u, "the first that can be seen");
  const missing = await form.call("describe", { selector: "button#submit-colour" });
  assert.deepEqual([missing.error, missing.count], ["not_found", 0]);
  assert.ok(missing.hints.some((line) => line.includes('combobox "Colour"')), JSON.stringify(missing.hints));
  for (const [selector, word] of [["div[", /CSS/u], ["//div", /XPath/u], ["button:contains('Send')", /snapshot/u], ["#1a", /digit/u]]) {
    const answer = await form.call("describe", { selector });
    assert.equal(answer.error, "bad_selector", selector);
    assert.match(answer.message, word);
  }
  assert.equal((await form.call("describe", {})).error, "no_target");
  assert.match((await form.call("describe", { x: 5000, y: 5 })).message, /outside the viewport/u);
});

test("action_point: where a click arrives", async () => {
  const { call, page } = await desk.open("covered.html");
  const hit = ({ x, y }) => page.evaluate(([left, top]) => document.elementFromPoint(left, top).id, [x, y]);
  const free = await call("action_point", { selector: "#free" });
  assert.deepEqual([free.x, free.y, free.scrolled], [80, 120, false]);
  const half = await call("action_point", { selector: "#half" });
  assert.equal(await hit(half), "half", "another point of it than the middle");
  const far = await call("action_point", { selector: "#far" });
  assert.equal(far.scrolled, true);
  assert.equal(await hit(far), "far");
  const wrapped = await call("action_point", { selector: "#wrapped" });
  assert.equal(await hit(wrapped), "wrapped", "in one of its lines, not between them");
  const contents = await call("action_point", { selector: "#contents" });
  assert.equal(contents.via, "child");
  const box = await call("action_point", { selector: "#box" });
  assert.equal(box.via, "label");
  await page.mouse.click(box.x, box.y);
  assert.equal(await page.isChecked("#box"), true);
});

test("action_point: and why it does not", async () => {
  const { call } = await desk.open("covered.html");
  for (const [selector, reason] of [["#none", "hidden"], ["#invisible", "hidden"], ["#flat", "zero_size"], ["#disabled", "disabled"], ["#off-page", "outside"], ["#under", "covered"], ["#under-bar", "covered"], ["#through", "covered"]]) {
    const answer = await call("action_point", { selector });
    assert.deepEqual([answer.error, answer.reason], ["not_actionable", reason], `${selector}: ${JSON.stringify(answer)}`);
    assert.match(answer.line, /\[ref=/u);
  }
  const under = await call("action_point", { selector: "#under" });
  assert.match(under.covered_by.line, /region "Veil" \[ref=\w+\]/u);
  assert.match((await call("describe", { ref: under.covered_by.ref })).line, /Veil/u);
  assert.ok((await call("action_point", { selector: "#disabled", kind: "hover" })).x > 0);
  const form = await desk.open("form.html");
  assert.equal((await form.call("action_point", { selector: "#locked", kind: "type" })).reason, "readonly");
  assert.equal((await form.call("action_point", { selector: "option[value=r]" })).reason, "option");
});

test("hits: a click there is one on the element, or is not", async () => {
  const { call } = await desk.open("covered.html");
  const free = await call("action_point", { selector: "#free" });
  const there = await call("hits", { ref: free.ref, x: free.x, y: free.y });
  assert.deepEqual([there.hits, there.element.ref], [true, free.ref]);
  assert.equal((await call("hits", { ref: free.ref, x: free.box.x - 1, y: free.y })).hits, false);
  assert.equal((await call("hits", { ref: "e99999", x: 1, y: 1 })).error, "stale_ref");
});

test("holds_focus: what is typed goes into it, or does not", async () => {
  const { call, page } = await desk.open("form.html");
  const { ref } = await call("prepare_typing", { selector: "#name" });
  assert.equal((await call("holds_focus", { ref })).holds, true);
  await page.evaluate(() => document.activeElement.blur());
  assert.equal((await call("holds_focus", { ref })).holds, false);
});

test("suspects: where a shadow root that nobody sees may have a button", async () => {
  const { page, call, list } = await desk.open("sending.html");
  await page.evaluate(() => document.querySelector("#closed").insertAdjacentHTML("afterend", `
    <late-form id="late"><x-icon id="icon"><svg id="drawing" width="20" height="20"/></x-icon><em id="within">text</em>
    <textarea id="area"></textarea><input id="field"><button id="own">own</button></late-form>
    <div id="plain"><label id="labelled" for="far">text</label></div><p id="paragraph"><input type="checkbox" id="far"></p>`));
  for (const [selector, ids] of Object.entries({
    "#closed": ["closed", ""], "#within": ["late", ""], "#area": ["late", ""], "#field": ["late", ""], "#own": ["late", ""],
    "#drawing": ["icon", "late", ""], "#plain": ["plain", ""], "#labelled": ["plain", "", "paragraph"], "#link": [""],
    // What is inside an open root is seen.
    "#deep-button": [""],
  })) assert.deepEqual(await list("suspects", { selector }), ids, selector);
  await page.focus("#field");
  assert.deepEqual(await list("focus_suspects", {}), ["late", ""]);
  await page.evaluate(() => { document.querySelector("#field").focus(); document.body.append(document.createElement("div")); let at = document.body.lastChild; for (let depth = 0; depth < 600; depth += 1) { at.append(document.createElement("div")); at = at.lastChild; } at.id = "far-down"; at.textContent = "x"; });
  assert.equal(await list("suspects", { selector: "#far-down" }), null, "too many to ask about");
  const aimed = await call("action_point", { selector: "#field", kind: "type", described: true });
  assert.equal(aimed.seen.kind, "text");
  assert.equal((await call("action_point", { selector: "#field", kind: "type" })).seen, null);
  await page.close();
});

test("describe: kinds, and what sends a form", async () => {
  const { call } = await desk.open("form.html");
  for (const [selector, kind] of [["#name", "text"], ["#note", "text"], ["#when", "set"], ["#colour", "select"], ["#gift", "checkbox"], ["#upload-label", "file"], ["#rich", "editable"], ["#rich b", "editable"], ["#send", "button"], ["nav a", "link"], ["h1", "other"]]) {
    assert.equal((await call("describe", { selector })).kind, kind, selector);
  }
  const icon = await call("describe", { selector: "#icon" });
  assert.deepEqual([icon.kind, icon.submits.method, icon.submits.cross_origin], ["button", "post", false]);
  const elsewhere = await call("describe", { selector: "#elsewhere" });
  assert.deepEqual([elsewhere.submits.action, elsewhere.submits.cross_origin], ["https://other.example/take", true]);
  assert.equal((await call("describe", { selector: "#calc" })).submits, null);
  assert.equal((await call("describe", { selector: "#q" })).enter_submits.via, "Enter");
  assert.equal((await call("describe", { selector: "#name" })).enter_submits.method, "post");
  const login = await (await desk.open("secrets.html")).call("describe", { selector: "button" });
  assert.deepEqual([login.submits.cross_origin, login.submits.secret_fields > 3], [true, true]);
});

test("describe: a click on a control is one on the button around it, too", async () => {
  const { page, call } = await desk.open("sending.html");
  const cases = { "#inner-field": "<button><input id=inner-field></button>", "#inner-text": "<button><a href=#x><b id=inner-text>x</b></a></button>", "#inner-area": "<button><textarea id=inner-area></textarea></button>" };
  for (const [selector, html] of Object.entries(cases)) {
    await page.evaluate((inside) => { sent.length = 0; document.querySelector("#order").innerHTML = inside; }, html);
    assert.equal((await call("describe", { selector })).submits?.via, "button", selector);
    await page.click(selector);
    assert.deepEqual(await page.evaluate(() => sent), ["order"], `${selector}: that is what the browser does`);
  }
  await page.close();
});

test("prepare_typing: the focus and the caret are where a person would put them", async () => {
  const { call, page, session } = await desk.open("form.html");
  const type = async (selector, text, clear = false) => {
    const answer = await call("prepare_typing", { selector, clear });
    assert.equal(answer.mode, "insert", JSON.stringify(answer));
    await session.send("Input.insertText", { text });
    return page.$eval(selector, (field) => field.value ?? field.textContent);
  };
  assert.equal(await type("#name", "Ada 中 é 🙂"), "Ada 中 é 🙂");
  assert.equal(await type("#name", "!"), "Ada 中 é 🙂!");
  assert.equal(await type("#name", "new", true), "new");
  assert.equal(await type("input[type=email]", "n"), "a@b.examplen", "at the end where a selection cannot be set");
  assert.equal(await type("#amount", "5"), "35");
  assert.equal(await type("#note", "\nthird"), "first line\nsecond line\nthird");
  assert.equal(await type("#rich", "er"), "rich texter");
  assert.equal(await type("#rich", "plain", true), "plain");
  for (const [selector, reason] of [["#off", "disabled"], ["#locked", "readonly"], ["h1", "not_a_field"]]) assert.equal((await call("prepare_typing", { selector })).reason, reason, selector);
  for (const [selector, mode] of [["#when", "set"], ["#colour", "select"], ["#upload", "file"]]) assert.equal((await call("prepare_typing", { selector })).mode, mode);
});

test("set_value and select_option: changed and announced as by a person", async () => {
  const { call, page } = await desk.open("form.html");
  assert.equal((await call("set_value", { selector: "#when", value: "2026-12-31" })).value, "2026-12-31");
  assert.match((await call("set_value", { selector: "#when", value: "31.12.2026" })).message, /2026-12-31/u);
  assert.equal(await page.inputValue("#when"), "2026-12-31");
  const blue = await call("select_option", { selector: "#colour", values: ["Blue"] });
  assert.deepEqual(blue.selected, [{ value: "b", label: "Blue" }]);
  assert.equal((await call("select_option", { selector: "#colour", values: ["b"] })).changed, false);
  assert.deepEqual((await call("select_option", { selector: "#many", values: ["Salt", "Sugar"] })).selected.map(({ label }) => label), ["Salt", "Sugar"]);
  assert.equal(await page.textContent("#log"), "input:when=2026-12-31;change:when=2026-12-31;input:colour=b;change:colour=b;input:many=Salt;change:many=Salt;");
  const none = await call("select_option", { selector: "#colour", values: ["Pink"] });
  assert.deepEqual([none.error, none.options], ["no_option", ["Red", "Green", "Blue", "None"]]);
  assert.equal((await call("select_option", { selector: "#colour", values: ["x"] })).error, "option_disabled");
  assert.equal((await call("select_option", { selector: "#colour", values: ["r", "g"] })).error, "only_one");
  assert.equal((await call("select_option", { selector: "#name", values: ["r"] })).error, "not_a_select");
});

test("a ref of a snapshot works in every call", async () => {
  const { call } = await desk.open("form.html");
  const { text } = await call("snapshot");
  assert.ok((await call("action_point", { ref: refIn(text, '"Send"') })).x > 0);
  assert.equal((await call("prepare_typing", { ref: `[ref=${refIn(text, '"Your name"')}]` })).mode, "insert");
  assert.equal((await call("select_option", { ref: refIn(text, '"Colour"'), labels: ["red"] })).selected[0].value, "r");
});
