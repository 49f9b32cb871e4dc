//! The door that is a pair of pipes. Nothing but messages is ever written to it.

use std::io;

use rmcp::{
    service::{ServerInitializeError, serve_server_with_ct},
    transport::io::stdio_pipes,
};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use super::{
    McpServer,
    connection::{Connection, Door},
    lines::Lines,
};

impl McpServer {
    /// Serves the client that started this program, until it goes away or `until` is ready. Then whatever runs for it
    /// is cancelled.
    pub async fn serve_stdio(self, until: impl Future<Output = ()>) -> io::Result<()> {
        let (input, output) = stdio_pipes();
        self.serve_pipes(input, output, until).await
    }

    /// The same over any pair of pipes.
    pub async fn serve_pipes(
        self,
        input: impl AsyncRead + Send + Unpin + 'static,
        output: impl AsyncWrite + Send + Unpin + 'static,
        until: impl Future<Output = ()>,
    ) -> io::Result<()> {
        // Not the server's own: what was asked last is still answered when the client's end of the pipe is closed.
        let stopped = CancellationToken::new();
        let connection = Connection::new(self.clone(), Door::Stdio);
        let lines = Lines::new(input, output, self.0.ending.clone());
        let serving = async {
            match serve_server_with_ct(connection, lines, stopped.clone()).await {
                Ok(service) => {
                    let waited = service.waiting().await;
                    waited
                        .map(drop)
                        .map_err(|error| io::Error::other(format!("the connection broke down: {error}")))
                }
                // A client that goes away before it has said anything.
                Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => Ok(()),
                Err(error) => {
                    Err(io::Error::new(io::ErrorKind::InvalidData, format!("no client of ours: {error}")))
                }
            }
        };
        tokio::pin!(serving);
        tokio::select! {
            ended = &mut serving => ended,
            () = until => {
                self.0.ending.cancel();
                stopped.cancel();
                serving.await
            }
        }
    }
}
