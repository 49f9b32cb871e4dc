//! The approver behind `--yes`.

use deskhand_core::{
    Answer, ApprovalRequest, Approver, ResultAnswer,
    approval::{AnyAnswer, Subject},
};
use futures_util::future::BoxFuture;

/// Answers every question with yes, in the name of the person who said so beforehand.
pub struct YesApprover {
    name: &'static str,
}

impl YesApprover {
    /// For `call --yes`.
    pub const FLAG: Self = Self { name: "flag:--yes" };
    /// For commands that are themselves the person's yes, such as `deskhand undo`.
    pub const COMMAND: Self = Self { name: "person:command-line" };
}

impl Approver for YesApprover {
    fn name(&self) -> &str {
        self.name
    }

    fn ask<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Option<AnyAnswer>> {
        let answer = match request.subject {
            Subject::Execution { .. } => AnyAnswer::Execution(Answer::Yes { remember: None }),
            Subject::Result { .. } => AnyAnswer::Result(ResultAnswer::Pass),
        };
        Box::pin(async move { Some(answer) })
    }
}
