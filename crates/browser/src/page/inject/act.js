// Where to click, what would happen, and why it cannot.

const RECEIVES_DISABLED = new Set(["hover", "scroll", "look"]);

/** Parts of `box` that lie in the viewport, or null. */
function inView(box) {
  const { width, height } = viewport();
  const left = Math.max(0, box.left);
  const top = Math.max(0, box.top);
  const right = Math.min(width, box.right);
  const bottom = Math.min(height, box.bottom);
  return right - left > 0.5 && bottom - top > 0.5 ? { left, top, right, bottom } : null;
}

/** Points to try in a box: its middle, then a grid around it. */
function pointsIn({ left, top, right, bottom }) {
  const points = [];
  for (const [fx, fy] of [[0.5, 0.5], [0.5, 0.25], [0.5, 0.75], [0.25, 0.5], [0.75, 0.5], [0.1, 0.1], [0.9, 0.1], [0.1, 0.9], [0.9, 0.9]]) {
    points.push({ x: left + (right - left) * fx, y: top + (bottom - top) * fy });
  }
  return points;
}

/** Whether a click on `hit` is a click on `target`. */
function receives(hit, target) {
  if (!hit) return false;
  if (isWithin(hit, target)) return true;
  const label = nearest(hit, (outer) => outer instanceof HTMLLabelElement);
  return label !== null && label.control === target;
}

/** A point of `target` that a click would reach: {point} or {covering}, {outside: true}. */
function tryPoints(target) {
  let covering = null;
  let any = false;
  const rects = [...clientRects(target)].filter((rect) => rect.width > 0 && rect.height > 0).slice(0, 20);
  for (const rect of rects) {
    const part = inView(rect);
    if (!part) continue;
    any = true;
    for (const point of pointsIn(part)) {
      const hit = elementAt(point.x, point.y);
      if (receives(hit, target)) return { point };
      covering ??= hit;
    }
  }
  return any ? { covering } : { outside: true };
}

/** What stands for an element that has no box of its own, or is hidden behind its label. */
function standIn(element) {
  if (isVisible(element) && !isClipped(element)) {
    if (shown(element) === "contents") return { target: visibleChild(element) ?? element, via: "child" };
    return { target: element, via: null };
  }
  for (const label of labelsOf(element)) if (isVisible(label)) return { target: label, via: "label" };
  return { target: element, via: null };
}

/**
 * action_point({ref | selector | x, y, kind = "click", scroll = true, described = false}) →
 *   {x, y, ref, line, box, via: null | "label" | "child", scrolled, frame, seen} with x, y in this frame's viewport, and in
 *   `seen`, where it is to be `described`, what `describe` tells of it, or
 *   {error: "not_actionable", reason, message, ref, line, box, covered_by?: {ref, line}} with reason one of hidden,
 *   zero_size, disabled, readonly (kind "type"), covered, outside, option, or what `locate` fails with.
 * `kind`: click, type, hover, look. Hover and look do not mind that something is disabled.
 */
function action_point({ kind = "click", scroll = true, described = false, ...target } = {}, given) {
  const found = locate(target, given);
  if (found.error) return found;
  const { element } = found;
  const about = () => ({ ref: refOf(element), line: lineFor(element), box: boxOf(element) });
  const no = (reason, message, more = {}) => ({ error: "not_actionable", reason, message, ...about(), ...more });
  if (element instanceof HTMLOptionElement) return no("option", "an option of a list is chosen on its select, not clicked");
  const { target: place, via } = standIn(element);
  const state = shown(place);
  if (state === "no" || state === "invisible") return no("hidden", "the element is not shown");
  if (!hasSize(place)) return no("zero_size", "the element has no size");
  if (!RECEIVES_DISABLED.has(kind) && isDisabled(element)) return no("disabled", "the element is disabled");
  if (kind === "type" && element.readOnly === true) return no("readonly", "the field is read-only");
  const point = reach(place, element, scroll);
  if (point.point) {
    const seen = described ? describe({}, element) : null;
    return { x: round(point.point.x), y: round(point.point.y), ...about(), via, scrolled: point.scrolled, count: found.count, frame: isFrame(element), seen };
  }
  if (point.outside) return no("outside", "the element lies outside of what can be scrolled into view");
  if (getComputedStyle(place).pointerEvents === "none") return no("covered", "the element lets clicks through (pointer-events: none)", { covered_by: covering(point.covering) });
  return no("covered", point.covering ? "another element is in front of it" : "a click there would not reach it", { covered_by: covering(point.covering) });
}

const covering = (element) => (element ? { ref: refOf(element), line: lineFor(element) } : null);

/** Finds a point, scrolling when the element is out of view or covered: a fixed bar may cover it only where it is now. */
function reach(place, element, scroll) {
  const accept = (target) => {
    const tried = tryPoints(target);
    // The field itself may lie under its own label's decoration, or the label over its field.
    return tried.covering && target !== element && receives(tried.covering, element) ? { point: middle(target) } : tried;
  };
  let tried = accept(place);
  if (tried.point || !scroll) return { ...tried, scrolled: false };
  for (const block of ["center", "end", "start"]) {
    scrollIntoView(place, { block, inline: "center", behavior: "instant" });
    tried = accept(place);
    if (tried.point) return { ...tried, scrolled: true };
  }
  // What covers it in the middle of the view is the better answer than what does at an edge.
  scrollIntoView(place, { block: "center", inline: "center", behavior: "instant" });
  return { ...accept(place), scrolled: true };
}

/**
 * hits({ref, x, y}) → {hits, element}: whether a click at that point of this frame's viewport is one on the element, or on
 * something in it, and the element as `describe` tells it. Errors: as `locate`.
 */
function hits({ ref, x, y } = {}) {
  const found = locate({ ref });
  if (found.error) return found;
  const hit = Number.isFinite(x) && Number.isFinite(y) ? elementAt(x, y) : null;
  return { hits: receives(hit, found.element) || receives(hit, standIn(found.element).target), element: describe({}, found.element) };
}

const middle = (element) => {
  const box = boundingRect(element);
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
};
