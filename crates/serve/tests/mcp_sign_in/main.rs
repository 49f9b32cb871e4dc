//! Signing in to an MCP server, against a real authorization server.
#![allow(clippy::unwrap_used)] // all of it is tests

mod authority;
mod person;
mod servers;
mod silence;

use std::{sync::Arc, time::Duration};

use deskhand_serve::mcp::client::sign_in::{Login, OauthConfig, Server, SignInError, Wanted, authorise};
use reqwest::StatusCode;
use rmcp::model::CallToolRequestParams;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::person::{Desk, authorize, open, open_as, with};

#[tokio::test]
async fn a_person_signs_in_and_the_client_comes_in() {
    let desk = Desk::new().await;
    let wanted = desk.wanted().await;
    assert!(wanted.told("notes").contains("deskhand servers login notes"), "{}", wanted.told("notes"));
    assert!(desk.authority.book().authorizations.is_empty(), "nobody is sent anywhere by itself");
    let done = desk
        .sign_in_by(|address| async move {
            let page = open(authorize(&address).await).await;
            assert_eq!(page.status, StatusCode::OK);
            assert!(page.text.contains("You may close this page") && page.text.contains("您可以关闭此页面"));
            assert!(!page.text.contains("<script") && !page.text.contains("s3cr3t"), "{}", page.text);
            assert_eq!(page.headers["referrer-policy"], "no-referrer");
            assert!(page.headers["content-security-policy"].to_str().unwrap().contains("default-src 'none'"));
        })
        .await
        .unwrap();
    assert_eq!(done.scopes, ["read"], "what the server said it needs");
    let session = desk.connect().await.unwrap();
    assert!(session.list_all_tools().await.unwrap().is_empty());
    session.cancel().await.unwrap();
    let book = desk.authority.book();
    assert_eq!((book.authorizations.len(), book.token_requests.len()), (1, 1));
    assert_eq!(book.authorizations[0]["resource"], format!("{}/mcp", book.url));
}

#[cfg(unix)]
#[tokio::test]
async fn tokens_are_for_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let desk = Desk::new().await;
    desk.sign_in().await.unwrap();
    let files: Vec<_> = std::fs::read_dir(desk.folder.path().join("tokens")).unwrap().collect();
    assert!(!files.is_empty());
    for file in files {
        let mode = file.unwrap().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    assert!(desk.kept_text().contains("access-s3cr3t"));
}

#[tokio::test]
async fn an_answer_to_another_question_is_turned_away() {
    let desk = Desk::new().await;
    let authority = desk.authority.clone();
    desk.sign_in_by(|address| async move {
        let back = authorize(&address).await;
        let elsewhere: reqwest::Url = back.as_str().replace("/callback", "/other").parse().unwrap();
        let mut twice = back.clone();
        twice.query_pairs_mut().append_pair("code", "another");
        for (wrong, want) in [
            (with(&back, "state", Some("guessed")), StatusCode::BAD_REQUEST),
            (with(&back, "state", None), StatusCode::BAD_REQUEST),
            (twice, StatusCode::BAD_REQUEST),
            (elsewhere, StatusCode::NOT_FOUND),
        ] {
            assert_eq!(open(wrong.clone()).await.status, want, "{wrong}");
        }
        let mut by_name = back.clone();
        by_name.set_host(Some("localhost")).unwrap();
        assert_eq!(open(by_name).await.status, StatusCode::BAD_REQUEST, "another name leads here");
        let host = format!("Host: {}", back.authority());
        for second in [host.as_str(), "Host: rebound.example"] {
            let answer = open_as(&back, &format!("{host}\r\n{second}")).await;
            assert_eq!(answer.split(' ').nth(1), Some("400"), "{second}: {answer}");
        }
        assert!(authority.book().token_requests.is_empty(), "no code was used");
        assert_eq!(open(back).await.status, StatusCode::OK, "the right one still counts");
    })
    .await
    .unwrap();
    assert!(desk.connect().await.is_ok());
}

#[tokio::test]
async fn an_answer_of_another_issuer_is_not_used() {
    for issuer in [Some("https://evil.example.com".to_owned()), None] {
        let desk = Desk::new().await;
        desk.authority.book().issuer_sent = issuer.clone();
        let error = desk.sign_in().await.unwrap_err();
        assert!(matches!(error, SignInError::OtherIssuer { .. }), "{issuer:?}: {error}");
        assert!(desk.authority.book().token_requests.is_empty(), "the code was not sent");
        assert_eq!(desk.kept_text(), "");
        desk.authority.book().refuses_person = true;
        let error = desk.sign_in().await.unwrap_err();
        assert!(matches!(error, SignInError::OtherIssuer { .. }), "its words are not shown: {error}");
    }
}

#[tokio::test]
async fn a_person_may_say_no() {
    let desk = Desk::new().await;
    desk.authority.book().refuses_person = true;
    let error = desk.sign_in().await.unwrap_err();
    assert_eq!(error.to_string(), "the authorization server refused: access_denied: not you");
    assert!(desk.authority.book().token_requests.is_empty());
}

#[tokio::test]
async fn old_tokens_are_renewed_by_a_client_with_its_secret() {
    let desk = Desk::new().await;
    desk.authority.book().lives_s = 1;
    desk.sign_in().await.unwrap();
    desk.authority.book().lives_s = 3_600;
    let before = desk.kept_text();
    // As after a restart: everything is read again, the secret of the client too.
    let session = desk.connect().await.unwrap();
    session.list_all_tools().await.unwrap();
    session.cancel().await.unwrap();
    assert_ne!(desk.kept_text(), before, "the new ones are kept");
    {
        let book = desk.authority.book();
        let grants: Vec<_> = book.token_requests.iter().map(|asked| asked["grant_type"].as_str()).collect();
        assert_eq!(grants, ["authorization_code", "refresh_token"], "once, for many requests");
        assert_eq!(book.token_requests[1]["resource"], format!("{}/mcp", book.url));
    }
    // Taken back by the server: they are renewed once, without a person.
    desk.authority.book().forget_tokens();
    desk.connect().await.unwrap().cancel().await.unwrap();
    assert_eq!(desk.authority.book().authorizations.len(), 1);
}

#[tokio::test]
async fn two_processes_do_not_renew_by_one_token() {
    let desk = Desk::new().await;
    desk.authority.book().lives_s = 1;
    desk.sign_in().await.unwrap();
    // Each token for renewing works once.
    let (one, other) = tokio::join!(desk.connect(), desk.connect());
    assert!(one.is_ok() && other.is_ok(), "{:?} {:?}", one.err(), other.err());
    assert_eq!(desk.authority.book().authorizations.len(), 1);
}

#[tokio::test]
async fn what_cannot_be_renewed_wants_a_person() {
    let desk = Desk::new().await;
    desk.authority.book().lives_s = 1;
    desk.sign_in().await.unwrap();
    desk.authority.book().refuses_renewal = true;
    let wanted = desk.wanted().await;
    assert!(!wanted.wants_more());
    assert!(!desk.kept_text().contains("s3cr3t-2"), "they are put away: {}", desk.kept_text());
    let tried = desk.authority.book().token_requests.len();
    assert_eq!(desk.wanted().await, wanted);
    assert_eq!(desk.authority.book().token_requests.len(), tried, "it is not tried again and again");

    let stop = CancellationToken::new();
    stop.cancel();
    assert!(!wanted.until_signed_in(&desk.server(), desk.keeper(), &stop).await.unwrap());
    desk.authority.book().lives_s = 3_600;
    let forever = CancellationToken::new();
    let server = desk.server();
    let waits = wanted.until_signed_in(&server, desk.keeper(), &forever);
    let (waited, signed_in) = tokio::join!(waits, async {
        // After it has begun to wait: the wish stands in the file.
        while !desk.kept_text().contains("resource_metadata") {
            tokio::task::yield_now().await;
        }
        desk.sign_in().await
    });
    signed_in.unwrap();
    assert!(waited.unwrap(), "somebody has signed in elsewhere");
    assert!(desk.connect().await.is_ok());
}

#[tokio::test]
async fn more_is_asked_of_a_person_once_and_with_all_that_was_agreed_to() {
    let desk = Desk::new().await;
    desk.sign_in().await.unwrap();
    desk.authority.book().call_scope = Some("write");
    let session = desk.connect().await.unwrap();
    let error = session.call_tool(CallToolRequestParams::new("any")).await.unwrap_err();
    let wanted = Wanted::by_request(&error).unwrap();
    assert!(wanted.wants_more());
    assert!(wanted.told("notes").contains("(write)"), "{}", wanted.told("notes"));
    assert_eq!(desk.authority.book().calls, 1, "it is not tried again");
    assert_eq!(desk.authority.book().authorizations.len(), 1, "and nobody is sent anywhere");
    session.cancel().await.unwrap();

    // The sign-in may happen in another process: what is wanted is kept.
    wanted.remember(&desk.server(), desk.keeper()).await.unwrap();
    let done = desk.sign_in().await.unwrap();
    assert_eq!(done.scopes, ["read", "write"]);
    let session = desk.connect().await.unwrap();
    let error = session.call_tool(CallToolRequestParams::new("any")).await.unwrap_err();
    assert!(Wanted::by_request(&error).is_none(), "it came through to the tools: {error}");
    session.cancel().await.unwrap();
}

#[tokio::test]
async fn renewed_tokens_do_not_hide_that_more_is_wanted() {
    let desk = Desk::new().await;
    desk.authority.book().lives_s = 1;
    desk.sign_in().await.unwrap();
    desk.authority.book().call_scope = Some("write");
    let session = desk.connect().await.unwrap();
    let error = session.call_tool(CallToolRequestParams::new("any")).await.unwrap_err();
    Wanted::by_request(&error).unwrap().remember(&desk.server(), desk.keeper()).await.unwrap();
    session.cancel().await.unwrap();
    desk.connect().await.unwrap().cancel().await.unwrap();
    assert!(desk.kept_text().contains("insufficient_scope"), "{}", desk.kept_text());
}

#[tokio::test]
async fn a_browser_is_sent_nowhere_that_is_not_safe() {
    for metadata in [
        json!({"authorization_endpoint": "file:///usr/bin/true"}),
        json!({"authorization_endpoint": "http://sign-in.example.com/authorize"}),
        json!({"authorization_endpoint": "calculator:run?x=$(true)"}),
        json!({"token_endpoint": "http://sign-in.example.com/token"}),
        json!({"registration_endpoint": "http://sign-in.example.com/register"}),
    ] {
        let desk = Desk::new().await;
        desk.authority.book().metadata = metadata.clone();
        let error = desk.sign_in_by(|address| async move { panic!("shown: {address}") }).await.unwrap_err();
        assert!(matches!(error, SignInError::Unsafe { .. }), "{metadata}: {error}");
    }
}

#[tokio::test]
async fn a_server_that_would_get_the_token_in_the_clear_gets_none() {
    let desk = Desk::new().await;
    let server = Server::new("notes", "http://mcp.invalid/mcp", OauthConfig::default()).unwrap();
    let login = Login::new(server, desk.keeper());
    let error = login.run(|address| panic!("shown: {address}"), &CancellationToken::new()).await.unwrap_err();
    assert!(matches!(error, SignInError::Unsafe { .. }), "{error}");
}

#[tokio::test]
async fn a_server_without_s256_is_not_signed_in_to() {
    let desk = Desk::new().await;
    desk.authority.book().metadata = json!({"code_challenge_methods_supported": ["plain"]});
    let error = desk.sign_in_by(|address| async move { panic!("shown: {address}") }).await.unwrap_err();
    assert!(error.to_string().contains("S256"), "{error}");
}

#[tokio::test]
async fn who_answers_anybody_wants_no_sign_in() {
    let desk = Desk::new().await;
    desk.authority.book().open = true;
    let error = desk.sign_in_by(|address| async move { panic!("shown: {address}") }).await.unwrap_err();
    assert!(matches!(error, SignInError::NotWanted(_)), "{error}");
    assert!(desk.connect().await.is_ok());
}

#[tokio::test]
async fn waiting_ends() {
    let desk = Desk::new().await;
    let never = CancellationToken::new();
    let late = desk.login().within(Duration::from_millis(300)).run(|_| {}, &never).await;
    assert!(matches!(late, Err(SignInError::Late(_))));

    let cancel = CancellationToken::new();
    let (ended, shown) = (cancel.clone(), Arc::new(std::sync::Mutex::new(None)));
    let show = {
        let shown = Arc::clone(&shown);
        move |address: &str| {
            *shown.lock().unwrap() = Some(address.to_owned());
            ended.cancel();
        }
    };
    let cancelled = desk.login().run(show, &cancel).await;
    assert!(matches!(cancelled, Err(SignInError::Cancelled)));
    let address: reqwest::Url = shown.lock().unwrap().take().unwrap().parse().unwrap();
    let back = address.query_pairs().find(|(name, _)| name == "redirect_uri").unwrap().1.into_owned();
    assert!(reqwest::get(back).await.unwrap_err().is_connect(), "nobody listens any more");
}

#[tokio::test]
async fn tokens_of_another_client_are_not_used() {
    let desk = Desk::new().await;
    desk.sign_in().await.unwrap();
    let named = OauthConfig { client_id: Some("by-hand".to_owned()), ..OauthConfig::default() };
    let client = authorise(reqwest::Client::new(), &desk.server_with(named), desk.keeper()).await.unwrap();
    assert!(
        client.auth_manager.lock().await.get_credentials().await.is_err(),
        "no client is set up for them"
    );
}

#[tokio::test]
async fn a_client_that_was_registered_by_hand_is_used_as_it_is() {
    let desk = Desk::new().await;
    desk.authority.book().secrets.insert("by-hand-s3cr3t".to_owned());
    let oauth = OauthConfig {
        client_id: Some("the-client".to_owned()),
        client_secret: Some("by-hand-s3cr3t".to_owned()),
        scopes: vec!["files".to_owned()],
        ..OauthConfig::default()
    };
    desk.authority.book().metadata = json!({"registration_endpoint": null});
    let (shown, address) = tokio::sync::oneshot::channel::<String>();
    let never = CancellationToken::new();
    let login = Login::new(desk.server_with(oauth), desk.keeper());
    let (done, ()) = tokio::join!(login.run(move |a| drop(shown.send(a.to_owned())), &never), async {
        open(authorize(&address.await.unwrap()).await).await;
    });
    assert_eq!(done.unwrap().scopes, ["files"], "what the config says");
    assert!(!desk.kept_text().contains("by-hand-s3cr3t"), "its secret stays where it was written down");
}
