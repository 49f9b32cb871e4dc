//! What one client may have at once, what it may see, and what ends with it.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::Duration,
};

use deskhand_core::{Services, SessionCx, SessionEnd};
#[cfg(unix)]
use deskhand_tools::shell::ProcessTable;
use rmcp::model::ErrorData;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

/// Calls that run at once.
const MOST_OF_A_CLIENT: usize = 32;
const MOST_OF_AN_OWNER: usize = 64;
/// What was stopped may still begin a process by then.
const LATECOMERS: Duration = Duration::from_secs(3);

/// Room for the calls of each owner's clients together.
#[derive(Default)]
pub struct Owners(Mutex<HashMap<Option<String>, Arc<Semaphore>>>);

impl Owners {
    fn room(&self, owner: Option<&str>) -> Arc<Semaphore> {
        let mut rooms = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let room = rooms.entry(owner.map(str::to_owned));
        Arc::clone(room.or_insert_with(|| Arc::new(Semaphore::new(MOST_OF_AN_OWNER))))
    }
}

/// The bounds of one client.
pub struct Bounds {
    room: Arc<Semaphore>,
    owners_room: Arc<Semaphore>,
    is_tidied: OnceLock<()>,
}

/// The room that one call takes up, for as long as this is kept.
pub struct Slot {
    _of_client: OwnedSemaphorePermit,
    _of_owner: OwnedSemaphorePermit,
}

impl Bounds {
    pub fn new(owners: &Owners, owner: Option<&str>) -> Self {
        Self {
            room: Arc::new(Semaphore::new(MOST_OF_A_CLIENT)),
            owners_room: owners.room(owner),
            is_tidied: OnceLock::new(),
        }
    }

    /// Room for one call. Where there is none, nobody waits for it: calls that wait cost as much as those that run.
    pub fn slot(&self) -> Result<Slot, ErrorData> {
        let full = |whose: &str, most: usize| {
            let message =
                format!("{most} calls {whose} run already: wait until one has ended, or cancel one");
            ErrorData::invalid_request(message, None)
        };
        let of_client = Arc::clone(&self.room).try_acquire_owned();
        let of_owner = Arc::clone(&self.owners_room).try_acquire_owned();
        Ok(Slot {
            _of_client: of_client.map_err(|_| full("of this client", MOST_OF_A_CLIENT))?,
            _of_owner: of_owner.map_err(|_| full("of this user's clients", MOST_OF_AN_OWNER))?,
        })
    }

    /// A client's surroundings: it reads what is kept of its own calls alone, and what it leaves running ends with it.
    pub fn confine(&self, cx: SessionCx, ending: &CancellationToken) -> SessionCx {
        if self.is_tidied.set(()).is_ok() {
            // It ends with the client.
            tokio::spawn(end_what_is_left(cx.services.clone(), cx.id.clone(), ending.clone()));
        }
        cx.own_calls_only()
    }
}

/// Ends what a client left running, once it is gone.
async fn end_what_is_left(services: Services, session_id: String, ending: CancellationToken) {
    ending.cancelled().await;
    for wait in [Duration::ZERO, LATECOMERS] {
        tokio::time::sleep(wait).await;
        #[cfg(unix)]
        if let Some(table) = services.get::<ProcessTable>() {
            table.end_session(&session_id);
        }
        if let Some(browsers) = services.get::<Arc<dyn SessionEnd>>() {
            browsers.session_ended(&session_id).await;
        }
    }
}
