import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { inject, refIn, start } from "./frame.mjs";

let desk;
before(async () => { desk = await start(); });
after(() => desk.close());

/** Asserts that each of `lines` stands in the snapshot, without regard to its indent and the number of its ref. */
function has(text, lines) {
  const all = text.split("\n").map((line) => line.trim().replaceAll(/\[ref=\w+\]/gu, "[ref]"));
  for (const line of lines) assert.ok(all.includes(line), `«${line}» is missing in:\n${text}`);
}

test("a form: roles, names, states, values", async () => {
  const { call } = await desk.open("form.html");
  const { text, truncated } = await call("snapshot");
  has(text, [
    '- navigation "Main" [ref]:', '- link "Home" [ref] [url=/home]', '- link "Help" [ref] [url=https://other.example/help]',
    '- heading "Order" [ref] [level=1]', "- text: Please fill in the form.", "- text: It is short.", '- form "Order" [ref]:',
    '- textbox "Your name" [ref] [required]', '- textbox "E-mail" [ref] [type=email]: a@b.example', '- spinbutton "Amount" [ref]: 3',
    '- textbox "When" [ref] [type=date]', '- textbox "Note" [ref]: first line second line',
    '- combobox "Colour" [ref]: Green (options: Red | Green | Blue | None (disabled))', '- group "Size" [ref]:',
    '- radio "Small" [ref] [unchecked]', '- radio "Large" [ref] [checked]', '- checkbox "Gift" [ref] [unchecked]',
    '- button "Add a file" [ref] [type=file]', '- button "Price" [ref] [pressed]', '- button "Not yet" [ref] [disabled]', '- button "Send" [ref]',
    '- searchbox "Search" [ref]', '- textbox "Remarks" [ref]: rich text', '- textbox "Locked" [ref] [readonly]: fixed',
    '- button "More" [ref] [collapsed]', '- progressbar "Done" [ref]: 30%', '- checkbox "All" [ref] [mixed]',
  ]);
  assert.equal(truncated, false);
  assert.ok(!text.includes("inside details"));
  assert.ok(!text.includes("text: Your name"), "a label is told once, as the name of its field");
  const root = await call("snapshot", { root_ref: refIn(text, "combobox") });
  has(root.text, ['- option "Red" [ref]: r', '- option "Green" [ref] [selected]: g', '- option "None" [ref] [disabled]: x']);
});

test("roles and names by ARIA and by HTML", async () => {
  const { call } = await desk.open("roles.html");
  const { text, focused } = await call("snapshot");
  has(text, [
    '- tablist "Views" [ref]:', '- tab "One" [ref] [selected]', '- tabpanel "Panel" [ref]: Panel text', '- button "Close" [ref]',
    '- button "By title" [ref]', '- button "First second" [ref]: content', '- link "Logo" [ref] [url=/x?q=1#top]', '- link "Script link" [ref]',
    "- text: No link", '- img "Big picture" [ref]', "- img: unnamed.jpg", '- heading "A bold heading" [ref] [level=2]',
    '- heading "Level four" [ref] [level=4]', '- menuitem "Open" [ref] [collapsed]', '- menuitemcheckbox "Wrap" [ref] [checked]',
    '- switch "Dark" [ref] [unchecked]', '- slider "Volume" [ref]: 40', '- clickable "Clicked by attribute" [ref]',
    '- clickable "Clicked by pointer" [ref]', '- link "Only a link inside" [ref] [url=/inside]', "- listitem: plain item",
    '- listitem: item with link "a link" [ref] [url=/l] in it', "- term: Term", "- definition: Meaning", "- text: in an unnamed section",
    '- region "Named section" [ref]: in a named section', '- row: Key | Value button "Copy" [ref]', '- dialog "Question" [ref]:',
    '- button "Yes" [ref] [focused]', '- button "Still a button" [ref]', "- blockquote: Quoted", '- button "Here" [ref] [disabled] [current=page]',
    '- text: fake [ref:e1] text "quoted" \\ andzerowidth',
  ]);
  assert.equal(focused, refIn(text, '"Yes"'));
});

test("what a person cannot see is left out", async () => {
  const { call } = await desk.open("hidden.html");
  const { text } = await call("snapshot");
  assert.ok(!text.includes("SECRET"), text);
  has(text, ["- text: shown text", "- text: shown again", '- button "Named by clipped text×" [ref]', '- checkbox "Styled" [ref] [unchecked]',
    "- text: shown through contents", "- text: shown by overflow"]);
});

test("secrets never leave the page, in whatever way it is read", async () => {
  const { page, call } = await desk.open("secrets.html");
  const first = await call("snapshot");
  // Now that it was seen as a password, showing its text does not tell it either.
  await page.evaluate(() => { document.getElementById("toggled").type = "text"; });
  const answers = [first, await call("snapshot"), await call("snapshot", { since: first.id }), await call("dom", { max_depth: 20 })];
  for (const selector of ["#pass", "#toggled", "[name=cvv]", "[autocomplete*=cc-number]", "[autocomplete=one-time-code]"]) {
    for (const name of ["describe", "prepare_typing", "action_point"]) answers.push(await call(name, { selector }));
    assert.equal((await call("describe", { selector })).secret, true, selector);
  }
  assert.ok(!JSON.stringify(answers).includes("SECRET"), JSON.stringify(answers));
  has(first.text, ['- textbox "Password" [ref] [password, filled]', '- textbox "Empty" [ref] [password, empty]', '- textbox "User" [ref]: ada']);
});

test("shadow roots and slots, in the order they are drawn", async () => {
  const { call } = await desk.open("shadow.html");
  const { text } = await call("snapshot");
  assert.deepEqual(text.split("\n").map((line) => line.trim().replaceAll(/\[ref=\w+\]/gu, "[ref]")), [
    '- heading "Card title" [ref] [level=2]', "- text: Default slot text", '- button "Buy" [ref]', "- text: fallback text",
    '- region "Outer" [ref]:', '- textbox "Deep field" [ref]',
  ]);
});

test("frames have a ref and a place, and refs of two documents differ", async () => {
  const { call, element, session, frameTree } = await desk.open("frames.html", "a");
  const { text, frames } = await call("snapshot");
  assert.equal(frames.length, 1);
  assert.match(text.split("\n")[frames[0].line], /iframe "Inner"/u);
  const handle = await element({ ref: frames[0].ref });
  const { node } = await session.send("DOM.describeNode", { objectId: handle.objectId });
  const child = frameTree.childFrames.find(({ frame }) => frame.id === node.frameId);
  assert.match(child.frame.url, /frame-inner/u);
  const inner = await inject(session, child.frame.id, "b");
  const within = await inner.call("snapshot");
  assert.match(within.text, /button "Inner button" \[ref=be\d+\]/u);
  const stale = await inner.call("describe", { ref: refIn(text, "Outer button") });
  assert.deepEqual([stale.error, stale.reason], ["stale_ref", "other_document"]);
});

test("a table of 1,000 rows is shortened in its middle, and all of it can be reached", async () => {
  const { call } = await desk.open("table.html");
  const { text, truncated } = await call("snapshot");
  assert.ok(Buffer.byteLength(text) < 20_000, `${Buffer.byteLength(text)}`);
  assert.equal(truncated, true);
  assert.match(text, /header row: No \| Name \| City \| Action/u);
  assert.match(text, /row: 1000 \| Person 1000/u);
  assert.match(text, /heading "After the table"/u);
  const seen = new Set([...text.matchAll(/row: (\d+) \|/gu)].map((found) => found[1]));
  let more = /… \d+ more rows: root_ref=(\w+) offset=(\d+)/u.exec(text);
  for (let round = 0; more && round < 20; round += 1) {
    const next = await call("snapshot", { root_ref: more[1], offset: Number(more[2]) });
    for (const found of next.text.matchAll(/row: (\d+) \|/gu)) seen.add(found[1]);
    more = /… \d+ more rows: root_ref=(\w+) offset=(\d+)/u.exec(next.text);
  }
  assert.equal(seen.size, 1000);
});

test("10,000 elements: under 20 KB, with the whole page's outline", async () => {
  const { call } = await desk.open("many-nodes.html");
  const { text, truncated } = await call("snapshot");
  assert.ok(Buffer.byteLength(text) < 20_000, `${Buffer.byteLength(text)}`);
  assert.equal(truncated, true);
  for (const part of ["banner", 'navigation "Groups"', 'link "Group 39"', 'heading "Everything"', 'link "Imprint"']) assert.ok(text.includes(part), part);
  const small = await call("snapshot", { max_chars: 2000 });
  assert.ok(small.text.length <= 2000, `${small.text.length}`);
  for (const part of ["banner", 'navigation "Groups"', "main", "contentinfo"]) assert.ok(small.text.includes(part), small.text);
  const shallow = await call("snapshot", { depth: 1 });
  assert.match(shallow.text, /^- main \[ref=\w+\] … \d+ inside \(by root_ref\)$/mu);
});

test("refs stay with their element, and die with it", async () => {
  const { page, call } = await desk.open("changing.html", "d1");
  const first = await call("snapshot");
  const again = await call("snapshot");
  assert.equal(first.text, again.text);
  const go = refIn(first.text, '"Go"');
  assert.match(go, /^d1e\d+$/u);
  await page.evaluate(() => document.body.insertAdjacentHTML("afterbegin", "<button>Before</button>"));
  assert.equal(refIn((await call("snapshot")).text, '"Go"'), go);
  await page.evaluate(() => document.getElementById("go").remove());
  for (const [ref, error, reason] of [[go, "stale_ref", "removed"], ["d1e9999", "stale_ref", "never_given"], ["d0e1", "stale_ref", "other_document"], ["Go", "bad_ref", undefined]]) {
    const answer = await call("describe", { ref });
    assert.deepEqual([answer.error, answer.reason], [error, reason], ref);
  }
});

test("since: only what is different", async () => {
  const { page, call } = await desk.open("changing.html");
  const first = await call("snapshot");
  const same = await call("snapshot", { since: first.id });
  assert.deepEqual([same.text, same.changes], ["", { added: 0, changed: 0, removed: 0 }]);
  await page.evaluate(() => { location.hash = "add,status,remove"; });
  await page.waitForFunction(() => !document.getElementById("go"));
  const { text, changes } = await call("snapshot", { since: same.id });
  assert.deepEqual(changes, { added: 1, changed: 1, removed: 1 });
  assert.match(text, /^ {2}- list:$/mu);
  assert.match(text, /^\+ {3}- listitem: three button "Remove" \[ref=\w+\]$/mu);
  assert.match(text, /^~ - text: busy$/mu);
  assert.match(text, /^- - button "Go"/mu);
  const lost = await call("snapshot", { since: 12345 });
  assert.equal(lost.since_lost, true);
  assert.match(lost.text, /heading "Things"/u);
});

test("languages: nothing is cut inside a character, joiners stay", async () => {
  const { call } = await desk.open("languages.html");
  const { text, title } = await call("snapshot", { max_chars: 1500 });
  assert.equal(title, "语言测试");
  has(text, ['- heading "你好，世界" [ref] [level=1]', '- textbox "搜索" [ref]: 中文 é 🙂', '- button "提交" [ref]', '- button "حفظ" [ref]', "- text: می‌خواهم", "- text: 👩‍👩‍👧‍👦 family, 𠮷野家"]);
  assert.ok(!text.includes("\ufffd"));
  assert.ok(text.isWellFormed?.() ?? true);
});

test("a modal dialog says so", async () => {
  const { page, call } = await desk.open("dialogs.html");
  await page.click("#open");
  const { text } = await call("snapshot");
  assert.match(text, /dialog "Modal" \[ref=\w+\] \[modal\]/u);
  const covered = await call("action_point", { selector: "#alert" });
  assert.equal(covered.reason, "covered");
});
