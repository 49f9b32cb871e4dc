// What a person can see, and where.

/** "yes", "contents" (no box of its own, but its children may have one), "invisible" (visibility, children may differ), "no". */
function shown(element) {
  if (checkVisibility(element, { visibilityProperty: true })) return "yes";
  const style = getComputedStyle(element);
  if (style.display === "contents") return "contents";
  if (style.display === "none" || !checkVisibility(element)) return "no";
  return "invisible";
}

/** Cut down to a dot, as texts for screen readers are: in the tree of a page, but nothing a person sees. */
function isClipped(element, style = getComputedStyle(element)) {
  // The sizes come last: they are what costs.
  const cropped = style.overflowX !== "visible";
  if ((!cropped && style.position !== "absolute") || !isHtml(element) || offsetWidth(element) > 1 || offsetHeight(element) > 1) return false;
  if (style.display === "contents" || style.display === "inline") return false;
  return cropped || style.clip.startsWith("rect(") || style.clipPath.startsWith("inset(");
}

/** Whether text that stands directly in an element is not drawn, although the element is. */
function hidesText(element, style) {
  return (element instanceof HTMLDetailsElement && !element.open) || style.contentVisibility === "hidden";
}

/** Whether an element can be seen as a whole: drawn, not behind `aria-hidden` or the like, with a size. */
function isVisible(element) {
  if (!isConnected(element)) return false;
  const state = shown(element);
  if (state === "contents") return hasSize(element) || visibleChild(element) !== null;
  return state === "yes" && hasSize(element);
}

/** The first child with a box, for an element that has none itself (`display: contents`). */
function visibleChild(element) {
  let found = null;
  const bounds = within(200, 20);
  walk(element, {
    enter(inner) {
      if (found) return false;
      if (inner !== element && shown(inner) === "yes" && hasSize(inner)) found = inner;
      return !found;
    },
  }, bounds);
  return found;
}

function hasSize(element) {
  const box = boundingRect(element);
  if (box.width > 0 && box.height > 0) return true;
  // A container of height nought whose content flows out of it is visible through that content.
  for (const rect of clientRects(element)) if (rect.width > 0 && rect.height > 0) return true;
  return visibleOverflow(element);
}

function visibleOverflow(element) {
  if (!isHtml(element) || getComputedStyle(element).overflow !== "visible") return false;
  for (let child = firstChild(element), count = 0; child && count < 50; child = nextSibling(child), count += 1) {
    if (nodeType(child) !== 1) continue;
    const box = boundingRect(child);
    if (box.width > 0 && box.height > 0 && checkVisibility(child, { visibilityProperty: true })) return true;
  }
  return false;
}

const round = (number) => Math.round(number * 100) / 100;

/** {x, y, width, height} in the frame's viewport. */
function boxOf(element) {
  const box = boundingRect(element);
  return { x: round(box.x), y: round(box.y), width: round(box.width), height: round(box.height) };
}

const viewport = () => ({
  width: documentElement(document)?.clientWidth || innerWidth,
  height: innerHeight || documentElement(document)?.clientHeight,
});

/** The innermost element at a point, inside open shadow roots too. */
function elementAt(x, y) {
  let root = document;
  let found = null;
  for (let depth = 0; depth < 100; depth += 1) {
    const hit = rootKind(root).at(root, x, y);
    if (!hit || hit === found) break;
    found = hit;
    root = shadowOf(hit);
    if (!root) break;
  }
  return found;
}
