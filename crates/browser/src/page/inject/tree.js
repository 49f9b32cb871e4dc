// From the DOM to the small tree that is shown: roles, names, texts; containers that say nothing are dissolved.
//
// A node is {role, name, element, kids, states, value, url, ref, tag}; a kid is such a node, or {words} for text. While
// an element is open its kids also hold BREAK, which parts texts that do not stand on one line.

const BREAK = { words: null };
/** Deeper than this only what can be used stays a node, and deeper than the second nothing does. */
const DEEP = 40;
const TOO_DEEP = 56;

const isText = (kid) => kid.words !== undefined;

/** Builds the tree below `root`. `bounds` as for `walk`. Returns the node of the root; it is one whatever it is. */
function buildTree(root, bounds) {
  const now = focused();
  const top = newNode(root, roleOf(root));
  fill(top, now);
  const open = [{ node: top, own: true, quiet: false, invisible: false, pointer: false, used: INTERACTIVE.has(top.role), block: true, row: null }];
  const visit = {
    enter: (element) => (element === root ? true : enterElement(element, open, now)),
    leave(element) {
      if (element === root) return;
      const { node, own, block } = open.pop();
      if (own) close(node, open[open.length - 1]);
      else if (block) open[open.length - 1].node.kids.push(BREAK);
    },
    text(text) {
      const { node, invisible, mute, quiet } = open[open.length - 1];
      if (!invisible && !mute) node.kids.push({ words: dataOf(text), quiet });
    },
  };
  if (root instanceof HTMLSelectElement) optionKids(top, root);
  else walk(root, visit, bounds);
  settle(top);
  return top;
}

const newNode = (element, role) => ({ role, name: "", element, kids: [], states: [], value: "", url: "", ref: false, secret: false, more: "" });

function enterElement(element, open, now) {
  const outer = open[open.length - 1];
  const tag = localName(element);
  if (NOT_CONTENT.has(tag) || (namespaceOf(element) === SVG && NOT_DRAWN_SVG.has(tag))) return false;
  if (tag === "br") {
    outer.node.kids.push(BREAK);
    return false;
  }
  // Half of all elements have no attributes, and then there is nothing to ask for.
  const bare = !hasAttributes(element);
  if (!bare && (getAttribute(element, "aria-hidden") === "true" || hasAttribute(element, "inert"))) return false;
  const seen = tag === "area" ? "yes" : shown(element);
  if (seen === "no") return false;
  const inner = { node: outer.node, own: false, quiet: outer.quiet, invisible: seen === "invisible" || (seen === "contents" && outer.invisible), pointer: outer.pointer, used: outer.used, block: BLOCK.has(tag) };
  let role = bare && isHtml(element) ? nativeRole(element, tag) : roleOf(element);
  if (role === "svg") role = svgRole(element);
  if (element instanceof HTMLLabelElement) {
    role = labelRole(element, role);
    // The text of a label is the name of its field, and is not told twice.
    if (role === "generic" && element.control) inner.quiet = true;
  }
  if (seen === "yes") {
    const style = getComputedStyle(element);
    if (!inner.quiet && isClipped(element, style)) inner.quiet = true;
    if (!INTERACTIVE.has(role)) role = clickableRole(element, role, bare, style, outer, inner);
  }
  if (INTERACTIVE.has(role)) inner.used = inner.pointer = true;
  if (role === "cell" && outer.node.role !== "row") role = "generic";
  const depth = open.length;
  if (inner.invisible || role === "generic" || (inner.quiet && !INTERACTIVE.has(role)) || tooDeep(role, outer)) {
    if (inner.block) outer.node.kids.push(BREAK);
    open.push(inner);
    return true;
  }
  const node = newNode(element, role);
  node.depth = (outer.node.depth ?? 0) + 1;
  fill(node, now);
  if (inner.clickable) {
    node.ref = true;
    node.states.push("clickable");
  }
  if (ONLY_NAMED.has(role) && !node.name) {
    if (inner.block) outer.node.kids.push(BREAK);
    open.push(inner);
    return true;
  }
  if (LEAVES.has(role) || element instanceof HTMLInputElement || element instanceof HTMLSelectElement || element instanceof HTMLTextAreaElement) {
    close(node, open[depth - 1]);
    return false;
  }
  inner.node = node;
  inner.own = true;
  inner.quiet = false;
  open.push(inner);
  return true;
}

const tooDeep = (role, outer) => (outer.node.depth ?? 0) >= (INTERACTIVE.has(role) ? TOO_DEEP : DEEP);

/** A drawing is an image when it has a name; otherwise the texts inside it are read. */
const svgRole = (element) => (ownName(element) ? "img" : "generic");

/** A label whose field is hidden is what a person uses in its place. */
function labelRole(label, role) {
  const control = label.control;
  if (!control || control === label || shown(control) !== "no") return role;
  return control instanceof HTMLInputElement ? BY_INPUT[control.type] ?? role : role;
}

/** "clickable" for what has no role of use but shows by attribute or pointer that it can be clicked. */
function clickableRole(element, role, bare, style, outer, inner) {
  if (outer.used) return role;
  if (hidesText(element, style)) inner.mute = true;
  let clickable = !bare && isClickableByAttribute(element);
  if (!clickable && !outer.pointer && style.cursor === "pointer") {
    inner.pointer = true;
    clickable = !(element instanceof HTMLLabelElement);
  }
  if (!clickable || element === bodyOf(document) || element === documentElement(document)) return role;
  if (role === "generic") return "clickable";
  inner.clickable = true;
  return role;
}

/** Everything of a node that does not depend on its kids. */
function fill(node, now) {
  const { element, role } = node;
  const subject = element instanceof HTMLLabelElement && role !== "generic" && element.control ? element.control : element;
  node.name = subject === element ? ownName(element) : "";
  node.states = statesOf(subject, role, now);
  if (isSecret(subject)) {
    node.secret = true;
    node.states.push(secretState(subject).slice(1, -1));
  }
  node.value = valueOf(subject, role);
  if (element instanceof HTMLSelectElement) node.more = optionsShown(element);
  if (role === "link") node.url = shortUrl(getAttribute(element, "href") ?? getAttribute(element, "xlink:href"));
  else if (role === "iframe") node.url = shortUrl(getAttribute(element, "src"));
  node.ref = INTERACTIVE.has(role) || node.name !== "";
}

function optionsShown(select) {
  const shownOptions = [];
  let length = 0;
  const { options } = select;
  for (let at = 0; at < options.length && length < 160; at += 1) {
    const label = optionLabel(options[at]) + (options[at].disabled ? " (disabled)" : "");
    length += label.length + 3;
    shownOptions.push(label);
  }
  const left = options.length - shownOptions.length;
  return `options: ${shownOptions.join(" | ")}${left > 0 ? ` | … ${left} more` : ""}`;
}

function optionKids(node, select) {
  const { options } = select;
  for (let at = 0; at < options.length && at < 20_000; at += 1) {
    const option = newNode(options[at], "option");
    option.name = optionLabel(options[at]);
    option.ref = true;
    if (options[at].selected) option.states.push("selected");
    if (options[at].disabled) option.states.push("disabled");
    if (options[at].value !== option.name) option.value = cut(fold(options[at].value), 60);
    node.kids.push(option);
  }
  node.more = "";
}

/** Puts a node that is whole into what surrounds it, or dissolves it there when it says nothing. */
function close(node, outer) {
  settle(node);
  const { kids } = outer.node;
  const { role, element } = node;
  if (role === "img" && !node.name) {
    // A picture without a name is told of when it is large, by its file's name.
    if (!isHtml(element) || offsetWidth(element) < 64 || offsetHeight(element) < 64) return;
    node.value = fileName(getAttribute(element, "src"));
    kids.push(node);
    return;
  }
  if (role === "clickable") {
    const only = node.kids.length === 1 && !isText(node.kids[0]) ? node.kids[0] : null;
    if ((only && INTERACTIVE.has(only.role)) || (node.kids.length === 0 && !node.name && !hasSize(element))) {
      kids.push(...node.kids);
      return;
    }
  }
  if (role === "listitem" && !node.ref && node.kids.length === 1 && !isText(node.kids[0]) && node.kids[0].role !== "listitem") {
    kids.push(node.kids[0]);
    return;
  }
  const empty = node.kids.length === 0 && !node.ref && !node.value && node.states.length === 0;
  if (empty && role !== "separator" && role !== "cell" && role !== "columnheader" && role !== "rowheader") return;
  kids.push(node);
}

/** Joins the texts of a node that is whole, and takes its name from them where its role does so. */
function settle(node) {
  const byContent = NAMED_BY_CONTENT.has(node.role) && !node.name;
  if (byContent) nameByContent(node);
  const kids = [];
  let words = "";
  const flush = () => {
    const text = words === "" ? "" : fold(words);
    if (text) kids.push({ words: text });
    words = "";
  };
  for (const kid of node.kids) {
    if (!isText(kid)) {
      flush();
      kids.push(kid);
    } else if (kid === BREAK) flush();
    else if (!kid.quiet) words += kid.words;
  }
  flush();
  node.kids = kids;
  if (!node.name) node.name = spareName(node.element);
  if (NAMED_BY_CONTENT.has(node.role) && (node.taken || addsNothing(node))) node.kids = node.kids.filter((kid) => !isText(kid) && !(kid.role === "img" && !kid.url));
  if (node.name) node.ref = true;
  // The caption is the name already.
  if ((node.role === "table" || node.role === "group" || node.role === "figure") && node.name) dropFirstText(node);
}

function dropFirstText(node) {
  const at = node.kids.findIndex((kid) => isText(kid) && kid.words === node.name);
  if (at >= 0) node.kids.splice(at, 1);
}

/** The name again, or a sign like × that the name explains. */
const addsNothing = (node) => node.name !== "" && node.kids.length === 1 && isText(node.kids[0]) && (node.kids[0].words === node.name || node.kids[0].words.length <= 3);

function nameByContent(node) {
  const text = fold(content(node, NAME_MAX * 6));
  if (!text) return;
  // What is too long for a name is kept below it, and the name is its beginning.
  node.taken = text.length <= NAME_MAX;
  node.name = node.taken ? text : cut(text, 60);
}

/** The text of a node and all in it, up to about `max`; the depth of nodes is bounded, so this may recur. */
function content(node, max) {
  let text = "";
  for (const kid of node.kids) {
    if (text.length > max) break;
    if (kid === BREAK) text += " ";
    else if (isText(kid)) text += kid.words.slice(0, max);
    else text += ` ${kid.name || kid.value || content(kid, max - text.length)} `;
  }
  return text;
}
