// Refs: short names by which a model speaks of elements (`e12`; with a prefix `d3e12`). One element has one ref for as
// long as its document lives; the element itself is held weakly, so refs keep nothing alive.

const settings = { prefix: "" };
const numbers = new WeakMap();
const elements = new Map();
let lastNumber = 0;

// Numbers of elements that are gone are forgotten, or a page that keeps drawing itself anew would fill the map.
const gone = new FinalizationRegistry((number) => elements.delete(number));

function refOf(element) {
  let number = numbers.get(element);
  if (number === undefined) {
    number = ++lastNumber;
    numbers.set(element, number);
    elements.set(number, new WeakRef(element));
    gone.register(element, number);
  }
  return `${settings.prefix}e${number}`;
}

/** {element} or an error object. */
function byRef(ref) {
  const text = String(ref).trim().replace(/^\[?(?:ref=)?/u, "").replace(/\]$/u, "");
  const parts = /^(.*)e(\d{1,9})$/su.exec(text);
  if (!parts) return { error: "bad_ref", ref: cut(text, 80), message: `«${cut(text, 80)}» is not a ref; refs look like ${settings.prefix}e12 and stand in a snapshot` };
  if (parts[1] !== settings.prefix) return stale(text, "other_document", "it belongs to another page or frame, or to the page before the last navigation");
  const number = Number(parts[2]);
  if (number < 1 || number > lastNumber) return stale(text, "never_given", "this page never gave it");
  const element = elements.get(number)?.deref();
  if (!element || !isConnected(element)) return stale(text, "removed", "the element is no longer on the page");
  return { element };
}

const stale = (ref, reason, why) => ({
  error: "stale_ref",
  ref: cut(ref, 80),
  reason,
  message: `ref ${cut(ref, 80)} cannot be used: ${why}. Take a new snapshot.`,
});
