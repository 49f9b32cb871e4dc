//! A way to a browser on which what is said may be changed, or something done first.

use futures_util::{SinkExt, StreamExt};
use serde_json::Value;
use tokio::{net::TcpListener, task::JoinHandle};
use tokio_tungstenite::{accept_async, connect_async, tungstenite::Message};

use crate::persons::Persons;

/// What becomes of what is said.
pub trait Meddles: Send + 'static {
    /// What the browser is told instead of a command of ours.
    fn commands(&mut self, command: Value) -> Value {
        command
    }

    /// What the browser is to be told because of what it says.
    fn hears(&mut self, _said: &Value) -> Option<Value> {
        None
    }
}

/// All of it ends with this.
pub struct Wire {
    pub address: String,
    carrying: JoinHandle<()>,
}

impl Drop for Wire {
    fn drop(&mut self) {
        self.carrying.abort();
    }
}

impl Wire {
    /// To the browser of a person, for one connection.
    pub async fn to(persons: &Persons, meddler: impl Meddles) -> Self {
        let browser = persons.web_socket().await;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("ws://{}", listener.local_addr().unwrap());
        Self { address, carrying: tokio::spawn(carry(listener, browser, meddler)) }
    }
}

async fn carry(listener: TcpListener, browser: String, mut meddler: impl Meddles) {
    let (stream, _) = listener.accept().await.unwrap();
    let mut us = accept_async(stream).await.unwrap();
    let (mut browser, _) = connect_async(browser).await.unwrap();
    let read = |message: &Message| serde_json::from_slice::<Value>(&message.clone().into_data()).ok();
    let written = |value: &Value| Message::text(value.to_string());
    // Until one of them has gone.
    loop {
        tokio::select! {
            message = us.next() => {
                let Some(Ok(message)) = message else { return };
                let Some(command) = read(&message) else { continue };
                let Ok(()) = browser.send(written(&meddler.commands(command))).await else { return };
            }
            message = browser.next() => {
                let Some(Ok(message)) = message else { return };
                let Some(said) = read(&message) else { continue };
                let then = meddler.hears(&said);
                let Ok(()) = us.send(written(&said)).await else { return };
                let Some(command) = then else { continue };
                let Ok(()) = browser.send(written(&command)).await else { return };
            }
        }
    }
}
