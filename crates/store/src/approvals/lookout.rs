//! Waiting for answers that other processes give. However many wait, one of them looks for all: the one whose turn it
//! is. When that one has its answer, or waits no longer, it is another's turn.

use std::{collections::HashSet, path::PathBuf, sync::Arc, time::Duration};

use deskhand_core::StoreResult;
use tokio::sync::{Mutex, watch};

use crate::wake;

/// How often the one who looks does so without being woken.
const LOOK: Duration = Duration::from_millis(250);

/// Programs that are asked answer within this time, in this process: no socket is made for them.
const AT_ONCE: Duration = Duration::from_millis(10);

/// The questions that are open.
pub(super) type OpenIds = HashSet<String>;

pub(super) struct Lookout {
    wake_folder: PathBuf,
    turn: Mutex<()>,
    /// What was seen last.
    seen: watch::Sender<Arc<OpenIds>>,
}

/// Hears of what others see.
pub(super) struct Seen(watch::Receiver<Arc<OpenIds>>);

impl Lookout {
    pub fn new(wake_folder: PathBuf) -> Self {
        Self { wake_folder, turn: Mutex::default(), seen: watch::Sender::default() }
    }

    pub fn wake_all(&self) {
        wake::wake_all(&self.wake_folder);
    }

    /// What is seen from now on.
    pub fn news(&self) -> Seen {
        Seen(self.seen.subscribe())
    }

    /// Looks for everybody once it is this one's turn, until this one's question is open no longer.
    pub async fn look_for_all(&self, id: &str, look: impl Fn() -> StoreResult<OpenIds>) -> StoreResult<()> {
        let _turn = self.turn.lock().await;
        tokio::time::sleep(AT_ONCE).await;
        // Bound before the first look, so that nothing is missed in between.
        let socket = wake::WakeSocket::bind(&self.wake_folder);
        loop {
            let open = look()?;
            let is_over = !open.contains(id);
            // Also where nothing has changed: a question may have come and gone since the last look.
            self.seen.send_replace(Arc::new(open));
            if is_over {
                return Ok(());
            }
            tokio::select! {
                () = socket.woken() => {}
                () = tokio::time::sleep(LOOK) => {}
            }
        }
    }
}

impl Seen {
    /// Returns when somebody has seen that a question is open no longer.
    pub async fn without(&mut self, id: &str) {
        while self.0.changed().await.is_ok() {
            if !self.0.borrow_and_update().contains(id) {
                return;
            }
        }
        // The lookout is gone, which outlives all who wait.
        std::future::pending::<()>().await;
    }
}
