//! The client that runs: it says that somebody must sign in, opens nothing by itself, and comes in once somebody has.

use std::{sync::Arc, time::Duration};

use deskhand_core::Registry;
use deskhand_guard::SecretScreener;
use deskhand_serve::mcp::client::{
    Places, ServerStatus, Servers, parse_servers,
    sign_in::{SignInState, SignIns, login::logout},
};
use serde_json::json;

use crate::person::{Desk, authorize, open};

fn start(desk: &Desk, entry: &serde_json::Value) -> Servers {
    let configs = parse_servers(&json!({"mcpServers": {"notes": entry}}).to_string()).unwrap();
    let mut places = Places::here(Vec::new(), Arc::new(SecretScreener));
    places.keeper = Some(desk.keeper());
    Servers::start(&Arc::new(Registry::new()), configs, &places)
}

async fn until(servers: &Servers, status: ServerStatus) {
    deskhand_testkit::until(&format!("{status:?}"), async || servers.states()[0].status == status).await;
}

#[tokio::test]
async fn a_server_that_wants_somebody_is_waited_for() {
    let desk = Desk::new().await;
    let servers = start(&desk, &json!({"url": desk.authority.mcp()}));
    servers.settled(Duration::from_secs(30)).await;
    until(&servers, ServerStatus::WantsSignIn).await;
    let state = servers.states().remove(0);
    assert!(state.error.unwrap().contains("deskhand servers login notes"));
    assert_eq!(state.restarts, 0, "it is not asked again and again");
    assert!(desk.authority.book().authorizations.is_empty(), "nobody is sent anywhere by itself");
    desk.sign_in().await.unwrap();
    until(&servers, ServerStatus::Ready).await;
    let told = serde_json::to_string(&servers.states()).unwrap();
    assert!(!told.contains("s3cr3t"), "{told}");
    servers.shutdown().await;
}

#[tokio::test]
async fn a_token_in_the_entry_needs_nobody_to_sign_in() {
    let desk = Desk::new().await;
    let entry = json!({"url": desk.authority.mcp(), "headers": {"authorization": "Bearer wrong-token"}});
    let servers = start(&desk, &entry);
    servers.settled(Duration::from_secs(30)).await;
    let state = servers.states().remove(0);
    assert_eq!(state.status, ServerStatus::Failed, "{state:?}");
    assert!(state.error.unwrap().contains("`headers`"));
    servers.shutdown().await;
}

#[tokio::test]
async fn sign_in_from_the_page_goes_on_in_the_background() {
    let desk = Desk::new().await;
    let servers = Arc::new(start(&desk, &json!({"url": desk.authority.mcp()})));
    until(&servers, ServerStatus::WantsSignIn).await;
    let sign_ins = SignIns::default();
    let begin = || {
        let servers = Arc::clone(&servers);
        let restarted = async move {
            servers.restart("notes").await;
        };
        sign_ins.begin("notes", desk.login(), restarted)
    };
    let given_up = begin().await.unwrap();
    let address = begin().await.unwrap();
    assert_ne!(given_up, address);
    assert_eq!(sign_ins.state("notes"), Some(SignInState::Waiting { address: address.clone() }));
    open(authorize(&address).await).await;
    until(&servers, ServerStatus::Ready).await;
    assert!(servers.states()[0].signed_in);
    deskhand_testkit::until("signed in", async || sign_ins.state("notes") == Some(SignInState::Done)).await;
    assert!(logout(&desk.server(), desk.keeper().as_ref()).unwrap());
    assert!(servers.restart("notes").await);
    until(&servers, ServerStatus::WantsSignIn).await;
    assert!(!servers.states()[0].signed_in);

    desk.authority.book().refuses_person = true;
    let address = begin().await.unwrap();
    open(authorize(&address).await).await;
    deskhand_testkit::until("refused", async || {
        matches!(sign_ins.state("notes"), Some(SignInState::Failed { .. }))
    })
    .await;
    servers.shutdown().await;
}
