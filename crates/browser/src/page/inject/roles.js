// Which role an element has: the one it states, or the one HTML gives it (HTML-AAM, as far as a reader needs it).

const NOT_CONTENT = new Set(["script", "style", "template", "noscript", "head", "meta", "link", "title", "base", "datalist",
  "param", "source", "track", "col", "colgroup", "wbr", "rp"]);
const NOT_DRAWN_SVG = new Set(["defs", "symbol", "clipPath", "mask", "pattern", "linearGradient", "radialGradient", "marker",
  "metadata", "desc", "title", "filter", "style", "script", "animate", "animateTransform", "set"]);
const SVG = "http://www.w3.org/2000/svg";

const BY_TAG = {
  article: "article", aside: "complementary", blockquote: "blockquote", button: "button", canvas: "canvas", dd: "definition",
  details: "group", dialog: "dialog", dt: "term", fieldset: "group", figure: "figure", form: "form", h1: "heading",
  h2: "heading", h3: "heading", h4: "heading", h5: "heading", h6: "heading", hr: "separator", iframe: "iframe", frame: "iframe",
  li: "listitem", main: "main", math: "math", menu: "list", meter: "meter", nav: "navigation", ol: "list", optgroup: "group",
  option: "option", output: "status", progress: "progressbar", search: "search", summary: "button", table: "table", td: "cell",
  textarea: "textbox", tr: "row", ul: "list", video: "video", audio: "audio", object: "object", embed: "object",
};
const BY_INPUT = {
  button: "button", checkbox: "checkbox", color: "textbox", file: "button", image: "button", number: "spinbutton",
  radio: "radio", range: "slider", reset: "button", search: "searchbox", submit: "button",
};

const KNOWN = new Set(["alert", "alertdialog", "application", "article", "banner", "blockquote", "button", "cell", "checkbox",
  "columnheader", "combobox", "complementary", "contentinfo", "definition", "dialog", "feed", "figure", "form", "grid",
  "gridcell", "group", "heading", "img", "link", "list", "listbox", "listitem", "log", "main", "marquee", "math", "menu",
  "menubar", "menuitem", "menuitemcheckbox", "menuitemradio", "meter", "navigation", "note", "option", "progressbar",
  "radio", "radiogroup", "region", "row", "rowheader", "scrollbar", "search", "searchbox", "separator", "slider",
  "spinbutton", "status", "switch", "tab", "table", "tablist", "tabpanel", "term", "textbox", "timer", "toolbar",
  "tooltip", "tree", "treegrid", "treeitem"]);
const TRANSPARENT = new Set(["none", "presentation", "generic", "rowgroup", "paragraph", "strong", "emphasis", "code",
  "document", "subscript", "superscript", "insertion", "deletion", "mark", "time", "image"]);

/** Roles of things that are used, not only read. */
const INTERACTIVE = new Set(["button", "checkbox", "combobox", "link", "listbox", "menuitem", "menuitemcheckbox",
  "menuitemradio", "option", "radio", "scrollbar", "searchbox", "slider", "spinbutton", "switch", "tab", "textbox", "treeitem",
  "clickable", "iframe", "canvas", "video", "audio"]);
/** Roles that take their name from what stands inside them. */
const NAMED_BY_CONTENT = new Set(["button", "checkbox", "columnheader", "heading", "link", "menuitem", "menuitemcheckbox",
  "menuitemradio", "option", "radio", "rowheader", "switch", "tab", "tooltip", "treeitem", "clickable"]);
/** Roles whose inside is nothing of its own for a reader. */
const LEAVES = new Set(["img", "meter", "progressbar", "scrollbar", "separator", "slider", "iframe", "canvas", "video",
  "audio", "math"]);
/** Containers that say nothing when they have no name. */
const ONLY_NAMED = new Set(["region", "application", "object"]);

const BLOCK = new Set(["address", "article", "aside", "blockquote", "body", "center", "dd", "details", "dialog", "div", "dl",
  "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr",
  "legend", "li", "main", "nav", "ol", "p", "pre", "search", "section", "summary", "table", "tbody", "td", "tfoot", "th",
  "thead", "tr", "ul", "caption", "option", "html"]);

const SECTIONING = new Set(["article", "aside", "main", "nav", "section"]);
const inSection = (element) => nearest(flatParent(element), (outer) => SECTIONING.has(localName(outer))) !== null;
const namedByAttribute = (element) => hasAttribute(element, "aria-label") || hasAttribute(element, "aria-labelledby") || hasAttribute(element, "title");

function statedRole(element) {
  const stated = getAttribute(element, "role");
  if (!stated) return null;
  for (const role of stated.toLowerCase().trim().split(/\s+/u)) {
    if (KNOWN.has(role)) return role === "gridcell" ? "cell" : role;
    if (role === "image") return "img";
    if (TRANSPARENT.has(role)) return "generic";
  }
  return null;
}

const inputType = (element) => element.type;

function nativeRole(element, tag) {
  switch (tag) {
    case "a":
    case "area":
      return hasAttribute(element, "href") || (element.namespaceURI === SVG && hasAttribute(element, "xlink:href")) ? "link" : "generic";
    case "input": {
      if (!(element instanceof HTMLInputElement)) return "generic";
      const type = inputType(element);
      const role = BY_INPUT[type] ?? "textbox";
      return (role === "textbox" || role === "searchbox") && hasAttribute(element, "list") ? "combobox" : role;
    }
    case "select":
      return element.multiple || element.size > 1 ? "listbox" : "combobox";
    case "img":
      return getAttribute(element, "alt") === "" && !namedByAttribute(element) ? "generic" : "img";
    case "svg":
      return "svg";
    case "header":
      return inSection(element) ? "generic" : "banner";
    case "footer":
      return inSection(element) ? "generic" : "contentinfo";
    case "section":
      return namedByAttribute(element) ? "region" : "generic";
    case "th":
      return getAttribute(element, "scope") === "row" ? "rowheader" : "columnheader";
    case "summary":
      return localName(flatParent(element) ?? element) === "details" || flatParent(element) instanceof HTMLSlotElement ? "button" : "generic";
    default:
      return Object.hasOwn(BY_TAG, tag) ? BY_TAG[tag] : "generic";
  }
}

/** The role that is shown; "generic" for what only groups. */
function roleOf(element) {
  const tag = localName(element);
  const stated = statedRole(element);
  // Something that can be used stays what it is, whatever role="none" says.
  if (stated && !(stated === "generic" && isHtml(element) && (tag === "button" || tag === "input" || tag === "select" || tag === "textarea" || (tag === "a" && hasAttribute(element, "href"))))) return stated;
  if (isHtml(element)) {
    const role = nativeRole(element, tag);
    if (role === "generic" && isEditingHost(element)) return "textbox";
    return role;
  }
  if (namespaceOf(element) === SVG) {
    if (tag === "a") return nativeRole(element, tag);
    return tag === "svg" ? "svg" : "generic";
  }
  return namespaceOf(element)?.endsWith("MathML") && tag === "math" ? "math" : "generic";
}

/** Whether an element is where editable content begins. */
function isEditingHost(element) {
  const value = getAttribute(element, "contenteditable");
  return value !== null && value.toLowerCase() !== "false" && value.toLowerCase() !== "inherit";
}

/** Whether a click on an element without a role does something, as far as its attributes tell. */
function isClickableByAttribute(element) {
  if (hasAttribute(element, "onclick") || hasAttribute(element, "onmousedown") || hasAttribute(element, "onpointerdown")) return true;
  const index = getAttribute(element, "tabindex");
  return index !== null && /^\s*\d/u.test(index);
}
