//! A model as users other than the owner of the installation meet it: errors come without the addresses and files
//! of the owner.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use super::{Capabilities, Delta, ModelRequest, Provider, ProviderError, Reply};

pub struct Discreet(pub Arc<dyn Provider>);

impl Provider for Discreet {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn capabilities(&self) -> Capabilities {
        self.0.capabilities()
    }

    fn complete<'a>(
        &'a self,
        request: &'a ModelRequest,
        on: &'a mut (dyn FnMut(Delta) + Send),
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Reply, ProviderError>> {
        Box::pin(async move {
            let mut on = |delta: Delta| match delta {
                // Its words are those of an error, which may name a server.
                Delta::Notice(_) => {
                    on(Delta::Notice("The model did not answer; asking again.".to_owned()));
                }
                other => on(other),
            };
            self.0.complete(request, &mut on, cancel).await.map_err(ProviderError::for_others)
        })
    }
}
