// Reading the DOM without being fooled by it.
//
// An isolated world has its own prototypes, so nothing that a page does to `Element.prototype` reaches us. Names do:
// `<input name="parentNode">` inside a form hides the form's own property in every world. So nodes are read through the
// getters of the prototypes, never through the node itself, wherever it may be a form. (`<img name="body">` does the same to
// a document; Chromium spares isolated worlds that, but it is not written anywhere, so documents are read in the same way.)

const uncurried = (method) => Function.prototype.call.bind(method);
const getter = (prototype, name) => uncurried(Object.getOwnPropertyDescriptor(prototype, name).get);

const nodeType = getter(Node.prototype, "nodeType");
const firstChild = getter(Node.prototype, "firstChild");
const nextSibling = getter(Node.prototype, "nextSibling");
const parentNode = getter(Node.prototype, "parentNode");
const isConnected = getter(Node.prototype, "isConnected");
const rootOf = uncurried(Node.prototype.getRootNode);
const dataOf = getter(CharacterData.prototype, "data");

const localName = getter(Element.prototype, "localName");
const namespaceOf = getter(Element.prototype, "namespaceURI");
const shadowOf = getter(Element.prototype, "shadowRoot");
const slotOf = getter(Element.prototype, "assignedSlot");
const getAttribute = uncurried(Element.prototype.getAttribute);
const hasAttribute = uncurried(Element.prototype.hasAttribute);
const hasAttributes = uncurried(Element.prototype.hasAttributes);
const attributeNames = uncurried(Element.prototype.getAttributeNames);
const matches = uncurried(Element.prototype.matches);
const checkVisibility = uncurried(Element.prototype.checkVisibility);
const clientRects = uncurried(Element.prototype.getClientRects);
const boundingRect = uncurried(Element.prototype.getBoundingClientRect);
const scrollIntoView = uncurried(Element.prototype.scrollIntoView);
const scrollElementTo = uncurried(Element.prototype.scrollTo);
const offsetWidth = getter(HTMLElement.prototype, "offsetWidth");
const offsetHeight = getter(HTMLElement.prototype, "offsetHeight");
const isContentEditable = getter(HTMLElement.prototype, "isContentEditable");
const focusElement = uncurried(HTMLElement.prototype.focus);
const dispatch = uncurried(EventTarget.prototype.dispatchEvent);

const documentElement = getter(Document.prototype, "documentElement");
const bodyOf = getter(Document.prototype, "body");
const titleOf = getter(Document.prototype, "title");
const activeElement = getter(Document.prototype, "activeElement");
const shadowActiveElement = getter(ShadowRoot.prototype, "activeElement");
const scrollingElement = getter(Document.prototype, "scrollingElement");
const createTreeWalker = uncurried(Document.prototype.createTreeWalker);
const createRange = uncurried(Document.prototype.createRange);
const getSelectionOf = uncurried(Document.prototype.getSelection);

const byDocument = {
  one: uncurried(Document.prototype.getElementById),
  all: uncurried(Document.prototype.querySelectorAll),
  at: uncurried(Document.prototype.elementFromPoint),
};
const byFragment = {
  one: uncurried(DocumentFragment.prototype.getElementById),
  all: uncurried(DocumentFragment.prototype.querySelectorAll),
  at: uncurried(ShadowRoot.prototype.elementFromPoint),
};

/** The right set of look-ups for a document, a shadow root or a detached fragment. */
const rootKind = (root) => (nodeType(root) === 9 ? byDocument : nodeType(root) === 11 ? byFragment : null);
const elementById = (root, id) => rootKind(root)?.one(root, id) ?? null;
const queryAll = (root, selector) => rootKind(root)?.all(root, selector) ?? [];

const isElement = (node) => node instanceof Node && nodeType(node) === 1;
const isHtml = (element) => element instanceof HTMLElement;
const isForm = (element) => element instanceof HTMLFormElement;

/** The parent in the flat tree, which is how a page is drawn: through slots and out of shadow roots. */
function flatParent(node) {
  if (isElement(node)) {
    const slot = slotOf(node);
    if (slot) return slot;
  }
  const parent = parentNode(node);
  return parent instanceof ShadowRoot ? parent.host : isElement(parent) ? parent : null;
}

/** Whether `inner` is `outer` or is drawn inside it. */
function isWithin(inner, outer) {
  for (let node = inner; node; node = flatParent(node)) if (node === outer) return true;
  return false;
}

/** The nearest element from `element` upwards that `test` accepts, out of shadow roots too. */
function nearest(element, test) {
  for (let node = element; node; node = flatParent(node)) if (test(node)) return node;
  return null;
}

/** What has the focus, inside open shadow roots too. */
function focused() {
  let element = activeElement(document);
  for (let root = element && shadowOf(element); root; root = shadowOf(element)) {
    const inner = shadowActiveElement(root);
    if (!inner) break;
    element = inner;
  }
  return element;
}

/**
 * Visits the flat tree below `root` without recursion, so that no depth overflows the stack. `visit.enter(element)` says
 * whether to go inside and `visit.leave(element)` is called for each that was entered; `visit.text(text)` gets text
 * nodes. `bounds` = {nodes, until} ends it early and then has `stopped` set; everything entered is still left.
 */
function walk(root, visit, bounds) {
  const stack = [];
  const push = (element) => {
    const shadow = shadowOf(element);
    if (shadow) return stack.push({ element, next: firstChild(shadow), list: null, at: 0 });
    if (element instanceof HTMLSlotElement) {
      const list = element.assignedNodes();
      if (list.length > 0) return stack.push({ element, next: null, list, at: 0 });
    }
    return stack.push({ element, next: firstChild(element), list: null, at: 0 });
  };
  if (!visit.enter(root)) return;
  push(root);
  let seen = 0;
  while (stack.length > 0) {
    const top = stack[stack.length - 1];
    let node = null;
    if (!bounds.stopped) {
      if (top.list) node = top.list[top.at++] ?? null;
      else if ((node = top.next)) top.next = nextSibling(node);
    }
    if (!node) {
      stack.pop();
      visit.leave?.(top.element);
      continue;
    }
    seen += 1;
    if (seen >= bounds.nodes || ((seen & 127) === 0 && performance.now() > bounds.until)) bounds.stopped = true;
    const type = nodeType(node);
    if (type === 3) visit.text?.(node);
    else if (type === 1 && visit.enter(node)) push(node);
  }
}

/** What is looked up once in a call and holds only for that long; every call begins with `forget`. */
const lookedUp = { labels: new Map(), base: null };
function forget() {
  lookedUp.labels.clear();
  lookedUp.base = null;
}

/** The labels of a field. Asked of the field itself, each would search the whole page. */
function labelsOf(element) {
  const root = rootOf(element);
  let all = lookedUp.labels.get(root);
  if (!all) {
    lookedUp.labels.set(root, (all = new Map()));
    for (const label of queryAll(root, "label")) {
      const { control } = label;
      if (control) all.set(control, [...(all.get(control) ?? []), label]);
    }
  }
  return all.get(element) ?? [];
}

/** Whether addresses that begin with one slash are of this origin. */
const plainBase = () => (lookedUp.base ??= queryAll(document, "base").length === 0 && location.origin !== "null");

/** Bounds for `walk`: at most `nodes` nodes and `ms` milliseconds. */
const within = (nodes, ms) => ({ nodes, until: performance.now() + ms, stopped: false });
