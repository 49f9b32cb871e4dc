//! Asking a client while its call waits.

use std::{sync::Arc, time::Instant};

use deskhand_core::{ApprovalRequest, Approver, approval::AnyAnswer};
use futures_util::{FutureExt, future::BoxFuture};
use rmcp::{
    RoleServer,
    model::{ClientCapabilities, ClientResult, ElicitRequest, RequestId, ServerRequest},
    service::{Peer, PeerRequestOptions},
};

use super::form;
use crate::mcp::server::call::Watch;

/// Whether a client can show a form.
pub fn has_forms(capabilities: Option<&ClientCapabilities>) -> bool {
    // One that names no kind has forms: there was no other kind at first.
    capabilities
        .and_then(|all| all.elicitation.as_ref())
        .is_some_and(|kinds| kinds.form.is_some() || kinds.url.is_none())
}

/// Asks through the client that made the call.
pub struct Elicitation {
    pub surface: String,
    pub peer: Peer<RoleServer>,
    pub watch: Arc<Watch>,
}

impl Approver for Elicitation {
    fn name(&self) -> &str {
        &self.surface
    }

    fn ask<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Option<AnyAnswer>> {
        async move {
            let params = form::of(request).ok()?;
            let question = ServerRequest::ElicitRequest(ElicitRequest::new(params));
            let options = PeerRequestOptions::no_options();
            let sent = self.peer.send_cancellable_request(question, options).await.ok()?;
            let asked_at = Instant::now();
            let shown = Shown { watch: &self.watch, id: Some(sent.id.clone()) };
            let answered = sent.await_response().await;
            shown.ends();
            match answered {
                Ok(ClientResult::ElicitResult(result)) if form::is_unread(&result, asked_at.elapsed()) => {
                    None
                }
                Ok(ClientResult::ElicitResult(result)) => Some(form::answer(request, &result)),
                // A client that cannot ask says nothing; others may still answer.
                Ok(_) => None,
                Err(error) => {
                    tracing::debug!(%error, "a client could not be asked");
                    None
                }
            }
        }
        .boxed()
    }
}

/// A question that a person sees. It is taken away where it is settled elsewhere: this is dropped then.
struct Shown<'a> {
    watch: &'a Watch,
    id: Option<RequestId>,
}

impl Shown<'_> {
    fn ends(mut self) {
        self.id = None;
    }
}

impl Drop for Shown<'_> {
    fn drop(&mut self) {
        if let Some(id) = self.id.take() {
            self.watch.withdraw(id);
        }
    }
}
