//! Calls: what a called name does, and what is noted of it.

use super::Language;
use super::book::{Act, Fold};
use super::engine::{Arg, Engine, run};
use super::functions::within;
use super::statement::module_name;
use super::value::{self, Value, WITHIN};

impl Act {
    /// Whether it only computes.
    pub(super) fn is_harmless(self) -> bool {
        matches!(self, Act::Pure | Act::Fold(_) | Act::Print(_))
    }
}

/// Modules that start programs: an unknown member of them is taken to do so.
const STARTERS: &[&str] = &["os", "subprocess", "child_process", "Kernel", "IO", "Process", "Open3", "pty"];

impl Engine<'_> {
    /// A name that stands alone, not called.
    pub(super) fn judge_name(&mut self, bare: &str, has_act: bool) {
        let book = self.world.book;
        let harmless =
            if has_act { book.call(bare).is_some_and(Act::is_harmless) } else { book.is_pure(bare) };
        let handle =
            self.lang() == Language::Perl && bare.chars().all(|c| c.is_ascii_uppercase() || c == '_');
        self.world.impure |= !(harmless || handle || self.is_special_variable(bare));
    }

    fn is_special_variable(&self, name: &str) -> bool {
        match self.lang() {
            // Setting or reading Perl's own variables runs nothing; the ones of the user are strings.
            Language::Perl => name.starts_with('$') && name != "$ENV",
            Language::Php => name.starts_with('$') && !name.starts_with("$GLOBALS"),
            Language::Ruby => name.starts_with(['@', '$']),
            _ => false,
        }
    }

    /// A module that is imported.
    pub(super) fn judge_module(&mut self, module: &str) {
        let book = self.world.book;
        let known = book.is_pure(module)
            || book.calls.iter().any(|(name, _)| {
                name.strip_prefix(module).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            })
            || book.is_network(module);
        self.world.impure |= !known;
    }

    #[allow(clippy::needless_pass_by_value, reason = "callers build the list for this call")]
    pub(super) fn call(&mut self, callee: Value, args: Vec<Arg>) -> Value {
        self.world.spend(1);
        match callee {
            Value::Name(name) => self.call_name(&name, &args),
            Value::Member(base, name) => self.call_member(&base, &name, &args),
            Value::Text(name) if matches!(self.lang(), Language::Php | Language::Perl) => {
                self.world.impure = true;
                let name = if self.lang() == Language::Php { name.to_lowercase() } else { name };
                self.call_name(&name, &args)
            }
            Value::Local(id) => self.call_local(id, &args, None),
            Value::Choice(values) => {
                for value in values.into_iter().take(8) {
                    if matches!(value, Value::Choice(_)) {
                        self.world.odd();
                    } else {
                        self.call(value, args.clone());
                    }
                }
                Value::Unknown
            }
            _ => {
                self.world.impure = true;
                Value::Unknown
            }
        }
    }

    fn call_name(&mut self, name: &str, args: &[Arg]) -> Value {
        let book = self.world.book;
        let bare = book.bare(name);
        let mut act = book.call(bare);
        if act.is_none() && self.lang() == Language::Perl {
            act = bare.rsplit('.').next().and_then(|last| book.call(last));
        }
        if let Some(act) = act {
            self.world.facts.network |= !act.is_harmless() && book.is_network(bare);
            return self.act(act, None, args);
        }
        if let Some(function) = bare
            .strip_suffix(".call")
            .filter(|_| matches!(self.lang(), Language::Ruby | Language::JavaScript))
        {
            // In JavaScript the first argument is what `this` shall be.
            let skipped = usize::from(self.lang() == Language::JavaScript);
            return self.call_name(function, args.get(skipped..).unwrap_or_default());
        }
        if let Some(function) = bare.strip_suffix(".apply").filter(|_| self.lang() == Language::JavaScript) {
            let list = args.get(1).map_or(Value::Unknown, |arg| arg.value.clone());
            let spread: Vec<Arg> =
                list.elements().iter().map(|value| Arg { name: None, value: value.clone() }).collect();
            return self.call_name(function, &spread);
        }
        if let Some(module) = bare.strip_suffix(".?")
            && STARTERS.contains(&module)
            && let Some(first) = args.first()
        {
            self.world.odd();
            self.world.shell(&first.value.clone());
            return Value::Unknown;
        }
        self.note_change_by_call(bare);
        if book.is_pure(bare) {
            // `Math.send(:system, …)`: the module computes, the method does not.
            let last = bare
                .rsplit_once('.')
                .and_then(|(_, last)| book.methods.iter().find(|(name, _)| *name == last));
            return match last {
                Some(&(_, act)) if !act.is_harmless() && self.lang() == Language::Ruby => {
                    self.world.impure = true;
                    self.act(act, Some(&Value::Unknown), args)
                }
                _ => {
                    self.world.output.doubt();
                    Value::Unknown
                }
            };
        }
        if book.is_network(bare) {
            return self.act(Act::Network, None, args);
        }
        let handle =
            self.lang() == Language::Perl && bare.chars().all(|c| c.is_ascii_uppercase() || c == '_');
        if handle && !bare.is_empty() {
            if bare == "STDOUT" {
                return Value::List(args.iter().map(|arg| arg.value.clone()).collect());
            }
            return Value::Unknown;
        }
        // A member of something that has no entry of its own: judged as a call on a value.
        if let Some((owner, member)) = bare.rsplit_once('.')
            && let Some(act) = book.method(member)
        {
            self.world.impure |= !book.is_pure(owner);
            return self.act(act, Some(&Value::Unknown), args);
        }
        self.world.impure = true;
        Value::Unknown
    }

    fn call_member(&mut self, base: &Value, name: &str, args: &[Arg]) -> Value {
        if name == "?" {
            self.world.odd();
            return Value::Unknown;
        }
        self.note_change_by_method(base, name);
        if let Some(act) = self.world.book.method(name) {
            return self.act(act, Some(base), args);
        }
        self.world.impure = true;
        Value::Unknown
    }

    fn option(args: &[Arg], name: &str) -> Option<Value> {
        args.iter().find_map(|arg| {
            if arg.name.as_deref() == Some(name) {
                return Some(arg.value.clone());
            }
            match &arg.value {
                Value::Map(entries) => {
                    entries.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone())
                }
                _ => None,
            }
        })
    }

    /// Does what the call would do to the facts; on a value, `base` is that value.
    #[allow(clippy::too_many_lines, reason = "one arm for each act")]
    fn act(&mut self, act: Act, base: Option<&Value>, args: &[Arg]) -> Value {
        let positional: Vec<&Value> =
            args.iter().filter(|arg| arg.name.is_none()).map(|arg| &arg.value).collect();
        let first = positional.first().copied().or_else(|| args.first().map(|arg| &arg.value));
        let second = positional.get(1).copied();
        match act {
            Act::Pure => {}
            Act::Fold(fold) => {
                let value = self.fold(fold, base, args);
                if matches!(value, Value::Unknown) {
                    self.world.output.doubt();
                }
                return value;
            }
            Act::Print(printing) => {
                self.print(printing, args);
                return Value::Unknown;
            }
            Act::Shell => {
                let through_shell =
                    Self::option(args, "shell").is_some_and(|value| value != Value::Number(0.0));
                match first {
                    Some(Value::List(words)) if through_shell => {
                        self.world.shell(words.first().unwrap_or(&Value::Unknown));
                    }
                    Some(value) => self.world.shell(value),
                    None => self.world.shell(&Value::Unknown),
                }
            }
            Act::BaseShell => self.world.shell(base.unwrap_or(&Value::Unknown)),
            Act::ShellOrArgv | Act::Argv | Act::ArgvNamed => self.start(act, &positional),
            Act::Delete | Act::DeleteTree => {
                for path in &positional {
                    if !matches!(path, Value::Map(_) | Value::Number(_) | Value::Local(_)) {
                        self.world.delete(Some(path), act == Act::DeleteTree);
                    }
                }
                if positional.is_empty() {
                    let topic = self.world.lookup("$_").filter(|_| self.lang() == Language::Perl);
                    self.world.delete(topic.as_ref(), act == Act::DeleteTree);
                }
            }
            Act::DeleteByOption => {
                let tree = Self::option(args, "recursive").is_some_and(|value| value != Value::Number(0.0));
                self.world.delete(first, tree);
            }
            Act::BaseDelete => self.world.delete(base, false),
            Act::BaseDeleteTree => self.world.delete(base, true),
            Act::Open => self.open(first, second.cloned().or_else(|| Self::option(args, "mode")).as_ref()),
            Act::BaseOpen => self.open(base, first),
            Act::OpenHandle => self.open_handle(&positional),
            Act::Read => self.world.read(first),
            Act::BaseRead => self.world.read(base),
            Act::Write => self.world.write(first),
            Act::BaseWrite => self.world.write(base),
            Act::WriteSecond => self.world.write(second),
            Act::Move => {
                self.world.delete(first, false);
                self.world.write(second);
            }
            Act::BaseMove => {
                self.world.delete(base, false);
                self.world.write(first);
            }
            Act::Network | Act::Socket => {
                self.world.facts.network = true;
                self.world.socket |= act == Act::Socket;
            }
            Act::Eval => {
                return self.evaluate(if base.is_some() && positional.is_empty() { base } else { first });
            }
            Act::Load => {
                self.world.facts.executes = true;
                self.world.impure = true;
            }
            Act::Import => return self.import(first),
            Act::Fork => self.world.forked = true,
            Act::Permissions => self.world.permissions(first, false),
            Act::PermissionsSecond => {
                for path in positional.iter().skip(1).filter(|value| !matches!(value, Value::Number(_))) {
                    self.world.permissions(Some(path), false);
                }
            }
            Act::BasePermissions => self.world.permissions(base, false),
            Act::PowerOff => self.world.facts.powers_off = true,
            Act::CallNamed => return self.call_named(base, args),
            Act::MapOver => return self.fold(Fold::MapCall, None, args),
            Act::BaseCall => return self.call(base.cloned().unwrap_or(Value::Unknown), args.to_vec()),
            Act::Opaque => self.world.odd(),
            Act::Endless => self.world.endless = true,
            Act::PermissionsTree => {
                for path in positional.iter().skip(1).filter(|value| !matches!(value, Value::Number(_))) {
                    self.world.permissions(Some(path), true);
                }
            }
            Act::MethodObject => {
                self.world.impure = true;
                return first
                    .and_then(Value::text)
                    .map_or(Value::Unknown, |name| Value::Name(name.to_owned()));
            }
            Act::MapSecond => {
                let turned: Vec<Arg> = args.iter().rev().cloned().collect();
                return self.fold(Fold::MapCall, None, &turned);
            }
            Act::ParseText => return Self::option(args, "text").unwrap_or(Value::Unknown),
            Act::Starter => self.start(Act::Argv, &positional),
            Act::MaybeShell => {
                if self.world.starts_programs {
                    self.world.shell(first.unwrap_or(&Value::Unknown));
                }
            }
            Act::Walk => {
                let folder = base.or(first);
                self.world.read(folder);
                let inside = folder.map_or(Value::Unknown, within);
                return Value::List(vec![inside]);
            }
            Act::WalkRows => {
                self.world.read(first);
                let names = Value::List(vec![Value::Text(WITHIN.to_string())]);
                let row = vec![first.map_or(Value::Unknown, within), names.clone(), names];
                return Value::List(vec![Value::List(row)]);
            }
            Act::ListNames => {
                self.world.read(base.or(first));
                return Value::List(vec![Value::Text(WITHIN.to_string())]);
            }
            Act::FindFiles => self.find_files(args),
            Act::Shift => {
                if !self.world.arguments.is_empty() && self.world.calling > 0 {
                    return self.world.arguments.remove(0);
                }
            }
            Act::Home => return self.home(),
            Act::Environment => return self.environment(args),
            Act::CallTarget => {
                self.world.odd();
                let given = Self::option(args, "args").unwrap_or(Value::Unknown);
                let given = given.elements().iter().map(|value| Arg { name: None, value: value.clone() });
                let target = Self::option(args, "target").unwrap_or(Value::Unknown);
                self.call(target, given.collect());
            }
            Act::StartOptions => {
                let mut words: Vec<Value> = positional.iter().map(|&value| value.clone()).collect();
                words.extend(Self::option(args, "cmd"));
                words.extend(Self::option(args, "args"));
                self.start(Act::Argv, &words.iter().collect::<Vec<_>>());
            }
            Act::ReadSecond => self.world.read(second),
            Act::SystemCall => {
                // 169 and 142 are reboot on the usual machines, 57, 58 and 2 are fork.
                self.world.odd();
                self.world.facts.executes = true;
                match first.and_then(Value::number) {
                    Some(169.0 | 142.0 | 88.0) => self.world.facts.powers_off = true,
                    Some(57.0 | 58.0 | 2.0) => self.world.forked = true,
                    _ => {}
                }
            }
        }
        self.world.output.doubt();
        Value::Unknown
    }

    fn start(&mut self, act: Act, positional: &[&Value]) {
        let mut values: Vec<Value> = positional
            .iter()
            .filter(|value| !matches!(value, Value::Map(_) | Value::Local(_)))
            .map(|&value| value.clone())
            .collect();
        if act == Act::ShellOrArgv {
            match &values[..] {
                [] => self.world.shell(&Value::Unknown),
                [one] => self.world.shell(one),
                _ => self.world.argv(&values),
            }
            return;
        }
        // `spawnl(mode, path, …)` has a mode first.
        if values.len() > 1
            && matches!(values[0], Value::Number(_) | Value::Unknown | Value::Name(_))
            && act == Act::ArgvNamed
        {
            values.remove(0);
        }
        if act == Act::ArgvNamed {
            if let Some(Value::List(list)) = values.get(1).cloned() {
                values.truncate(1);
                values.extend(list.into_iter().skip(1));
            } else if values.len() > 1 {
                values.remove(1);
            }
        }
        self.world.argv(&values);
    }

    /// Code that is built and then run: read in turn if it is known.
    fn evaluate(&mut self, source: Option<&Value>) -> Value {
        let mut result = Value::Unknown;
        for choice in source.map_or(&[Value::Unknown][..], Value::choices) {
            match choice {
                Value::Text(text) if !text.contains(value::is_hole) => result = run(self.world, text),
                Value::Local(_) => {}
                Value::Text(text) => {
                    self.world.odd();
                    self.world.ran_unknown = true;
                    self.world.facts.executes = true;
                    run(self.world, text);
                }
                _ => {
                    self.world.odd();
                    self.world.ran_unknown = true;
                    self.world.facts.executes = true;
                }
            }
        }
        result
    }

    fn import(&mut self, module: Option<&Value>) -> Value {
        if let Some(module) = module.and_then(Value::text) {
            let path =
                if self.lang() == Language::JavaScript { module_name(module) } else { module.to_owned() };
            self.judge_module(&path);
            self.world.starts_programs |= path == "child_process";
            self.world.facts.executes |= path.starts_with('.') || path.starts_with('/');
            Value::Name(path)
        } else {
            self.world.odd();
            self.world.facts.executes = true;
            Value::Unknown
        }
    }

    /// `send(:system, …)`, `call_user_func('system', …)`, `Reflect.apply`.
    fn call_named(&mut self, base: Option<&Value>, args: &[Arg]) -> Value {
        let Some((name, rest)) = args.split_first() else { return Value::Unknown };
        self.world.impure = true;
        match &name.value {
            Value::Text(name) => match base {
                Some(base) if !matches!(base, Value::Unknown) => self.call_member(base, name, rest),
                _ => self.call_name(name, rest),
            },
            Value::Name(_) | Value::Member(..) | Value::Local(_) => {
                self.call(name.value.clone(), rest.to_vec())
            }
            _ => {
                self.world.odd();
                self.world.facts.executes = true;
                Value::Unknown
            }
        }
    }
}
