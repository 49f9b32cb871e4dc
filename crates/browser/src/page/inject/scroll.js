// Scrolling: where it can be done, where it stands, and doing it where wheel events do not.

const SLACK = 1.5;

function canScroll(element, axis) {
  const room = axis === "y" ? element.scrollHeight - element.clientHeight : element.scrollWidth - element.clientWidth;
  if (room <= SLACK) return false;
  // A document scrolls although its overflow says nothing.
  if (element === scrollingElement(document)) return getComputedStyle(element)[axis === "y" ? "overflowY" : "overflowX"] !== "hidden" || element[axis === "y" ? "scrollTop" : "scrollLeft"] > 0;
  return /auto|scroll|overlay/u.test(getComputedStyle(element)[axis === "y" ? "overflowY" : "overflowX"]);
}

/** What scrolls when the pointer is on `element`: the nearest around it that can, else the document. */
function scrollerOf(element, axis) {
  return nearest(element, (outer) => canScroll(outer, axis)) ?? null;
}

function scrollerFor(target, given, axis) {
  if (isElement(given) || target.ref || target.selector) {
    const found = locate(target, given);
    if (found.error) return found;
    return { scroller: scrollerOf(found.element, axis) ?? scrollingElement(document), named: found.element };
  }
  const page = scrollingElement(document);
  if (page && canScroll(page, axis)) return { scroller: page };
  const { width, height } = viewport();
  const middle = elementAt(width / 2, height / 2);
  const inner = middle ? scrollerOf(middle, axis) : null;
  return { scroller: inner ?? largestScroller(axis) ?? page };
}

/** Where the middle of the viewport does not scroll, the largest thing that does. */
function largestScroller(axis) {
  let best = null;
  let area = 0;
  const walker = createTreeWalker(document, document, NodeFilter.SHOW_ELEMENT);
  for (let node = walker.nextNode(), seen = 0; node && seen < 5000; node = walker.nextNode(), seen += 1) {
    if (node.scrollHeight - node.clientHeight <= SLACK && node.scrollWidth - node.clientWidth <= SLACK) continue;
    const size = node.clientWidth * node.clientHeight;
    if (size > area && canScroll(node, axis) && inView(boundingRect(node))) {
      best = node;
      area = size;
    }
  }
  return best;
}

function positionOf(scroller) {
  return {
    x: round(scroller.scrollLeft), y: round(scroller.scrollTop),
    max_x: Math.max(0, scroller.scrollWidth - scroller.clientWidth), max_y: Math.max(0, scroller.scrollHeight - scroller.clientHeight),
  };
}

// A page that is written from right to left counts its scrollLeft downwards from 0.
function ends({ x, y, max_x, max_y }) {
  return { top: y <= SLACK, bottom: y >= max_y - SLACK, left: x <= SLACK && x > SLACK - max_x, right: x >= max_x - SLACK };
}

const STEPS = { up: ["y", -1], down: ["y", 1], left: ["x", -1], right: ["x", 1], to_top: ["y", -Infinity], to_bottom: ["y", Infinity] };

/**
 * scroll({direction, amount = 500, ref?, selector?}) → {before: {x, y, max_x, max_y}, after: {…}, moved: {x, y}, at_end,
 *   of: "page" | line, ref: null | ref}. `direction`: up, down, left, right, to_top, to_bottom; `amount` in pixels. `at_end`:
 * it cannot go further that way. Errors: as `locate`; bad_direction; nothing_to_scroll.
 */
function scroll({ direction, amount, ...target } = {}, given) {
  const step = Object.hasOwn(STEPS, direction) ? STEPS[direction] : null;
  if (!step) return { error: "bad_direction", message: `direction is one of ${Object.keys(STEPS).join(", ")}` };
  const [axis, sign] = step;
  const found = scrollerFor(target, given, axis);
  if (found.error) return found;
  const { scroller } = found;
  if (!scroller) return { error: "nothing_to_scroll", message: "this page has nothing that scrolls" };
  const before = positionOf(scroller);
  const by = Number.isFinite(sign) ? sign * whole(amount, 500, 0, 1_000_000) : 0;
  const goal = sign === -Infinity ? 0 : sign === Infinity ? before.max_y : before.y + by;
  scrollElementTo(scroller, { left: axis === "x" ? before.x + by : before.x, top: axis === "y" ? goal : before.y, behavior: "instant" });
  const after = positionOf(scroller);
  const at = ends(after);
  const page = scroller === scrollingElement(document);
  return {
    before,
    after,
    moved: { x: round(after.x - before.x), y: round(after.y - before.y) },
    at_end: { up: at.top, to_top: at.top, down: at.bottom, to_bottom: at.bottom, left: at.left, right: at.right }[direction],
    of: page ? "page" : lineFor(scroller),
    ref: page ? null : refOf(scroller),
  };
}
