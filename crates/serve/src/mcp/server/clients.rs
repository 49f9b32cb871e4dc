//! Clients that come without a session: each of their requests stands for itself, and the client behind it is known
//! by for whom it comes and what it calls itself.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use rmcp::model::Implementation;

use super::{McpServer, client::Client};

/// The most that are remembered for one owner; those that were not here for longest go first.
const MOST: usize = 50;

#[derive(Default)]
pub struct Clients(Mutex<HashMap<Key, Arc<Client>>>);

#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    owner: Option<String>,
    name: String,
    version: String,
}

impl Clients {
    /// The client that this request is from.
    pub fn of(&self, server: &McpServer, owner: Option<&str>, who: Option<&Implementation>) -> Arc<Client> {
        let key = Key {
            owner: owner.map(str::to_owned),
            name: who.map(|who| who.name.clone()).unwrap_or_default(),
            version: who.map(|who| who.version.clone()).unwrap_or_default(),
        };
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = known.get(&key) {
            client.is_used_now();
            return Arc::clone(client);
        }
        // Nobody can drive another's clients out by inventing names.
        let theirs: Vec<(&Key, &Arc<Client>)> =
            known.iter().filter(|(one, _)| one.owner == key.owner).collect();
        if theirs.len() >= MOST {
            let oldest =
                theirs.iter().min_by_key(|(_, client)| client.used_at()).map(|(key, _)| (*key).clone());
            if let Some(client) = oldest.and_then(|key| known.remove(&key)) {
                client.ending().cancel();
            }
        }
        let client = Arc::new(Client::new(server, key.owner.clone(), who));
        known.insert(key, Arc::clone(&client));
        client
    }
}
