//! Several keys, and that none of them is seen.

use deskhand_agent::provider::{ConnectOptions, ErrorClass, Key, ModelName, connect};
use tokio_util::sync::CancellationToken;

use crate::{
    mock::{Answer, Mock, ask},
    wires::{BOTH, Wire},
};

const KEYS: [&str; 3] = ["first-secret-key", "second-secret-key", "third-secret-key"];

fn options(mock: &Mock) -> ConnectOptions {
    ConnectOptions { keys: KEYS.map(Key::new).into(), ..mock.options() }
}

fn used(mock: &Mock) -> Vec<&'static str> {
    let which = |headers: &str| *KEYS.iter().find(|key| headers.contains(**key)).unwrap();
    mock.seen().iter().map(|seen| which(&seen.headers)).collect()
}

#[tokio::test]
async fn the_next_key_is_used_and_a_bad_one_rests() {
    for wire in BOTH {
        let refusals = [Answer::status(401, "", "no"), Answer::status(429, "retry-after: 9\r\n", "slow")];
        let good = Answer::stream().send(wire.good("ok"));
        let mock = Mock::start(refusals.into_iter().chain([good]).collect()).await;
        let provider = connect(&ModelName::parse(wire.model()).unwrap(), &options(&mock)).unwrap();
        let asked = ask(&*provider, &CancellationToken::new()).await;
        assert_eq!(asked.reply.as_ref().unwrap().text, "ok");
        assert_eq!(asked.notices().iter().filter(|notice| notice.contains("Another key")).count(), 2);
        assert_eq!(used(&mock), KEYS);
        ask(&*provider, &CancellationToken::new()).await.reply.unwrap();
        assert_eq!(used(&mock)[3], KEYS[2], "the bad ones rest");
    }
}

#[tokio::test]
async fn all_bad_is_an_error_after_one_request_each() {
    for (status, class) in [(401, ErrorClass::Auth), (402, ErrorClass::NoCredit)] {
        let mock = Mock::start(vec![Answer::status(status, "", "no")]).await;
        let provider = connect(&ModelName::parse(Wire::OpenAi.model()).unwrap(), &options(&mock)).unwrap();
        let error = ask(&*provider, &CancellationToken::new()).await.reply.unwrap_err();
        assert_eq!(error.class, class);
        assert_eq!(used(&mock), KEYS);
    }
}

/// One key is limited for a moment, the others are refused: the one is waited for, not the others told of.
#[tokio::test]
async fn a_key_that_only_rests_is_waited_for() {
    let answers = vec![
        Answer::status(429, "retry-after-ms: 50\r\n", "slow"),
        Answer::status(401, "", "no"),
        Answer::status(401, "", "no"),
        Answer::stream().send(Wire::OpenAi.good("ok")),
    ];
    let mock = Mock::start(answers).await;
    let provider = connect(&ModelName::parse(Wire::OpenAi.model()).unwrap(), &options(&mock)).unwrap();
    assert_eq!(ask(&*provider, &CancellationToken::new()).await.reply.unwrap().text, "ok");
    assert_eq!(used(&mock), [KEYS[0], KEYS[1], KEYS[2], KEYS[0]]);
}

#[tokio::test]
async fn limits_of_every_key_do_not_go_round_in_circles() {
    let mock = Mock::start(vec![Answer::status(429, "retry-after: 0\r\n", "slow")]).await;
    let provider = connect(&ModelName::parse(Wire::OpenAi.model()).unwrap(), &options(&mock)).unwrap();
    let error = ask(&*provider, &CancellationToken::new()).await.reply.unwrap_err();
    assert_eq!(error.class, ErrorClass::RateLimited);
    assert_eq!(mock.seen().len(), 9, "three tries with three keys");
}

#[tokio::test]
async fn a_key_that_a_server_repeats_is_masked() {
    for wire in BOTH {
        let echo = KEYS.join(" ");
        let bodies = [
            Answer::status(401, "", &format!("{{\"error\": {{\"message\": \"bad key {echo}\"}}}}")),
            Answer::status(400, "", &echo),
            Answer::stream().send(format!("data: {{\"error\": \"{echo}\"}}\n\n")),
            Answer::stream().send(format!("data: {echo}\n\n")),
            Answer::stream().send(echo.clone()),
            Answer::status(307, &format!("location: http://h/{}\r\n", KEYS[0]), ""),
        ];
        for answer in bodies {
            let mock = Mock::start(vec![answer]).await;
            let one = ConnectOptions { keys: vec![Key::new(KEYS[0])], ..mock.options() };
            assert!(!format!("{:?}", one.keys).contains(KEYS[0]));
            let provider = connect(&ModelName::parse(wire.model()).unwrap(), &one).unwrap();
            let asked = ask(&*provider, &CancellationToken::new()).await;
            let all = format!("{:?} {:?}", asked.reply.unwrap_err(), asked.deltas);
            assert!(!all.contains(KEYS[0]) && all.contains("⟦masked:"), "{all}");
        }
    }
}

#[tokio::test]
async fn a_header_of_ones_own_that_a_server_repeats_is_masked() {
    for wire in BOTH {
        let mock = Mock::start(vec![Answer::status(400, "", "you sent plain-words-secret")]).await;
        let headers = vec![("x-gateway".to_owned(), "plain-words-secret".to_owned())];
        let options = ConnectOptions { headers, ..mock.options() };
        let provider = connect(&ModelName::parse(wire.model()).unwrap(), &options).unwrap();
        let error = ask(&*provider, &CancellationToken::new()).await.reply.unwrap_err();
        assert!(!error.message.contains("plain-words-secret"), "{error}");
        assert!(error.message.contains("⟦masked:key⟧"), "{error}");
    }
}
