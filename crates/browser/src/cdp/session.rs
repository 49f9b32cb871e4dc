//! One target on a connection: a page, a frame that has a process of its own, a worker, or the browser itself.

use std::time::Duration;

use serde_json::Value;

use super::{CdpError, Connection};

/// Where commands go. Cheap to clone; it may outlive its target, whose commands then fail.
#[derive(Clone)]
pub struct Session {
    connection: Connection,
    id: Option<String>,
}

impl Session {
    pub fn browser(connection: Connection) -> Self {
        Self { connection, id: None }
    }

    pub fn of(connection: Connection, id: impl Into<String>) -> Self {
        Self { connection, id: Some(id.into()) }
    }

    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// Sends a command and waits for its answer, within the usual time.
    pub async fn call(&self, method: &str, params: Value) -> Result<Value, CdpError> {
        self.connection.call(self.id(), method, params, Connection::USUAL).await
    }

    pub async fn call_within(&self, limit: Duration, method: &str, params: Value) -> Result<Value, CdpError> {
        self.connection.call(self.id(), method, params, limit).await
    }

    /// Sends a command whose answer nobody needs.
    pub fn post(&self, method: &str, params: &Value) {
        self.connection.post(self.id(), method, params);
    }
}
