//! A call from its arrival to its result.

mod result;
mod watch;

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use deskhand_core::{Approver, Outcome};
use deskhand_guard::Paths;
use futures_util::future::BoxFuture;
use rmcp::model::{CallToolRequestParams, CallToolResponse, ErrorData};
use serde_json::Value;
use tokio::{sync::mpsc, task::JoinHandle};
use tokio_util::sync::{CancellationToken, DropGuard};

pub use self::watch::{Listener, Watch};
use super::{
    McpServer,
    ask::{
        elicit::Elicitation,
        suspended::{Handing, Question, Redeemed},
    },
    asker::{Asker, Asks},
    listing,
};

/// A call that has begun. It is cancelled where this is dropped.
pub struct Going {
    params: CallToolRequestParams,
    outcome: Running,
    watch: Arc<Watch>,
    questions: mpsc::UnboundedReceiver<Question>,
    cancel: CancellationToken,
    paths: Option<Paths>,
    _guard: DropGuard,
}

impl Going {
    /// Whether these are the parameters that it was made with.
    pub fn is_of(&self, params: &CallToolRequestParams) -> bool {
        self.params.name == params.name && self.params.arguments == params.arguments
    }
}

/// Where a call runs: in the task of the request that made it, or, once that has been answered, in one of its own.
enum Running {
    Here(BoxFuture<'static, Outcome>),
    There(JoinHandle<Outcome>),
    Nowhere,
}

impl Running {
    fn moves_out(&mut self) {
        *self = match std::mem::replace(self, Self::Nowhere) {
            Self::Here(call) => Self::There(tokio::spawn(call)),
            other => other,
        };
    }
}

impl Future for Running {
    type Output = Result<Outcome, String>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match self.get_mut() {
            Self::Here(call) => call.as_mut().poll(cx).map(Ok),
            Self::There(task) => {
                Pin::new(task).poll(cx).map_err(|error| format!("the call broke down: {error}"))
            }
            Self::Nowhere => Poll::Ready(Err("the call is nowhere".to_owned())),
        }
    }
}

impl McpServer {
    /// Makes a call, or goes on with one whose question its client has come back to answer.
    pub(super) async fn call(
        &self,
        params: CallToolRequestParams,
        asker: &Asker,
    ) -> Result<CallToolResponse, ErrorData> {
        // Until the result is handed over.
        let _slot = asker.client.bounds().slot()?;
        let Some(handle) = &params.request_state else {
            let going = self.begin(params, asker).await?;
            return self.attend(going, asker).await;
        };
        match self.0.suspended.redeem(&asker.client, handle, &params)? {
            Redeemed::GoesOn(going) => self.attend(going, asker).await,
            Redeemed::Unanswered(going, question) => {
                Ok(self.0.suspended.put(&asker.client, going, *question)?.into())
            }
        }
    }

    async fn begin(&self, params: CallToolRequestParams, asker: &Asker) -> Result<Going, ErrorData> {
        self.is_a_tool_for_clients(&params.name)?;
        let client = &asker.client;
        let watch = Arc::new(Watch::default());
        let (hand_over, questions) = mpsc::unbounded_channel();
        let approvers: Vec<Arc<dyn Approver>> = match asker.asks {
            Asks::Nobody => Vec::new(),
            Asks::WhileItWaits => vec![Arc::new(Elicitation {
                surface: client.surface(),
                peer: asker.peer.clone(),
                watch: Arc::clone(&watch),
            })],
            Asks::InItsResult => {
                vec![Arc::new(Handing { surface: client.surface(), questions: hand_over })]
            }
        };
        let usual = client
            .surroundings(asker.desktop.clone())
            .await
            .map_err(|error| ErrorData::internal_error(error, None))?;
        let usual = client.bounds().confine(usual, client.ending());
        let cx = usual.asking(approvers, true).watched_by(Arc::<Watch>::clone(&watch));
        let paths = cx.services.get::<Paths>().cloned();
        let cancel = client.ending().child_token();
        let arguments = Value::Object(params.arguments.clone().unwrap_or_default());
        let request = client.request(&params.name, arguments, cancel.clone());
        let server = self.clone();
        let outcome = Running::Here(Box::pin(async move { server.gate().call(request, &cx).await }));
        let guard = cancel.clone().drop_guard();
        Ok(Going { params, outcome, watch, questions, cancel, paths, _guard: guard })
    }

    fn is_a_tool_for_clients(&self, name: &str) -> Result<(), ErrorData> {
        let found = self.gate().registry.find(name, self.offer().dialect.as_deref());
        match found {
            Ok(found) if !listing::is_for_clients(&found.entry) => {
                let message = format!("{name} works only in conversations that Deskhand leads itself.");
                Err(ErrorData::invalid_params(message, None))
            }
            // What is not there at all is told by the gate, and recorded.
            _ => Ok(()),
        }
    }

    /// Waits for what becomes of a call, and tells its client of it meanwhile.
    async fn attend(&self, mut going: Going, asker: &Asker) -> Result<CallToolResponse, ErrorData> {
        let listener = asker.listener(self);
        let watch = Arc::clone(&going.watch);
        let question = {
            let telling = watch.tell(&listener);
            tokio::pin!(telling);
            let mut is_cancelled = false;
            loop {
                tokio::select! {
                    biased;
                    outcome = &mut going.outcome => {
                        // One that is gone reads nothing any more.
                        tokio::select! {
                            () = watch.tell_the_rest(&listener) => {}
                            () = asker.client.ending().cancelled() => {}
                            () = asker.cancelled.cancelled() => {}
                        }
                        return self.ended(&going, outcome, asker);
                    }
                    Some(question) = going.questions.recv() => break question,
                    () = asker.cancelled.cancelled(), if !is_cancelled => {
                        going.cancel.cancel();
                        is_cancelled = true;
                    }
                    () = &mut telling => {}
                }
            }
        };
        going.outcome.moves_out();
        Ok(self.0.suspended.put(&asker.client, going, question)?.into())
    }

    fn ended(
        &self,
        going: &Going,
        outcome: Result<Outcome, String>,
        asker: &Asker,
    ) -> Result<CallToolResponse, ErrorData> {
        let outcome = outcome.map_err(|error| ErrorData::internal_error(error, None))?;
        if outcome.tool == FIND_TOOLS && self.is_told_anew(&asker.client) {
            asker.client.list_changed();
        }
        result::of(self, &going.params.name, outcome, going.paths.as_ref()).map(Into::into)
    }
}

/// Only this one changes what a client is told of.
const FIND_TOOLS: &str = "find_tools";
