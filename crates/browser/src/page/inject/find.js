// From what a model names (a ref, a CSS selector, a point) to an element.

const ELEMENTS = 100_000;

/** The document and every open shadow root in it. */
function allRoots() {
  const roots = [document];
  let seen = 0;
  for (let at = 0; at < roots.length && at < 2000; at += 1) {
    const walker = createTreeWalker(document, roots[at], NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node && seen < ELEMENTS; node = walker.nextNode(), seen += 1) {
      const shadow = shadowOf(node);
      if (shadow) roots.push(shadow);
    }
  }
  return roots;
}

/** Splits a selector at the places of `wanted` (a comma or a blank) that are outside brackets, quotes and parentheses. */
function splitSelector(selector, wanted) {
  const parts = [];
  let start = 0;
  let depth = 0;
  let quoted = "";
  for (let at = 0; at < selector.length; at += 1) {
    const char = selector[at];
    if (char === "\\") at += 1;
    else if (quoted) quoted = char === quoted ? "" : quoted;
    else if (char === '"' || char === "'") quoted = char;
    else if (char === "[" || char === "(") depth += 1;
    else if (char === "]" || char === ")") depth -= 1;
    else if (depth === 0 && wanted.test(char)) {
      parts.push(selector.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(selector.slice(start));
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

/** Parts between descendant combinators; `a > b` stays together. */
function descendantParts(selector) {
  const parts = [];
  let joined = false;
  for (const word of splitSelector(selector.replace(/\s*([>+~])\s*(?![^[]*\])/gu, " $1 "), /\s/u)) {
    const combinator = word === ">" || word === "+" || word === "~";
    if (parts.length > 0 && (combinator || joined)) parts[parts.length - 1] += ` ${word}`;
    else parts.push(word);
    joined = combinator;
  }
  return parts;
}

/** Elements that match when blanks in the selector may also step into a shadow root. */
function acrossRoots(selector, roots) {
  const found = new Set();
  for (const one of splitSelector(selector, /,/u)) {
    const parts = descendantParts(one);
    const last = parts.pop();
    if (!last || parts.length === 0) continue;
    for (const root of roots) {
      for (const element of queryAll(root, last)) {
        let at = parts.length - 1;
        for (let outer = flatParent(element); outer && at >= 0; outer = flatParent(outer)) if (matches(outer, parts[at])) at -= 1;
        if (at < 0) found.add(element);
        if (found.size >= 1000) return [...found];
      }
    }
  }
  return [...found];
}

const REMEDIES = [
  [/^\s*(?:xpath=|\/\/|\.\/\/|\(\/\/)/u, "this is XPath; only CSS selectors and refs are understood"],
  [/:(?:contains|has-text|text|text-is|visible|eq|first|last|nth)\b|^\s*text=/u, "this is not CSS; take a snapshot and use the ref of the element that has the text"],
  [/^\s*#\d/u, "an id that starts with a digit must be written as [id=\"…\"]"],
];

/** Every element that a selector names, those of the document first. Or an error object. */
function select(selector) {
  const text = String(selector);
  let found;
  try {
    found = [...queryAll(document, text)];
  } catch {
    const remedy = REMEDIES.find(([pattern]) => pattern.test(text))?.[1];
    return { error: "bad_selector", selector: cut(text, 200), message: `«${cut(text, 200)}» is not a valid CSS selector${remedy ? `: ${remedy}` : ""}` };
  }
  if (found.length > 0 && found.slice(0, 50).some(isVisible)) return { found };
  const roots = allRoots();
  if (roots.length > 1) {
    for (const root of roots.slice(1)) for (const element of queryAll(root, text)) if (found.length < ELEMENTS) found.push(element);
    if (found.length === 0) {
      try {
        found = acrossRoots(text, roots);
      } catch {
        // A part of a valid selector need not be valid alone; then it crosses no root.
      }
    }
  }
  return { found };
}

/** Elements that resemble what was looked for: by a word of the selector in their id, name, class, label or test id. */
function nearMatches(selector) {
  const words = [...new Set(String(selector).toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [])].slice(0, 6);
  const hints = [];
  if (words.length === 0) return hints;
  const walker = createTreeWalker(document, document, NodeFilter.SHOW_ELEMENT);
  let seen = 0;
  const scored = [];
  for (let node = walker.nextNode(); node && seen < 5000; node = walker.nextNode(), seen += 1) {
    const told = ["id", "name", "class", "aria-label", "data-testid", "placeholder", "type"].map((name) => getAttribute(node, name) ?? "").join(" ").toLowerCase() + ` ${localName(node)}`;
    const score = words.filter((word) => told.includes(word)).length;
    if (score > 0) scored.push({ node, score });
  }
  scored.sort((a, b) => b.score - a.score);
  for (const { node } of scored.slice(0, 40)) {
    if (hints.length >= 5) break;
    if (isVisible(node)) hints.push(lineFor(node));
  }
  return hints;
}

/**
 * One element from {ref} or {selector} or {x, y}, or from the element itself: {element, count}, where `count` is how many
 * matched. Of several it is the first that can be seen. Errors: stale_ref, bad_ref, bad_selector, not_found {count: 0,
 * hints: [line…]}, outside (of the viewport, a point), no_target.
 */
function locate(target, given) {
  if (isElement(given)) return isConnected(given) ? { element: given, count: 1 } : { error: "stale_ref", reason: "removed", message: "the element is no longer on the page" };
  const { ref, selector, x, y } = target ?? {};
  if (ref !== undefined && ref !== null && ref !== "") {
    const found = byRef(ref);
    return found.error ? found : { element: found.element, count: 1 };
  }
  if (selector !== undefined && selector !== null && selector !== "") {
    const { found, ...failed } = select(selector);
    if (failed.error) return failed;
    if (found.length === 0) {
      return { error: "not_found", selector: cut(String(selector), 200), count: 0, hints: nearMatches(selector), message: `nothing on the page matches «${cut(String(selector), 200)}»` };
    }
    return { element: found.slice(0, 200).find(isVisible) ?? found[0], count: found.length };
  }
  if (Number.isFinite(x) && Number.isFinite(y)) {
    const element = elementAt(x, y);
    const { width, height } = viewport();
    if (element) return { element, count: 1 };
    if (x < 0 || y < 0 || x >= width || y >= height) return { error: "outside", x, y, message: `(${x}, ${y}) is outside the viewport of ${width}×${height}` };
    return { error: "not_found", x, y, count: 0, hints: [], message: `there is nothing at (${x}, ${y})` };
  }
  return { error: "no_target", message: "name an element by ref, selector, or x and y" };
}

const isFrame = (element) => element instanceof HTMLIFrameElement || element instanceof HTMLFrameElement;

/** element({ref | selector | x, y}) → the element itself, for its object id, or null. */
const elementFor = (target, given) => locate(target, given).element ?? null;
