// What an element is called, what state it is in and what it holds; and what of that is never told.

const NAME_MAX = 120;
const VALUE_MAX = 200;

const SECRET_TOKENS = /(?:^|\s)(?:cc-[a-z-]+|current-password|new-password|one-time-code)(?:\s|$)/iu;
const SECRET_WORDS = /passw|passphrase|pwd|\bcvv|\bcvc|card.?(?:number|no)\b|security.?code|\b(?:otp|totp|pin)\b/iu;
// A field that once was a password stays one when the page shows its text.
const knownSecrets = new WeakSet();

/** Whether what stands in a field must not leave the page. */
function isSecret(element) {
  if (!(element instanceof HTMLInputElement) && !(element instanceof HTMLTextAreaElement)) return false;
  if (knownSecrets.has(element)) return true;
  const type = element.type;
  const secret = type === "password"
    || SECRET_TOKENS.test(getAttribute(element, "autocomplete") ?? "")
    || ((type === "text" || type === "tel" || type === "number" || type === "textarea")
      && (SECRET_WORDS.test(`${getAttribute(element, "name") ?? ""} ${getAttribute(element, "id") ?? ""}`)
        || (isConnected(element) && getComputedStyle(element).webkitTextSecurity !== "none")));
  if (secret) knownSecrets.add(element);
  return secret;
}

const secretState = (element) => `[password, ${element.value === "" ? "empty" : "filled"}]`;

/** Visible text inside an element, for a name; `hidden` takes hidden text too, as `aria-labelledby` does. */
function textInside(element, max, { hidden = false, skip = null } = {}) {
  let text = "";
  walk(element, {
    enter(inner) {
      if (text.length > max * 4) return false;
      const tag = localName(inner);
      if (inner !== element) {
        if (inner === skip || NOT_CONTENT.has(tag)) return false;
        if (!hidden && (getAttribute(inner, "aria-hidden") === "true" || shown(inner) === "no")) return false;
        const label = getAttribute(inner, "aria-label") ?? (tag === "img" ? getAttribute(inner, "alt") : null);
        if (label) {
          text += ` ${label.slice(0, max)} `;
          return false;
        }
        if (tag === "select" || tag === "textarea") return false;
      }
      if (tag === "br" || BLOCK.has(tag)) text += " ";
      return true;
    },
    leave(inner) {
      if (BLOCK.has(localName(inner))) text += " ";
    },
    text(node) {
      if (text.length <= max * 4) text += dataOf(node).slice(0, max * 4);
    },
  }, within(2000, 20));
  return cut(fold(text), max);
}

function labelledBy(element) {
  const ids = getAttribute(element, "aria-labelledby")?.trim();
  if (!ids) return "";
  const root = rootOf(element);
  const parts = [];
  for (const id of ids.split(/\s+/u).slice(0, 10)) {
    const other = elementById(root, id);
    if (other) parts.push(cut(fold(getAttribute(other, "aria-label") ?? ""), NAME_MAX) || textInside(other, NAME_MAX, { hidden: true, skip: element }));
  }
  return parts.join(" ").trim();
}

function labelText(element) {
  const labels = labelsOf(element);
  const parts = [];
  for (let at = 0; at < labels.length && at < 4; at += 1) {
    const text = cut(fold(getAttribute(labels[at], "aria-label") ?? ""), NAME_MAX) || textInside(labels[at], NAME_MAX, { skip: element });
    if (text) parts.push(text);
  }
  return parts.join(" ");
}

const childNamed = (element, tag) => {
  for (let child = firstChild(element), count = 0; child && count < 20; child = nextSibling(child), count += 1)
    if (nodeType(child) === 1 && localName(child) === tag) return child;
  return null;
};
const BY_CHILD = { fieldset: "legend", table: "caption", figure: "figcaption", svg: "title" };

const LABELLED = new Set(["input", "select", "textarea", "button", "meter", "output", "progress"]);

function nativeName(element, tag) {
  if (element instanceof HTMLInputElement) {
    const type = element.type;
    if (type === "submit" || type === "reset" || type === "button") return element.value || { submit: "Submit", reset: "Reset" }[type] || "";
    if (type === "image") return getAttribute(element, "alt") || element.value || "Submit";
  }
  if (LABELLED.has(tag)) {
    const text = labelText(element);
    if (text) return text;
  }
  if (tag === "img" || tag === "area") return getAttribute(element, "alt") ?? "";
  const child = Object.hasOwn(BY_CHILD, tag) ? childNamed(element, BY_CHILD[tag]) : null;
  if (child) return textInside(child, NAME_MAX);
  if (tag === "optgroup" || tag === "option") return getAttribute(element, "label") ?? "";
  return "";
}

/** The name an element has without looking at what it contains; "" when it has none. */
function ownName(element) {
  const tag = localName(element);
  if (!hasAttributes(element) && !LABELLED.has(tag) && !Object.hasOwn(BY_CHILD, tag)) return "";
  const name = labelledBy(element) || fold(getAttribute(element, "aria-label") ?? "")
    || (isForm(element) ? "" : fold(nativeName(element, tag)));
  return cut(name, NAME_MAX);
}

/** The last resort, after the content: title, placeholder. */
function spareName(element) {
  return cut(fold(getAttribute(element, "title") || getAttribute(element, "placeholder") || getAttribute(element, "aria-placeholder") || ""), NAME_MAX);
}

const fileName = (url) => {
  const path = (url ?? "").split(/[?#]/u)[0];
  return /^data:/iu.test(path) ? "" : cut(fold(path.slice(path.lastIndexOf("/") + 1)), 40);
};

const truth = (element, attribute) => getAttribute(element, attribute)?.toLowerCase() === "true";

const CHECKS = new Set(["checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"]);

function checkedState(element, role) {
  if (element instanceof HTMLInputElement && (element.type === "checkbox" || element.type === "radio")) {
    return element.indeterminate ? "mixed" : element.checked;
  }
  if (!CHECKS.has(role) && !hasAttribute(element, "aria-checked")) return null;
  const stated = getAttribute(element, "aria-checked")?.toLowerCase();
  return stated === "mixed" ? "mixed" : stated === "true";
}

const isDisabled = (element) => matches(element, ":disabled") || nearest(element, (outer) => truth(outer, "aria-disabled")) !== null;
const FIELDS = new Set(["textbox", "searchbox", "combobox", "spinbutton", "listbox", "checkbox", "radio", "slider"]);

/** The states of an element as they stand in a line: ["disabled", "level=2"]. */
function statesOf(element, role, now) {
  const states = [];
  const aria = attributeNames(element).some((name) => name.startsWith("aria-"));
  const stated = (name) => (aria ? getAttribute(element, name)?.toLowerCase() : undefined);
  const checked = checkedState(element, role);
  if (checked === "mixed") states.push("mixed");
  else if (checked !== null) states.push(checked ? "checked" : "unchecked");
  if (INTERACTIVE.has(role) && (matches(element, ":disabled") || stated("aria-disabled") === "true")) states.push("disabled");
  const expanded = stated("aria-expanded");
  if (expanded === "true" || expanded === "false") states.push(expanded === "true" ? "expanded" : "collapsed");
  else if (localName(element) === "summary") {
    const details = nearest(element, (outer) => outer instanceof HTMLDetailsElement);
    if (details) states.push(details.open ? "expanded" : "collapsed");
  }
  if (stated("aria-selected") === "true") states.push("selected");
  const pressed = stated("aria-pressed");
  if (pressed === "true") states.push("pressed");
  else if (pressed === "mixed") states.push("pressed=mixed");
  const current = stated("aria-current");
  if (current && current !== "false") states.push(current === "true" ? "current" : `current=${cut(fold(current), 12)}`);
  if (role === "heading") states.push(`level=${whole(getAttribute(element, "aria-level") ?? /^h([1-6])$/u.exec(localName(element))?.[1], 2, 1, 99)}`);
  if (FIELDS.has(role)) {
    if (stated("aria-required") === "true" || (element.required === true)) states.push("required");
    if (stated("aria-readonly") === "true" || (element.readOnly === true && role !== "checkbox" && role !== "radio")) states.push("readonly");
    const invalid = stated("aria-invalid");
    if ((invalid && invalid !== "false") || matches(element, ":user-invalid")) states.push("invalid");
  }
  if (role === "dialog" && (stated("aria-modal") === "true" || matches(element, ":modal"))) states.push("modal");
  if (stated("aria-busy") === "true") states.push("busy");
  if (element instanceof HTMLInputElement && TYPED.has(element.type)) states.push(`type=${element.type}`);
  if (element instanceof HTMLMediaElement) states.push(element.paused ? "paused" : "playing");
  if (element === now) states.push("focused");
  return states;
}
// Kinds of input whose value is written in a certain way, or that open something of their own.
const TYPED = new Set(["date", "time", "datetime-local", "month", "week", "color", "file", "email", "tel", "url"]);

/** What a field holds, fit for a line; "" for an empty one and for everything secret. */
function valueOf(element, role) {
  if (isSecret(element)) return "";
  if (element instanceof HTMLInputElement) {
    switch (element.type) {
      case "checkbox": case "radio": case "submit": case "reset": case "button": case "image": case "hidden": return "";
      case "file": return cut(fold([...(element.files ?? [])].slice(0, 5).map((file) => file.name).join(", ")), VALUE_MAX);
      default: return cut(fold(element.value), VALUE_MAX);
    }
  }
  if (element instanceof HTMLTextAreaElement) return cut(fold(element.value.slice(0, VALUE_MAX * 4)), VALUE_MAX);
  if (element instanceof HTMLSelectElement) return selectValue(element);
  if (element instanceof HTMLProgressElement) return element.position < 0 ? "" : `${Math.round(element.position * 100)}%`;
  if (element instanceof HTMLMeterElement) return `${element.value} of ${element.max}`;
  if (role === "slider" || role === "spinbutton" || role === "progressbar" || role === "scrollbar" || role === "meter") {
    return cut(fold(getAttribute(element, "aria-valuetext") ?? getAttribute(element, "aria-valuenow") ?? ""), 40);
  }
  return "";
}

const optionLabel = (option) => cut(fold(option.label || option.text), 60);

function selectValue(select) {
  const chosen = [];
  for (const option of select.selectedOptions) if (chosen.push(optionLabel(option)) >= 8) break;
  return chosen.join(", ");
}
