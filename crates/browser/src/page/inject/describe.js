// What an element is, for the plan of an action: the kind of field, and whether using it sends a form.

const BUTTON_TYPES = new Set(["submit", "image"]);
const TEXT_TYPES = new Set(["text", "search", "email", "url", "tel", "number", "password"]);
const SET_TYPES = new Set(["date", "time", "datetime-local", "month", "week", "color", "range"]);

/** What a click on `element` really uses: the control around it, or the field of its label. */
function activated(element) {
  const control = nearest(element, (outer) => outer instanceof HTMLButtonElement || outer instanceof HTMLInputElement || outer instanceof HTMLSelectElement
    || outer instanceof HTMLTextAreaElement || outer instanceof HTMLLabelElement || ((outer instanceof HTMLAnchorElement || outer instanceof HTMLAreaElement) && hasAttribute(outer, "href")));
  return control instanceof HTMLLabelElement ? control.control ?? element : control ?? element;
}

const attributeUrl = (value) => {
  try {
    return new URL(value ?? "", document.baseURI);
  } catch {
    return null;
  }
};

/** {action, method, cross_origin, secret_fields, files, via} of the form that `by` would send. */
function sending(form, by, via) {
  const own = by && hasAttribute(by, "formaction") ? getAttribute(by, "formaction") : getAttribute(form, "action");
  const url = own ? attributeUrl(own) : new URL(location.href);
  const method = ((by && getAttribute(by, "formmethod")) ?? getAttribute(form, "method") ?? "get").toLowerCase();
  let secrets = 0;
  let files = 0;
  const inputs = formFields(form);
  for (let at = 0; at < inputs.length && at < 500; at += 1) {
    if (isSecret(inputs[at])) secrets += 1;
    if (inputs[at].type === "file" && inputs[at].files?.length > 0) files += inputs[at].files.length;
  }
  return {
    via,
    action: url ? cut(url.href, 500) : cut(String(own), 500),
    method: method === "post" || method === "dialog" ? method : "get",
    cross_origin: url ? url.origin !== location.origin : true,
    secret_fields: secrets,
    files,
    name: ownName(form) || null,
  };
}
const formFields = getter(HTMLFormElement.prototype, "elements");

/**
 * Everything that gets a click on `hit`: what is around it, and the field of a label with what is around that. A control does
 * not keep a click to itself: the browser presses every button around it, too, be it drawn there through a slot.
 */
function clicked(hit) {
  const all = new Set();
  const add = (element) => {
    for (let node = element; node && !all.has(node); node = flatParent(node)) all.add(node);
  };
  add(hit);
  // What is added meanwhile is visited as well.
  for (const node of all) if (node instanceof HTMLLabelElement) add(node.control);
  return all;
}

/** What a click on `hit`, or a key that presses it, sends, or null. */
function sentBy(hit) {
  for (const node of clicked(hit)) {
    const sent = submits(node);
    if (sent) return sent;
  }
  return null;
}

/** What `control` sends when it is pressed, or null. */
function submits(control) {
  if (!(control instanceof HTMLButtonElement) && !(control instanceof HTMLInputElement)) return null;
  if (!control.form || !BUTTON_TYPES.has(control.type)) return null;
  return sending(control.form, control, control instanceof HTMLButtonElement ? "button" : `input type=${control.type}`);
}

/** What Enter in a text field sends, or null. */
function submitsByEnter(control) {
  if (!(control instanceof HTMLInputElement) || !control.form) return null;
  const fields = formFields(control.form);
  let first = null;
  let lines = 0;
  for (let at = 0; at < fields.length && at < 500; at += 1) {
    if (!first && BUTTON_TYPES.has(fields[at].type)) first = fields[at];
    if (fields[at] instanceof HTMLInputElement && (TEXT_TYPES.has(fields[at].type) || SET_TYPES.has(fields[at].type))) lines += 1;
  }
  if (first ? first.disabled : lines > 1) return null;
  return sending(control.form, first, "Enter");
}

/** Whether Enter only begins a new line there, as far as the field itself goes. */
const isMultiLine = (element) => element instanceof HTMLTextAreaElement;

/** Whether a form is around an element, out of shadow roots too, or is the one that its `form` names. */
const isInForm = (element) => (!isForm(element) && element.form instanceof HTMLFormElement) || nearest(element, isForm) !== null;

/** What a click on an element reaches: a container may have a button in its middle. {hit, point}; no point: out of view. */
function reached(element) {
  const { point } = tryPoints(standIn(element).target);
  return { hit: (point && elementAt(point.x, point.y)) ?? element, point: point ?? null };
}

/** What has a document of its own in it. */
const holdsDocument = (element) => isFrame(element) || element instanceof HTMLObjectElement || element instanceof HTMLEmbedElement;

/** text, password, set (by value only), file, checkbox, radio, select, editable, button, link, frame, other. */
function kindOf(element) {
  if (element instanceof HTMLInputElement) {
    const { type } = element;
    if (type === "password") return "password";
    if (TEXT_TYPES.has(type)) return "text";
    if (SET_TYPES.has(type)) return "set";
    return type === "file" || type === "checkbox" || type === "radio" ? type : type === "hidden" ? "other" : "button";
  }
  if (element instanceof HTMLTextAreaElement) return "text";
  if (element instanceof HTMLSelectElement) return "select";
  if (isHtml(element) && isContentEditable(element)) return "editable";
  if (element instanceof HTMLButtonElement) return "button";
  if (isFrame(element)) return "frame";
  const role = roleOf(element);
  return role === "link" ? "link" : INTERACTIVE.has(role) && role !== "iframe" ? role : "other";
}

/**
 * describe({ref | selector | x, y}) → {ref, line, kind, secret, submits, enter_submits, in_form, multi_line, frame, point, count}.
 * `kind` is what `kindOf` says; `secret` is true for passwords, card fields and codes: what is typed there is never
 * shown. `submits` and `enter_submits` are null or {via, action, method, cross_origin, secret_fields, files, name}.
 * Everything but `ref` and `line` is told of what a click really uses: the button around an icon, the field of a label.
 * `submits` is also told of what lies where the click would go; `frame`: a document of its own lies there, at `point`
 * (null: out of view), so look inside it.
 */
function describe(target, given) {
  const found = locate(target, given);
  if (found.error) return found;
  const { element } = found;
  const used = activated(element);
  const at = Number.isFinite(target?.x) && Number.isFinite(target?.y) ? { hit: element, point: { x: target.x, y: target.y } } : reached(element);
  return {
    ref: refOf(element),
    line: lineFor(element),
    kind: kindOf(used),
    secret: isSecret(used),
    submits: sentBy(used) ?? sentBy(at.hit),
    enter_submits: submitsByEnter(used),
    in_form: isInForm(used),
    multi_line: isMultiLine(used),
    frame: holdsDocument(at.hit),
    point: at.point,
    count: found.count,
  };
}

const nothingFocused = (element) => !element || element === documentElement(document) || (element === bodyOf(document) && !isContentEditable(element));

/**
 * focus() → what has the focus, as `describe` tells it, or {nothing: true}. `holder`: a document of its own has it, so look
 * inside that; `opaque`: something inside it may have it that cannot be seen; `host`: it can have a shadow root, and none is seen.
 */
function focus() {
  const now = focused();
  if (nothingFocused(now)) return { nothing: true };
  return { ...describe({}, now), holder: holdsDocument(now), opaque: isOpaque(now), host: mayHide(now) };
}

const TAKES_FOCUS = new Set(["input", "textarea", "select", "button", "a", "area", "summary", "audio", "video", "body"]);

/** A closed shadow root shows only its host, which by itself would not take the focus. */
const isOpaque = (element) => !TAKES_FOCUS.has(localName(element)) && !(isHtml(element) && isContentEditable(element))
  && (localName(element).includes("-") ? !shadowOf(element) : !hasAttribute(element, "tabindex"));

/** Elements themselves, for their object ids: what a click on the target reaches, and what has the focus. */
const reachedElement = (target, given) => {
  const { element } = locate(target, given);
  if (!element) return null;
  return Number.isFinite(target?.x) ? element : reached(element).hit;
};
const focusedElement = () => focused();

/** Elements that may have a shadow root of a page's own, beside those with a hyphen. */
const HOSTS = new Set(["article", "aside", "blockquote", "body", "div", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "main", "nav", "p", "section", "span"]);
const mayHide = (element) => isHtml(element) && !shadowOf(element) && (HOSTS.has(localName(element)) || localName(element).includes("-"));
const MOST_SUSPECTS = 500;

/** The elements whose closed shadow root, if they have one, has a part in a click on `hit`; null: too many to ask about. */
function hosts(hit) {
  const all = hit ? [...clicked(hit)].filter(mayHide) : null;
  return all && all.length <= MOST_SUSPECTS ? all : null;
}
const suspects = (target, given) => hosts(reachedElement(target, given));
/** The same for a key. */
const focusSuspects = () => hosts(focused());
