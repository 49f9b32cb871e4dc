// The tree as lines of text, within a budget: what does not fit is shortened where it is longest, and says how to see it.

const WORDS_MAX = 1500;
const INLINE_MAX = 200;
const SIMPLE = new Set(["listitem", "cell", "columnheader", "rowheader", "term", "definition"]);

/** What a node says of itself, on one line and without its kids. */
function head(node) {
  let line = node.role;
  if (node.name) line += ` ${quote(node.name)}`;
  if (node.ref) line += ` [ref=${refOf(node.element)}]`;
  for (const state of node.states) line += ` [${state}]`;
  if (node.url) line += ` [url=${node.url.replaceAll("]", "%5D")}]`;
  return line;
}

const isLeaf = (node) => node.kids.length === 0;

/** Text and leaves that stand on one line together; null when there is more to them. */
function inline(kids) {
  let line = "";
  for (const kid of kids) {
    if (!isText(kid) && !isLeaf(kid)) return null;
    const part = isText(kid) ? kid.words : headAndValue(kid);
    line += line === "" ? part : ` ${part}`;
    if (line.length > INLINE_MAX) return null;
  }
  return line;
}

function headAndValue(node) {
  const tail = [node.value, node.more && `(${node.more})`].filter(Boolean).join(" ");
  return tail ? `${head(node)}: ${tail}` : head(node);
}

/** Rows are one line each, their cells parted by bars, unless a cell holds something larger. */
function rowLine(row) {
  const cells = [];
  let headers = 0;
  for (const kid of row.kids) {
    if (isText(kid)) {
      cells.push(cut(kid.words, INLINE_MAX));
      continue;
    }
    const header = kid.role === "columnheader";
    if (!header && kid.role !== "cell" && kid.role !== "rowheader") return null;
    headers += header ? 1 : 0;
    const body = inline(kid.kids);
    if (body === null) return null;
    // A header is named by its content; with something to use inside, that stands for it.
    const label = body !== "" && kid.kids.some((inner) => !isText(inner)) ? "" : kid.name;
    const stated = kid.states.length > 0 ? ` [${kid.states.join("] [")}]` : "";
    cells.push(((label && label !== body ? `${label} ${body}` : body) + stated).trim());
  }
  const start = headers > 0 && headers === cells.length ? "header row" : "row";
  const own = head({ ...row, role: start, name: "" });
  return `${own}: ${cells.join(" | ")}`;
}

/** Gives every kid below `node` its `line`, `size` (with all below it) and `count` (lines). The depth is bounded. */
function measure(node, depth, deepest) {
  let size = 0;
  let count = 0;
  for (const kid of node.kids) {
    if (isText(kid)) {
      kid.line = `text: ${cut(kid.words, WORDS_MAX)}`;
      kid.kids = [];
      kid.size = 0;
      kid.count = 0;
    } else {
      lineOf(kid);
      if (depth >= deepest && kid.kids.length > 0) {
        const inside = countBelow(kid);
        kid.ref = true;
        kid.kids = [];
        kid.line = `${headAndValue(kid)} … ${inside} inside (by root_ref)`;
      }
      measure(kid, depth + 1, deepest);
    }
    kid.size += kid.line.length + depth * 2 + 3;
    kid.count += 1;
    size += kid.size;
    count += kid.count;
  }
  node.size = size;
  node.count = count;
}

function countBelow(node) {
  let count = 0;
  const todo = [node];
  while (todo.length > 0) for (const kid of todo.pop().kids ?? []) {
    count += 1;
    if (!isText(kid)) todo.push(kid);
  }
  return count;
}

function lineOf(node) {
  const row = node.role === "row" ? rowLine(node) : null;
  if (row !== null) {
    node.line = row;
    node.kids = [];
    return;
  }
  node.line = headAndValue(node);
  if (node.kids.length === 0) return;
  const only = node.kids.length === 1 && isText(node.kids[0]);
  const body = SIMPLE.has(node.role) ? inline(node.kids) : only && node.kids[0].words.length <= WORDS_MAX ? node.kids[0].words : null;
  if (body !== null) {
    node.line += node.line.endsWith(":") ? ` ${body}` : `: ${body}`;
    node.kids = [];
  } else node.line += ":";
}

/** The level up to which all sizes may go so that they come to `budget` together. */
function fairShare(sizes, budget) {
  const sorted = [...sizes].sort((a, b) => a - b);
  let left = budget;
  for (let at = 0; at < sorted.length; at += 1) {
    const level = left / (sorted.length - at);
    if (sorted[at] > level) return level;
    left -= sorted[at];
  }
  return Infinity;
}

const RUN = 6;
const LINE = 50;
const NOUNS = { row: "row", listitem: "item", link: "link", option: "option", text: "text", button: "button", heading: "heading", cell: "cell" };

/** Neighbours of one role, taken together: [{from, to, size}]. Short ones stand alone. */
function runsOf(kids, from) {
  const runs = [];
  for (let at = from; at < kids.length;) {
    let to = at + 1;
    while (to < kids.length && kids[to].role === kids[at].role) to += 1;
    if (to - at >= RUN) {
      let size = 0;
      for (let index = at; index < to; index += 1) size += kids[index].size;
      runs.push({ from: at, to, size });
    } else for (let index = at; index < to; index += 1) runs.push({ from: index, to: index + 1, size: kids[index].size });
    at = to;
  }
  return runs;
}

/** Writes the kids of `owner` from `offset` on into `out` (an array of {depth, line, node}) within `budget` characters. */
function lay(owner, offset, budget, depth, out) {
  const { kids } = owner;
  let total = 0;
  for (let at = offset; at < kids.length; at += 1) total += kids[at].size;
  if (total <= budget) {
    for (let at = offset; at < kids.length; at += 1) layWhole(kids[at], depth, out);
    return;
  }
  let runs = runsOf(kids, offset);
  if (runs.length * LINE > budget) runs = [{ from: offset, to: kids.length, size: total }];
  const level = fairShare(runs.map((run) => run.size), budget);
  for (const run of runs) {
    const share = Math.min(run.size, level);
    if (run.to - run.from === 1) layOne(kids[run.from], share, depth, out);
    else layRun(owner, run, share, depth, out);
  }
}

function layWhole(kid, depth, out) {
  out.push({ depth, line: kid.line, node: kid });
  for (const inner of kid.kids) layWhole(inner, depth + 1, out);
}

/** One kid within its share: whole, shortened inside, or only its own line. */
function layOne(kid, share, depth, out) {
  if (kid.size <= share) {
    layWhole(kid, depth, out);
    return;
  }
  out.left = true;
  const rest = share - kid.line.length - depth * 2 - 3;
  if (isText(kid) || kid.kids.length === 0) {
    const room = Math.max(LINE, share - depth * 2 - 3 - 20);
    const more = kid.line.length - room;
    out.push({ depth, line: more > 0 ? `${cut(kid.line, room)} (${more} more characters)` : kid.line, node: kid });
  } else if (rest < LINE * 2) {
    kid.ref = true;
    out.push({ depth, line: `${headAndValue(kid)} … ${plural(kid.count - 1, "line")} inside (by root_ref)`, node: kid });
  } else {
    out.push({ depth, line: kid.line, node: kid });
    lay(kid, 0, rest, depth + 1, out);
  }
}

/** Many neighbours of one kind: the first ones, how many are left out and how to see them, and the last one. */
function layRun(owner, run, share, depth, out) {
  const { kids } = owner;
  const last = kids[run.to - 1];
  if (run.size <= share) {
    for (let at = run.from; at < run.to; at += 1) layWhole(kids[at], depth, out);
    return;
  }
  out.left = true;
  const tail = last.size < share / 4 ? last.size : 0;
  let left = share - tail - LINE - depth * 2;
  let at = run.from;
  for (; at < run.to - 1; at += 1) {
    // One large neighbour must not take the place of all others.
    const room = Math.min(kids[at].size, Math.max(share / 3, LINE));
    if (room > left && at > run.from) break;
    layOne(kids[at], Math.min(room, Math.max(left, LINE)), depth, out);
    left -= room;
  }
  const end = tail ? run.to - 1 : run.to;
  if (end > at) {
    let same = true;
    for (let index = at; index < end && same; index += 1) same = kids[index].role === kids[at].role;
    const noun = same ? NOUNS[kids[at].role ?? "text"] ?? kids[at].role : "item";
    out.push({ depth, line: `… ${plural(end - at, `more ${noun}`)}: ${owner.top ? "" : `root_ref=${refOf(owner.element)} `}offset=${at}`, node: null });
  }
  if (tail) layWhole(last, depth, out);
}
