//! Values that are changed where they are: what variables held before is then no longer sure.

use super::Language;
use super::engine::Engine;
use super::value::Value;

/// Methods that change the list or text they are called on, in one of the languages at least.
#[rustfmt::skip]
const MUTATORS: &[&str] = &[
    "append", "extend", "insert", "pop", "push", "unshift", "shift", "sort", "reverse", "splice", "fill", "update",
    "clear", "setdefault", "concat", "replace", "prepend", "remove", "copyWithin", "set", "delete",
];

/// Functions that change what they are given.
#[rustfmt::skip]
const CHANGING_CALLS: &[&str] = &[
    "push", "unshift", "pop", "splice", "chop", "chomp", "sort", "rsort", "ksort", "array_push", "array_unshift",
    "table.insert", "table.remove", "table.sort", "random.shuffle", "heapq.heappush", "bisect.insort", "push!",
];

impl Engine<'_> {
    /// Something was changed in place: what variables hold may be another thing now.
    pub(super) fn changed_in_place(&mut self) {
        self.world.output.doubt();
        self.world.forget_containers();
    }

    /// A call that may change its arguments.
    pub(super) fn note_change_by_call(&mut self, name: &str) {
        if CHANGING_CALLS.contains(&name) {
            self.world.output.doubt();
            self.world.forget(true);
        }
    }

    /// A method that may change the value it is called on.
    pub(super) fn note_change_by_method(&mut self, base: &Value, name: &str) {
        let immutable = matches!(base, Value::Text(_)) && self.lang() != Language::Ruby;
        let returns_new = match self.lang() {
            Language::Ruby => matches!(name, "reverse" | "sort" | "delete" | "set" | "update"),
            Language::JavaScript => matches!(name, "concat" | "replace" | "delete" | "set"),
            _ => false,
        };
        let changes = !immutable
            && !returns_new
            && (MUTATORS.contains(&name) || (self.lang() == Language::Ruby && name.ends_with('!')));
        if changes && (self.lang() != Language::JavaScript || name != "reverse" || self.world.is_held(base)) {
            self.changed_in_place();
        }
    }
}
