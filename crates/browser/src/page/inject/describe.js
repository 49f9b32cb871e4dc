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

/** What clicking `control` sends, or null. */
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
 * describe({ref | selector | x, y}) → {ref, line, tag, role, name, kind, type, secret, editable, disabled, readonly,
 *   checked, filled, visible, box, href, cross_origin, opens_window, multiple, accept, submits, enter_submits, count}.
 * `kind` is what `kindOf` says; `secret` is true for passwords, card fields and codes: what is typed there is never
 * shown. `submits` and `enter_submits` are null or {via, action, method, cross_origin, secret_fields, files, name}.
 * Everything but `ref`, `line` and `box` is told of what a click really uses: the button around an icon, the field of a
 * label; that one has its ref in `uses`.
 */
function describe(target, given) {
  const found = locate(target, given);
  if (found.error) return found;
  const { element } = found;
  const used = activated(element);
  const kind = kindOf(used);
  const link = nearest(used, (outer) => (outer instanceof HTMLAnchorElement || outer instanceof HTMLAreaElement) && hasAttribute(outer, "href"));
  const href = link ? attributeUrl(getAttribute(link, "href")) : null;
  const role = roleOf(used);
  return {
    ref: refOf(element),
    uses: refOf(used),
    line: lineFor(element),
    tag: localName(used),
    role,
    name: buildTree(used, within(3000, 50)).name,
    kind,
    type: used instanceof HTMLInputElement ? used.type : null,
    secret: isSecret(used),
    editable: (kind === "text" || kind === "password" || kind === "set" || kind === "editable") && !isDisabled(used) && used.readOnly !== true,
    disabled: isDisabled(used),
    readonly: used.readOnly === true,
    checked: checkedState(used, role),
    filled: (used instanceof HTMLInputElement || used instanceof HTMLTextAreaElement) ? used.value !== "" : null,
    visible: isVisible(element),
    box: boxOf(element),
    href: href ? cut(href.href, 500) : null,
    cross_origin: href ? href.origin !== location.origin : null,
    opens_window: link ? /^_blank$/iu.test(getAttribute(link, "target") ?? "") : false,
    multiple: used.multiple === true,
    accept: used instanceof HTMLInputElement && used.type === "file" ? cut(getAttribute(used, "accept") ?? "", 200) : null,
    submits: submits(used),
    enter_submits: submitsByEnter(used),
    count: found.count,
  };
}
