//! The decision about one call: the plan's permission, the mode, the remembered answers, the settings.
//!
//! In this order, and the first that speaks decides: what is forbidden; a desktop that is not the caller's; the mode `read-only`; a remembered no; text
//! from outside in the session; what is public; and for the rest the settings, the mode, a remembered yes, or a person. A yes of any kind
//! never covers what is sensitive.

use std::{fmt, sync::Arc};

use deskhand_core::{
    Decision, Desktop, Grant, GrantBook, GrantEffect, Mode, Permission, Policy, Question, Runs, Shape,
    StoreResult, Time, Verdict, grant::GrantPlace,
};

/// Decides by mode, grants and settings.
#[derive(Clone)]
pub struct Rules {
    grants: Arc<dyn GrantBook>,
}

impl Rules {
    pub fn new(grants: Arc<dyn GrantBook>) -> Self {
        Self { grants }
    }
}

impl fmt::Debug for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rules").finish_non_exhaustive()
    }
}

impl Policy for Rules {
    fn decide(&self, question: &Question<'_>) -> StoreResult<Decision> {
        let plan = question.plan;
        if plan.permission == Permission::Forbidden {
            return Ok(by_plan(question, Verdict::Block));
        }
        if let Desktop::Away { reason } = question.desktop
            && plan.effects.desktop
        {
            return Ok(away(question, reason));
        }
        if question.mode == Mode::ReadOnly && plan.effects.change_state() {
            return Ok(Decision {
                hint: Some(
                    "In another mode (`--mode ask`) it would be decided by its permission.".to_owned(),
                ),
                ..of(
                    question,
                    Verdict::Block,
                    "mode:read-only",
                    "The mode is read-only, and this changes something.",
                )
            });
        }
        let matching = self.matching(question)?;
        if let Some(no) = matching.iter().find(|grant| grant.effect == GrantEffect::Deny) {
            return Ok(refused(question, no));
        }
        let allowed = |grant: &&Grant| grant.effect == GrantEffect::Allow;
        // Whoever said yes to a host has named it.
        let is_host_named =
            matching.iter().filter(allowed).any(|grant| matches!(grant.shape, Shape::Host { .. }));
        if permission(question) < Permission::Sensitive
            && !is_host_named
            && let Some(why) = question.outside.objects_to(plan)
        {
            return Ok(tainted(question, &why));
        }
        Ok(match permission(question) {
            Permission::Public => by_plan(question, Verdict::Allow),
            Permission::Sensitive => sensitive(question),
            _ => moderate(question, matching.iter().find(allowed)),
        })
    }
}

impl Rules {
    /// The remembered answers that speak about this call.
    fn matching(&self, question: &Question<'_>) -> StoreResult<Vec<Grant>> {
        let now = Time::now();
        let place = GrantPlace {
            owner: question.owner,
            session_id: question.session_id,
            workspace: question.workspace,
            now,
        };
        let mut grants = self.grants.for_tool(question.tool, now)?;
        grants.retain(|grant| grant.matches(question.tool, question.arguments, question.plan, &place));
        Ok(grants)
    }
}

/// Nobody acts on a desktop that they do not sit at, whatever was granted.
fn away(question: &Question<'_>, reason: &str) -> Decision {
    let hint = "What windows there are can still be asked for: list_windows, get_active_window.";
    Decision {
        hint: Some(hint.to_owned()),
        ..of(question, Verdict::Block, "desktop:away", format!("It acts on the desktop. {reason}"))
    }
}

/// The permission in force: the plan's, at least moderate where the settings want a question.
fn permission(question: &Question<'_>) -> Permission {
    if question.settings.requires_execution_approval == Some(true) {
        question.plan.permission.max(Permission::Moderate)
    } else {
        question.plan.permission
    }
}

fn moderate(question: &Question<'_>, yes: Option<&Grant>) -> Decision {
    let setting = question.settings.requires_execution_approval;
    if setting == Some(false) {
        let why = format!("The settings let {} run without a question.", question.tool);
        return of(question, Verdict::Allow, setting_name(question), why);
    }
    // Nothing shows or undoes what a command changes directly.
    let runs_directly = question.plan.runs == Some(Runs::Direct);
    if question.mode == Mode::Auto && setting != Some(true) && !runs_directly {
        return of(question, Verdict::Allow, "mode:auto", "In the mode auto, moderate calls run unasked.");
    }
    if let Some(yes) = yes {
        let why = format!("It was allowed before: {}.", yes.words());
        return of(question, Verdict::Allow, format!("grant:{}", yes.id), why);
    }
    if question.mode == Mode::Unattended {
        let or = if setting == Some(true) {
            format!("or set `{}` to false", setting_name(question).trim_start_matches("config:"))
        } else {
            "or run with `--mode auto`".to_owned()
        };
        let hint = format!("Let a person allow it once and have that remembered (a grant), {or}.");
        return nobody(question, &hint);
    }
    if question.plan.permission < Permission::Moderate {
        let why = format!("{} is set to be asked before it runs.", question.tool);
        return of(question, Verdict::Ask, setting_name(question), why);
    }
    by_plan(question, Verdict::Ask)
}

fn sensitive(question: &Question<'_>) -> Decision {
    if question.mode == Mode::Unattended {
        let hint = "Sensitive calls are asked every time: no grant and no setting allows them. Run it with \
                    `--mode ask` where a person can answer.";
        return nobody(question, hint);
    }
    by_plan(question, Verdict::Ask)
}

/// Text from outside may have asked for this: only a person can tell, and only about this one call, or by naming the host.
fn tainted(question: &Question<'_>, why: &str) -> Decision {
    let decision = if question.mode == Mode::Unattended {
        let hint = "Have a person compact the conversation (`/compact`), which takes the text from outside away, or run it with \
                    `--mode ask` where a person can answer.";
        Decision { why: format!("{why} Nobody is there to ask."), ..nobody(question, hint) }
    } else {
        of(question, Verdict::Ask, "outside:tainted", why)
    };
    let plan = question.plan;
    let is_host =
        |shape: &Shape| matches!(shape, Shape::Host { .. }) && shape.covers(question.arguments, plan);
    let wants_host_named = decision.verdict == Verdict::Ask && plan.shapes.iter().any(is_host);
    Decision { permission: Permission::Sensitive, wants_host_named, ..decision }
}

fn refused(question: &Question<'_>, no: &Grant) -> Decision {
    let reason = no.reason.as_deref().map_or_else(String::new, |reason| format!(" Reason: {reason}"));
    Decision {
        hint: Some(format!("`deskhand grants revoke {}` takes that answer back.", no.id)),
        ..of(
            question,
            Verdict::Reject,
            format!("grant:{}", no.id),
            format!("It was refused before: {}.{reason}", no.words()),
        )
    }
}

fn nobody(question: &Question<'_>, hint: &str) -> Decision {
    let why = format!("It would be asked ({}), and nobody is there to answer.", question.plan.rule);
    Decision { hint: Some(hint.to_owned()), ..of(question, Verdict::NobodyToAsk, "mode:unattended", why) }
}

fn setting_name(question: &Question<'_>) -> String {
    format!("config:tools.{}.requires_execution_approval", question.tool)
}

/// As the plan itself says.
fn by_plan(question: &Question<'_>, verdict: Verdict) -> Decision {
    of(question, verdict, question.plan.rule.as_str(), question.plan.why.as_str())
}

fn of(
    question: &Question<'_>,
    verdict: Verdict,
    rule: impl Into<String>,
    why: impl Into<String>,
) -> Decision {
    Decision {
        verdict,
        permission: permission(question),
        rule: rule.into(),
        why: why.into(),
        hint: None,
        wants_host_named: false,
    }
}

#[cfg(test)]
mod tests;
