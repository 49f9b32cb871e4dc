//! Telling clients that their list of tools has changed: because they found some, or because another server's came or
//! went.

use std::{future::Future, sync::Arc};

use rmcp::{
    RoleServer,
    service::{Peer, SubscriptionSink},
};

use super::{McpServer, client::Client};

impl McpServer {
    /// For a client that has a connection of its own. Ends with the client.
    pub(super) async fn tell_of_changes(self, client: Arc<Client>, peer: Peer<RoleServer>) {
        self.at_each_change(&client, || async { peer.notify_tool_list_changed().await.is_ok() }).await;
    }

    /// For one that has asked to be told. Ends with the client.
    pub(super) async fn tell_subscriber(self, client: Arc<Client>, sink: SubscriptionSink) {
        self.at_each_change(&client, || async { sink.notify_tool_list_changed().await.is_ok() }).await;
    }

    async fn at_each_change<F: Future<Output = bool>>(&self, client: &Client, tell: impl Fn() -> F) {
        let mut own = client.list_changes();
        let mut guests = self.gate().registry.changes();
        loop {
            let is_anew = tokio::select! {
                () = client.ending().cancelled() => return,
                changed = own.changed() => changed.is_ok(),
                changed = guests.changed() => changed.is_ok() && self.is_told_anew(client),
            };
            if is_anew && !tell().await {
                return;
            }
        }
    }
}
