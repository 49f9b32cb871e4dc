// `snapshot`: the page as a model reads it; `since`: only what became different.

const DEFAULT_CHARS = 16_000;
const NODES = 150_000;
const SCRIPT_MS = 1_500;
const KEPT = 4;
const KEPT_LINES = 20_000;

// Keys tell elements of two snapshots apart without holding them.
const keys = new WeakMap();
let lastKey = 0;
let lastId = 0;
const kept = new Map();

function keyOf(element) {
  let key = keys.get(element);
  if (key === undefined) keys.set(element, (key = ++lastKey));
  return key;
}

/**
 * snapshot({max_chars = 16000, root_ref, offset = 0, depth, since}) →
 *   {id, text, url, title, chars, lines, nodes, truncated, stopped, frames: [{ref, line, depth, url}], focused, ms}
 *   and with `since`: {…, changes: {added, changed, removed}} or {…, since_lost: true} with the whole.
 * Errors: stale_ref, bad_ref.
 */
function snapshot({ max_chars, root_ref, offset, depth, since } = {}) {
  const started = performance.now();
  let root = documentElement(document);
  if (root_ref) {
    const found = byRef(root_ref);
    if (found.error) return found;
    root = found.element;
  }
  const budget = whole(max_chars, DEFAULT_CHARS, 200, 2_000_000);
  const id = ++lastId;
  if (!root) return result(id, [], null, { stopped: false }, started);
  const bounds = within(NODES, SCRIPT_MS);
  const top = buildTree(root, bounds);
  top.top = !root_ref;
  const deepest = whole(depth, 1000, 1, 1000) - 1;
  const base = root_ref ? 1 : 0;
  if (root_ref) {
    top.ref = true;
    top.line = headAndValue(top) + (top.kids.length > 0 ? ":" : "");
  }
  measure(top, base, deepest + base);
  const previous = (since !== undefined && since !== null && kept.get(Number(since))) || null;
  const now = remember(id, top, root_ref ?? "", previous !== null);
  const out = [];
  if (previous && previous.root === (root_ref ?? "")) {
    const changes = difference(previous, now, top, budget, out);
    return { ...result(id, out, top, bounds, started), changes, since: Number(since) };
  }
  if (root_ref) out.push({ depth: 0, line: top.line, node: top });
  const from = whole(offset, 0, 0, top.kids.length);
  if (from > 0) out.push({ depth: base, line: `… ${from} before: offset=0`, node: null });
  lay(top, from, budget - 120, base, out);
  if (bounds.stopped) out.push({ depth: 0, line: "… the page is too large to read as a whole: what follows was not read; ask with root_ref", node: null });
  const all = result(id, out, top, bounds, started);
  return since === undefined || since === null ? all : { ...all, since_lost: true };
}

function result(id, out, top, bounds, started) {
  const frames = [];
  const lines = out.map(({ depth, line, node, mark }, at) => {
    if (node?.role === "iframe" && node.element) frames.push({ ref: refOf(node.element), line: at, depth, url: shortUrl(getAttribute(node.element, "src"), 500) });
    return `${mark ?? ""}${"  ".repeat(depth)}- ${line}`;
  });
  const text = lines.join("\n").toWellFormed();
  const now = focused();
  return {
    id,
    text,
    url: location.href,
    title: cut(fold(titleOf(document)), 200),
    chars: text.length,
    lines: lines.length,
    nodes: top?.count ?? 0,
    truncated: out.left === true || bounds.stopped,
    stopped: bounds.stopped,
    frames,
    focused: now && now !== bodyOf(document) && now !== documentElement(document) ? refOf(now) : null,
    ms: round(performance.now() - started),
  };
}

/** Keeps the lines of a snapshot by key, so that a later one can be compared with it. */
function remember(id, top, root, listed) {
  const lines = new Map();
  const list = [];
  const add = (node, depth, parent) => {
    let texts = 0;
    for (const kid of node.kids) {
      if (lines.size >= KEPT_LINES) return;
      const key = isText(kid) ? `${parent}t${texts++}` : `${keyOf(kid.element)}`;
      if (listed) list.push({ key, depth, line: kid.line, parent, node: kid });
      lines.set(key, kid.line);
      add(kid, depth + 1, key);
    }
  };
  add(top, 0, `${keyOf(top.element)}`);
  kept.set(id, { root, lines });
  for (const old of kept.keys()) if (kept.size > KEPT) kept.delete(old);
  return list;
}

/** Fills `out` with what differs: "+ " new, "~ " different, "- " gone; lines without a mark say where that is. */
function difference(previous, list, top, budget, out) {
  const byKey = new Map(list.map((entry) => [entry.key, entry]));
  const counts = { added: 0, changed: 0, removed: 0 };
  const written = new Set();
  let left = budget;
  let skipped = 0;
  const write = (entry, mark, line) => {
    left -= line.length + entry.depth * 2 + 6;
    if (left < 0) skipped += 1;
    else out.push({ depth: entry.depth, line, node: mark === "  " ? null : entry.node, mark });
  };
  for (const entry of list) {
    const before = previous.lines.get(entry.key);
    if (before === entry.line) continue;
    counts[before === undefined ? "added" : "changed"] += 1;
    const chain = [];
    for (let outer = byKey.get(entry.parent); outer && !written.has(outer.key); outer = byKey.get(outer.parent)) chain.unshift(outer);
    for (const outer of chain) {
      written.add(outer.key);
      write(outer, "  ", cut(outer.line, 80));
    }
    written.add(entry.key);
    write(entry, before === undefined ? "+ " : "~ ", entry.line);
  }
  for (const [key, line] of previous.lines) {
    if (byKey.has(key)) continue;
    counts.removed += 1;
    write({ depth: 0, node: null }, "- ", cut(line, 100));
  }
  if (skipped > 0) {
    out.left = true;
    out.push({ depth: 0, line: `… ${plural(skipped, "more line")} changed: take a whole snapshot`, node: null, mark: "  " });
  }
  return counts;
}

/** One line for one element, as it would stand in a snapshot, always with its ref. */
function lineFor(element) {
  const node = buildTree(element, within(3000, 50));
  node.ref = true;
  node.more = "";
  if (!node.name && node.kids.length > 0) node.value ||= cut(fold(content(node, 200)), 80);
  if (node.role === "generic" || node.role === "svg") node.role = localName(element).slice(0, 40);
  return headAndValue(node);
}
