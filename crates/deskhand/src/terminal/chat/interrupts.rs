//! Ctrl-C, and signals that ask the program to end.

use tokio::{sync::mpsc, task::JoinHandle};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interrupt {
    /// A person pressed Ctrl-C.
    Key,
    /// The program is told to end.
    End,
}

/// Interrupts as they come. While it lives, none of them ends the program by itself.
pub struct Interrupts {
    arriving: mpsc::Receiver<Interrupt>,
    listening: Option<JoinHandle<()>>,
}

impl Interrupts {
    pub fn listen() -> Self {
        let (sender, arriving) = mpsc::channel(16);
        Self { arriving, listening: Some(tokio::spawn(listen(sender))) }
    }

    #[cfg(test)]
    pub fn from(arriving: mpsc::Receiver<Interrupt>) -> Self {
        Self { arriving, listening: None }
    }

    pub async fn next(&mut self) -> Interrupt {
        match self.arriving.recv().await {
            Some(interrupt) => interrupt,
            None => std::future::pending().await,
        }
    }

    /// Drops those that came while nobody looked.
    pub fn forget(&mut self) {
        while self.arriving.try_recv().is_ok() {}
    }
}

impl Drop for Interrupts {
    fn drop(&mut self) {
        if let Some(listening) = &self.listening {
            listening.abort();
        }
    }
}

#[cfg(unix)]
async fn listen(sender: mpsc::Sender<Interrupt>) {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut terminate), Ok(mut hang_up)) =
        (signal(SignalKind::terminate()), signal(SignalKind::hangup()))
    else {
        return;
    };
    loop {
        let interrupt = tokio::select! {
            pressed = tokio::signal::ctrl_c() => match pressed {
                Ok(()) => Interrupt::Key,
                Err(_) => return,
            },
            _ = terminate.recv() => Interrupt::End,
            _ = hang_up.recv() => Interrupt::End,
        };
        if sender.send(interrupt).await.is_err() {
            return;
        }
    }
}

#[cfg(not(unix))]
async fn listen(sender: mpsc::Sender<Interrupt>) {
    while tokio::signal::ctrl_c().await.is_ok() {
        if sender.send(Interrupt::Key).await.is_err() {
            return;
        }
    }
}
