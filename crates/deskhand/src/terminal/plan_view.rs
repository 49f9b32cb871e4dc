//! Plans and explanations, as a person reads them.

use std::fmt::Write;

use deskhand_core::{Explanation, Permission, Plan, Preview, Undoable};

use super::{ChangesView, Style, safe, safe_line};
use crate::language::Language;

/// How many lines of a preview are shown in a terminal.
const MOST_LINES: usize = 60;
/// How many lines of a change list are shown before the preview.
const MOST_CHANGES: usize = 40;

/// Shows plans.
#[derive(Clone, Copy)]
pub struct PlanView {
    pub style: Style,
    pub language: Language,
}

impl PlanView {
    pub fn permission(self, permission: Permission) -> String {
        let word = permission.as_str();
        match permission {
            Permission::Public => self.style.green(word),
            Permission::Moderate => self.style.yellow(word),
            Permission::Sensitive | Permission::Forbidden => self.style.red(word),
        }
    }

    /// What the call would do: paths, undo, notes, preview.
    pub fn plan(self, plan: &Plan) -> String {
        if plan.changes.is_some() {
            let text = self.changes(plan, MOST_CHANGES, MOST_LINES);
            return if plan.undo == Undoable::Yes { text + &self.undo(plan) } else { text };
        }
        let say = |english, chinese| self.language.say(english, chinese);
        let mut text = format!("{}\n", self.style.bold(&safe_line(&plan.summary)));
        for touch in &plan.touches {
            let below = if touch.recursive {
                say(" and everything below it", "（含其下所有内容）")
            } else {
                ""
            };
            let path = touch.path.display().to_string();
            let _ = writeln!(
                text,
                "  {:<7} {}{below}  {}",
                touch.access.to_string(),
                safe_line(&path),
                self.style.dim(&touch.rule)
            );
        }
        for program in &plan.programs {
            let _ = writeln!(text, "  {:<7} {}", say("program", "程序"), safe_line(program));
        }
        for host in &plan.hosts {
            let _ = writeln!(text, "  {:<7} {}", say("host", "主机"), safe_line(host));
        }
        text.push_str(&self.notes(plan));
        if let Some(confinement) = &plan.confinement {
            let _ = writeln!(text, "  {} {}", say("Confined:", "隔离："), safe(confinement));
        }
        text.push_str(&self.undo(plan));
        if let Some(preview) = &plan.preview {
            text.push_str(&self.preview(preview, MOST_LINES));
        }
        text
    }

    /// What a command has changed: the list, then the diff.
    pub fn changes(self, plan: &Plan, most_changes: usize, most_lines: usize) -> String {
        let Some(changes) = &plan.changes else { return String::new() };
        let mut text = ChangesView { style: self.style, language: self.language }.list(changes, most_changes);
        if plan.permission >= Permission::Sensitive {
            let _ = writeln!(text, "  {} {}", self.style.red("!"), safe(&plan.why));
        }
        text.push_str(&self.notes(plan));
        if plan.undo != Undoable::Yes {
            text.push_str(&self.undo(plan));
        }
        if let Some(preview) = &plan.preview {
            text.push_str(&self.preview(preview, most_lines));
        }
        text
    }

    fn notes(self, plan: &Plan) -> String {
        plan.notes.iter().fold(String::new(), |text, note| {
            text + &format!("  {} {}\n", self.style.yellow("!"), safe(note))
        })
    }

    fn undo(self, plan: &Plan) -> String {
        let say = |english, chinese| self.language.say(english, chinese);
        match &plan.undo {
            Undoable::NothingToUndo => String::new(),
            Undoable::Yes => format!("  {}\n", say("It can be undone.", "可以撤销。")),
            Undoable::No(why) => {
                format!("  {} {}\n", self.style.red(say("It cannot be undone:", "无法撤销：")), safe(why))
            }
        }
    }

    /// The first lines of a preview, or all of them.
    pub fn preview(self, preview: &Preview, most: usize) -> String {
        let mut text = String::new();
        let shown = safe(preview.text());
        for line in shown.lines().take(most) {
            let line = match preview {
                Preview::Diff(_) if line.starts_with('+') => self.style.green(line),
                Preview::Diff(_) if line.starts_with('-') => self.style.red(line),
                Preview::Diff(_) if line.starts_with("@@") => self.style.cyan(line),
                _ => line.to_owned(),
            };
            let _ = writeln!(text, "  {line}");
        }
        let more = shown.lines().count().saturating_sub(most);
        if more > 0 {
            let lines = self.language.say("more lines", "行未显示");
            let _ = writeln!(text, "  {}", self.style.dim(&format!("… {more} {lines}")));
        }
        text
    }
}

/// A whole explanation.
pub fn explanation(view: PlanView, explained: &Explanation) -> String {
    let say = |english, chinese| view.language.say(english, chinese);
    let decision = match explained.decision {
        "allow" => view.style.green(explained.decision),
        "ask" => view.style.yellow(explained.decision),
        other => view.style.red(other),
    };
    let permission = view.permission(explained.permission);
    let mut text = format!(
        "{}: {decision} ({permission}, {} {})\n",
        explained.tool,
        say("mode", "模式"),
        explained.mode
    );
    let _ = writeln!(
        text,
        "{}: {} {}",
        say("rule", "规则"),
        explained.rule,
        view.style.dim(&safe(&explained.why))
    );
    if let Some(hint) = &explained.hint {
        let _ = writeln!(text, "{}: {}", say("hint", "提示"), safe(hint));
    }
    if let Some(plan) = &explained.plan {
        text.push_str(&view.plan(plan));
        if explained.decision == "ask" && plan.permission <= Permission::Moderate {
            let _ = writeln!(text, "{}", say("A yes can be remembered for:", "同意可以记住的范围："));
            for (n, shape) in plan.shapes.iter().enumerate() {
                let _ = writeln!(text, "  {}. {}", n + 1, safe_line(&shape.words(&explained.tool)));
            }
        }
    }
    if explained.result_approval {
        let _ = writeln!(text, "{}", say("Its result would be shown to you first.", "结果会先给你看。"));
    }
    text
}
