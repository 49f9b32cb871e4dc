//! `accept_dialog`: a yes to a dialog that an act opens, as tools take it. A person is asked about it each time.

use deskhand_core::{Permission, Plan, Preview, ToolResult};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    page::{Accepting, Page, PageError},
    tab::{LONGEST_MESSAGE, Message},
};

/// Says yes to the dialog that this opens; others get a no.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AcceptDialog {
    /// Exactly what the dialog says.
    #[schemars(length(min = 1, max = LONGEST_MESSAGE))]
    message: String,
    /// The answer to a prompt; not for a confirm.
    #[schemars(length(max = 2_000))]
    text: Option<String>,
}

/// In the plan of the act: what would be said yes to. The answer to a prompt is shown to whoever is asked, and kept no
/// longer: it may be a secret.
pub fn in_plan(accept: Option<&AcceptDialog>, plan: Plan) -> ToolResult<Plan> {
    let Some(AcceptDialog { message, text }) = accept else { return Ok(plan) };
    let message = Message::new(message).map_err(PageError::from)?;
    let plan = plan.at_least(Permission::Sensitive, "browser:dialog", "It says yes to a dialog of the page.");
    let Some(text) = text else { return Ok(plan.note(format!("It says yes to the dialog «{message}»."))) };
    let mut shown = format!("answer to the dialog: \"{}\"", text.escape_debug());
    if let Some(more) = &plan.preview {
        shown = format!("{shown}\n{}", more.text());
    }
    Ok(plan.preview(Preview::Text(shown)).note(format!("It answers the dialog «{message}» with a text.")))
}

/// Has the yes wait for its dialog, right before the act.
pub fn await_dialog<'a>(accept: Option<&AcceptDialog>, page: &'a Page) -> ToolResult<Option<Accepting<'a>>> {
    let waiting = accept.map(|accept| page.accept(&accept.message, accept.text.clone()));
    Ok(waiting.transpose()?)
}

/// After the act: the dialog is waited for, and what it led to; then the yes is gone.
pub async fn settle_after(yes: Option<Accepting<'_>>, page: &Page) -> ToolResult<()> {
    if let Some(yes) = &yes {
        yes.until_it_came().await?;
    }
    page.settle().await?;
    if let Some(yes) = yes {
        yes.end();
    }
    Ok(())
}
