//! Whether an act sends a form: by a click, by Enter, by the space bar. Where that cannot be told, it is taken for one
//! that does.

use deskhand_core::{Cx, Permission, Plan, ToolError, ToolResult};
use serde_json::Value;

use super::hands;
use crate::page::{Key, Modifiers, Page, PageError, Seen};

/// What an act would send, as far as it can be seen.
#[derive(Clone, Debug, PartialEq)]
pub enum Sends {
    Nothing,
    /// As the kit tells it: `{method, action, …}`.
    Form(Value),
    Perhaps(&'static str),
}

impl Sends {
    fn form(found: &Value) -> Option<Self> {
        found.is_object().then(|| Self::Form(found.clone()))
    }

    /// By a click on it.
    pub fn by_click(seen: &Seen) -> Self {
        if seen.is_hidden {
            return Self::Perhaps(reason(seen, "what lies there cannot be looked into"));
        }
        Self::form(&seen.answer["submits"]).unwrap_or(Self::Nothing)
    }

    /// By Enter in it. Pages listen for Enter where no form is, too, and nobody can see that they do: only in a field of
    /// several lines that belongs to no form it is taken for a new line.
    pub fn by_enter(seen: &Seen, held: Modifiers) -> Self {
        let answer = &seen.answer;
        if seen.is_hidden {
            return Self::Perhaps("a frame has the focus that cannot be looked into");
        }
        let form = Self::form(&answer["submits"]).or_else(|| Self::form(&answer["enter_submits"]));
        let with_more = held.has(Modifiers::CONTROL | Modifiers::ALT | Modifiers::META);
        match form {
            Some(form) => form,
            None if answer["nothing"] == true => Self::Nothing,
            None if answer["multi_line"] == true && answer["in_form"] == false && !with_more => Self::Nothing,
            None => Self::Perhaps("a page may take Enter there for that"),
        }
    }

    /// By the space bar, which presses the button that has the focus.
    pub fn by_space(seen: &Seen) -> Self {
        if seen.is_hidden || seen.answer["opaque"] == true {
            return Self::Perhaps(reason(seen, "what has the focus cannot be looked into"));
        }
        if seen.answer["enclosed"] == true {
            return Self::Perhaps(reason(seen, "what is around the focus cannot be looked into"));
        }
        Self::form(&seen.answer["submits"]).unwrap_or(Self::Nothing)
    }

    /// What a person should know of it.
    fn note(&self) -> Option<String> {
        match self {
            Self::Nothing => None,
            Self::Form(form) => {
                let text = |key: &str| form[key].as_str().unwrap_or_default();
                let count = |key: &str, what: &str| match form[key].as_u64().unwrap_or_default() {
                    0 => String::new(),
                    many => format!(", {what}: {many}"),
                };
                Some(format!(
                    "It sends a form ({} {}{}{}).",
                    text("method").to_uppercase(),
                    text("action"),
                    count("secret_fields", "fields for secrets"),
                    count("files", "files"),
                ))
            }
            Self::Perhaps(why) => Some(format!("It may send a form: {why}.")),
        }
    }

    /// In the plan of the act. What sends a form is asked about every time.
    pub fn settle(&self, plan: Plan) -> Plan {
        let Some(note) = self.note() else { return plan };
        let why = if matches!(self, Self::Form(_)) { "It sends a form." } else { "It may send a form." };
        let mut plan = plan.at_least(Permission::Sensitive, "browser:submit", why).note(note);
        let to = match self {
            Self::Form(form) => form["action"].as_str().and_then(hands::host_of),
            _ => None,
        };
        if let Some(host) = to.filter(|host| !plan.hosts.contains(host)) {
            plan = plan.note(format!("The form goes to another host: {host}."));
            plan.hosts.push(host);
        }
        plan
    }

    /// Whether the plan that was approved says so. If it does not, the call is planned anew.
    pub fn was_approved(&self, cx: &Cx) -> ToolResult<()> {
        let (Some(note), Some(plan)) = (self.note(), cx.plan()) else { return Ok(()) };
        if plan.permission >= Permission::Sensitive && plan.notes.contains(&note) {
            return Ok(());
        }
        Err(ToolError::plan_changed(note))
    }
}

/// Why it cannot be told. With an older browser every click is asked about, and whoever is asked should know why.
fn reason(seen: &Seen, usual: &'static str) -> &'static str {
    let is_untold = seen.answer["untold"] == true;
    if is_untold { "this browser does not tell what may be hidden there, as newer ones do" } else { usual }
}

/// What a key with these held would send, and what gets it, where that can be told. (Access keys do nothing here: the
/// browser wants more of a key than is sent.)
pub async fn by_key(page: &Page, key: &Key, held: Modifiers) -> Result<(Sends, Option<Seen>), PageError> {
    let looked = match page.look_at_focus().await {
        Err(PageError::Cancelled) => return Err(PageError::Cancelled),
        looked => looked.ok(),
    };
    let sends = match (key.code.as_str(), &looked) {
        ("Enter" | "Space", None) => Sends::Perhaps("the page does not tell what has the focus"),
        ("Enter", Some(seen)) => Sends::by_enter(seen, held),
        ("Space", Some(seen)) => Sends::by_space(seen),
        _ => Sends::Nothing,
    };
    Ok((sends, looked))
}
