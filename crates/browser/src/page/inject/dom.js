// `dom`: the elements as they are written, simplified.

const USEFUL = ["type", "name", "value", "href", "src", "alt", "title", "placeholder", "for", "action", "method", "role",
  "aria-label", "aria-expanded", "aria-hidden", "aria-checked", "aria-selected", "disabled", "checked", "selected", "required",
  "readonly", "multiple", "target", "tabindex", "contenteditable", "hidden", "open", "colspan", "rowspan", "data-testid", "slot"];
const NOT_IN_DOM = new Set(["script", "style", "noscript", "template", "link", "meta", "base"]);
const ATTRIBUTE_MAX = 100;
const DOM_TEXT_MAX = 200;

function tagLine(element) {
  let line = `<${localName(element).slice(0, 60)}`;
  const id = getAttribute(element, "id");
  if (id) line += `#${cut(fold(id), 60)}`;
  const classes = (getAttribute(element, "class") ?? "").slice(0, 1000).trim().split(/\s+/u).filter(Boolean);
  for (const name of classes.slice(0, 4)) line += `.${cut(fold(name), 40)}`;
  if (classes.length > 4) line += `.…${classes.length - 4}`;
  const secret = isSecret(element);
  for (const name of USEFUL) {
    let value = getAttribute(element, name);
    if (name === "value" && !(element instanceof HTMLOptionElement || element instanceof HTMLButtonElement)) {
      // What a field holds now, not what it began with; and nothing of a secret, not even what it began with.
      if (secret) continue;
      if (element instanceof HTMLInputElement && element.type !== "file") value = element.value || null;
    }
    if (name === "checked" && element instanceof HTMLInputElement) value = element.checked ? "" : null;
    if (value === null) continue;
    if (name === "href" || name === "src" || name === "action") value = shortUrl(value, ATTRIBUTE_MAX);
    line += value === "" ? ` ${name}` : ` ${name}=${quote(cut(fold(value), ATTRIBUTE_MAX))}`;
  }
  if (secret) line += ` ${secretState(element)}`;
  return `${line}>`;
}

/**
 * dom({selector | ref, max_depth = 3, max_chars = 16000}) → {text, chars, elements, truncated, left_out: {deeper, more}}.
 * One line for each element, `<tag#id.class name="value"> text`, indented; scripts and styles are left out, and open
 * shadow roots are entered (`#shadow-root`). `deeper` is how many elements lie below max_depth, `more` how many more did
 * not fit. Errors: as `locate`.
 */
function dom({ selector, ref, max_depth, max_chars } = {}, given) {
  let root = bodyOf(document) ?? documentElement(document);
  if (selector || ref || isElement(given)) {
    const found = locate({ selector, ref }, given);
    if (found.error) return found;
    root = found.element;
  }
  const deepest = whole(max_depth, 3, 0, 200);
  const budget = whole(max_chars, DEFAULT_CHARS, 200, 2_000_000);
  const state = { lines: [], chars: 0, elements: 0, deeper: 0, more: 0, budget };
  if (root) collectDom(root, deepest, state);
  const notes = [];
  if (state.deeper > 0) notes.push(`… ${plural(state.deeper, "element")} deeper than max_depth ${deepest}`);
  if (state.more > 0) notes.push(`… ${plural(state.more, "more element")} left out: name a part of the page by selector`);
  const text = [...state.lines, ...notes].join("\n").toWellFormed();
  return { text, chars: text.length, elements: state.elements, truncated: state.deeper + state.more > 0, left_out: { deeper: state.deeper, more: state.more } };
}

function collectDom(root, deepest, state) {
  const put = (depth, line) => {
    const size = line.length + Math.min(depth, 40) * 2 + 1;
    if (state.chars + size > state.budget - 160) return false;
    state.chars += size;
    state.lines.push("  ".repeat(Math.min(depth, 40)) + line);
    return true;
  };
  // Each entry: a node to write, or what is below one. Backwards, since the last one is taken first.
  const todo = [{ node: root, depth: 0 }];
  for (let seen = 0; todo.length > 0 && seen < NODES; seen += 1) {
    const { node, depth } = todo.pop();
    if (nodeType(node) === 3) {
      const words = fold(dataOf(node).slice(0, DOM_TEXT_MAX * 4));
      if (words && state.more === 0) put(depth, cut(words, DOM_TEXT_MAX));
      continue;
    }
    if (nodeType(node) !== 1 || NOT_IN_DOM.has(localName(node))) continue;
    if (depth > deepest) state.deeper += 1;
    else writeElement(node, depth, state, put);
    const below = [];
    const shadow = shadowOf(node);
    if (shadow) for (let child = firstChild(shadow); child; child = nextSibling(child)) below.push({ node: child, depth: depth + 1 });
    if (!isSecret(node)) for (let child = firstChild(node); child; child = nextSibling(child)) {
      const type = nodeType(child);
      if (type === 1 || (type === 3 && depth < deepest && !onlyText(node))) below.push({ node: child, depth: depth + 1 });
    }
    for (let at = below.length - 1; at >= 0; at -= 1) todo.push(below[at]);
  }
}

/** The text of an element that holds nothing else stands on its own line with it. */
function onlyText(element) {
  const child = firstChild(element);
  return child !== null && nodeType(child) === 3 && nextSibling(child) === null;
}

function writeElement(element, depth, state, put) {
  let line = tagLine(element);
  if (shadowOf(element)) line += " #shadow-root";
  if (onlyText(element) && !isSecret(element)) {
    const words = cut(fold(dataOf(firstChild(element)).slice(0, DOM_TEXT_MAX * 4)), DOM_TEXT_MAX);
    if (words) line += ` ${words}`;
  }
  if (state.more === 0 && put(depth, line)) state.elements += 1;
  else state.more += 1;
}
