// Before and instead of typing: the focus and the caret, lists of options, fields that are set and not typed into.

/** As a person's change is announced: `input`, then `change`. */
function announce(element, input = true) {
  if (input) dispatch(element, new Event("input", { bubbles: true, composed: true }));
  dispatch(element, new Event("change", { bubbles: true }));
}

/** The field that is meant: the one of a label, or the editable part around something inside it. */
function fieldOf(element) {
  const used = activated(element);
  const kind = kindOf(used);
  return kind === "other" && isHtml(used) ? nearest(used, (outer) => isHtml(outer) && isContentEditable(outer)) ?? used : used;
}

/**
 * prepare_typing({ref | selector | x, y, clear = false}) → {mode, kind, secret, ref, line, focused, selected, enter_submits}
 * with the focus on the field, and all of it selected (`clear`: what is typed next replaces it; to empty it press Delete)
 * or the caret at its end. `mode`: insert (type now), set (call `set_value`), select (call `select_option`), file (use
 * the file chooser). Errors: as `locate`; not_editable {reason: disabled | readonly | not_a_field | no_focus, line}.
 */
function prepare_typing({ clear = false, ...target } = {}, given) {
  const found = locate(target, given);
  if (found.error) return found;
  const field = fieldOf(found.element);
  const kind = kindOf(field);
  const about = { ref: refOf(field), line: lineFor(field), kind, secret: isSecret(field) };
  const no = (reason, message) => ({ error: "not_editable", reason, message, ...about });
  if (isDisabled(field)) return no("disabled", "the field is disabled");
  if (field.readOnly === true) return no("readonly", "the field is read-only");
  const rest = { ...about, enter_submits: submitsByEnter(field), count: found.count };
  if (kind === "set" || kind === "select" || kind === "file") return { mode: kind, focused: false, selected: false, ...rest };
  const takesFocus = isHtml(field) && (hasAttribute(field, "tabindex") || FIELDS.has(roleOf(field)));
  if (kind !== "text" && kind !== "password" && kind !== "editable" && !takesFocus) return no("not_a_field", "text cannot be typed into this element");
  if (focused() !== field) focusElement(field, { preventScroll: false });
  // Custom fields hand the focus on to a part of theirs.
  const now = focused();
  const reached = now !== null && (now === field || isWithin(now, field));
  if (!reached) return no("no_focus", "the field does not take the focus");
  placeCaret(now, clear);
  // Only now: a page may turn a field into one for secrets when it gets the focus.
  return { mode: "insert", focused: true, selected: clear, ...rest, secret: isSecret(field) || isSecret(now) };
}

/** holds_focus({ref}) → {holds}: whether what is typed now goes into this field, or into a part of it. Errors: as `locate`. */
function holds_focus(target, given) {
  const found = locate(target, given);
  if (found.error) return found;
  const now = focused();
  return { holds: now !== null && !holdsDocument(now) && isWithin(now, found.element) };
}

function placeCaret(field, all) {
  if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) {
    if (all) return field.select();
    try {
      field.setSelectionRange(field.value.length, field.value.length);
    } catch {
      // Kinds that have no selection to set (email, number): select, then step to the end.
      field.select();
      getSelectionOf(document)?.modify("move", "forward", "documentboundary");
    }
    return undefined;
  }
  if (!isHtml(field) || !isContentEditable(field)) return undefined;
  const range = createRange(document);
  range.selectNodeContents(field);
  if (!all) range.collapse(false);
  const selection = getSelectionOf(document);
  selection?.removeAllRanges();
  selection?.addRange(range);
  return undefined;
}

/**
 * set_value({ref | selector, value}) → {ref, line, value}: for date, time, colour and range fields. Errors: as `locate`;
 * not_editable; bad_value when the field does not take it (as "31.12." in a date, which wants 2026-12-31). What was given is
 * not repeated: it may be a secret that was meant for another field.
 */
function set_value({ value, ...target } = {}, given) {
  const found = locate(target, given);
  if (found.error) return found;
  const field = fieldOf(found.element);
  const about = { ref: refOf(field), line: lineFor(field) };
  if (isDisabled(field) || field.readOnly === true) return { error: "not_editable", reason: "disabled", message: "the field is disabled or read-only", ...about };
  if (kindOf(field) !== "set") return { error: "not_editable", reason: "not_a_field", message: "this field is typed into, not set", ...about };
  const before = field.value;
  focusElement(field, { preventScroll: true });
  field.value = String(value);
  if (field.value === "" && String(value) !== "") {
    field.value = before;
    return { error: "bad_value", message: `a field of type ${field.type} does not take this value${FORMATS[field.type] ? `; write it as ${FORMATS[field.type]}` : ""}`, ...about };
  }
  if (field.value !== before) announce(field);
  return { ref: about.ref, line: lineFor(field), value: field.value };
}
const FORMATS = { date: "2026-12-31", time: "23:59", "datetime-local": "2026-12-31T23:59", month: "2026-12", week: "2026-W52", color: "#1a2b3c", range: "a number" };

/**
 * select_option({ref | selector, values: [text…]}) → {ref, line, selected: [{value, label}], changed}. Each of `values` is
 * compared with the values first, then with the labels. Errors: as `locate`; not_a_select; not_editable; no_option
 * {options: [label… at most 30], count}; option_disabled; only_one. What was wanted is not repeated, as above.
 */
function select_option({ values, labels, ...target } = {}, given) {
  const found = locate(target, given);
  if (found.error) return found;
  const select = found.element instanceof HTMLOptionElement ? found.element.closest("select") : activated(found.element);
  const about = { ref: refOf(select ?? found.element), line: lineFor(select ?? found.element) };
  if (!(select instanceof HTMLSelectElement)) return { error: "not_a_select", message: "this is not a list of options", ...about };
  if (isDisabled(select)) return { error: "not_editable", reason: "disabled", message: "the list is disabled", ...about };
  const options = [...select.options];
  const chosen = [];
  const wanted = [values ?? [], labels ?? []].flat().map(String);
  for (const text of wanted) {
    const option = (labels?.includes(text) ? undefined : options.find((one) => one.value === text))
      ?? options.find((one) => fold(one.label || one.text) === fold(text))
      ?? options.find((one) => fold(one.label || one.text).toLowerCase() === fold(text).toLowerCase());
    if (!option) return { error: "no_option", options: options.slice(0, 30).map(optionLabel), count: options.length, message: "the list has no such option", ...about };
    if (option.disabled || option.closest("optgroup")?.disabled) return { error: "option_disabled", message: "that option is disabled", ...about };
    chosen.push(option);
  }
  if (!select.multiple && chosen.length !== 1) return { error: "only_one", message: "exactly one option can be chosen in this list", ...about };
  const before = options.map((option) => option.selected);
  focusElement(select, { preventScroll: true });
  if (select.multiple) for (const option of options) option.selected = chosen.includes(option);
  else select.selectedIndex = options.indexOf(chosen[0]);
  const changed = options.some((option, at) => option.selected !== before[at]);
  if (changed) announce(select);
  return { ref: about.ref, line: lineFor(select), selected: [...select.selectedOptions].slice(0, 50).map((option) => ({ value: cut(option.value, 100), label: optionLabel(option) })), changed };
}
