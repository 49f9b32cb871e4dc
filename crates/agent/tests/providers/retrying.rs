//! Asking again: when, how often, and never once something was passed on.

use std::time::{Duration, Instant, SystemTime};

use deskhand_agent::provider::{ErrorClass, ModelName, connect};
use tokio_util::sync::CancellationToken;

use crate::{
    mock::{Answer, Mock, ask, ask_with},
    wires::BOTH,
};

#[tokio::test]
async fn what_passes_is_waited_for_and_announced() {
    for wire in BOTH {
        let busy = Answer::status(503, "", "{\"error\": {\"message\": \"Loading model\"}}");
        let good = Answer::stream().send(wire.good("at last"));
        let mock = Mock::start(vec![busy.clone(), Answer::default().reset(), good]).await;
        let asked = ask_with(wire.model(), &mock.options()).await;
        assert_eq!(asked.reply.as_ref().unwrap().text, "at last");
        assert_eq!(mock.seen().len(), 3);
        let notices = asked.notices();
        assert_eq!(notices.len(), 2, "{notices:?}");
        assert!(notices[0].contains("Loading model") && notices[0].contains("Asked again in"), "{notices:?}");
    }
}

#[tokio::test]
async fn every_form_of_retry_after_is_honoured() {
    let date = |seconds| {
        let at = SystemTime::now() + Duration::from_secs(seconds);
        jiff::fmt::rfc2822::DateTimePrinter::new()
            .timestamp_to_rfc9110_string(&at.try_into().unwrap())
            .unwrap()
    };
    for wire in BOTH {
        for (headers, body, least_ms) in [
            ("retry-after: 1\r\n".to_owned(), "", 1000),
            ("retry-after: 0.3\r\n".to_owned(), "", 300),
            ("retry-after-ms: 250\r\n".to_owned(), "", 250),
            // A date has whole seconds: at least one of the two is left.
            ("date".to_owned(), "", 900),
            (String::new(), "{\"error\": {\"message\": \"Please try again in 0.3s.\"}}", 300),
        ] {
            let headers = match headers.as_str() {
                "date" => format!("retry-after: {}\r\n", date(2)),
                _ => headers,
            };
            let limited = Answer::status(429, &headers, body);
            let mock = Mock::start(vec![limited, Answer::stream().send(wire.good("ok"))]).await;
            let began = Instant::now();
            let asked = ask_with(wire.model(), &mock.options()).await;
            assert_eq!(asked.reply.unwrap().text, "ok", "{headers}{body}");
            assert_eq!(mock.seen().len(), 2);
            assert!(
                began.elapsed() >= Duration::from_millis(least_ms),
                "{headers}{body}: {:?}",
                began.elapsed()
            );
        }
    }
}

#[tokio::test]
async fn a_wait_that_is_too_long_is_not_begun() {
    for wire in BOTH {
        for headers in [
            "retry-after: 3600\r\n".to_owned(),
            "retry-after: Fri, 01 Jan 2100 00:00:00 GMT\r\n".to_owned(),
            "retry-after-ms: 3600000\r\n".to_owned(),
        ] {
            let mock = Mock::start(vec![Answer::status(429, &headers, "slow down")]).await;
            let error = ask_with(wire.model(), &mock.options()).await.reply.unwrap_err();
            assert_eq!(error.class, ErrorClass::RateLimited);
            assert!(
                error.message.contains("slow down") && error.message.contains("asked again in"),
                "{error}"
            );
            assert_eq!(mock.seen().len(), 1);
        }
    }
}

#[tokio::test]
async fn a_wait_can_be_cancelled() {
    for wire in BOTH {
        let stages = [
            Answer::status(429, "retry-after: 15\r\n", ""),
            Answer::default().hang(),
            Answer::stream().hang(),
            Answer::raw("HTTP/1.1 400 X\r\ncontent-length: 9\r\n\r\n").hang(),
        ];
        for answer in stages {
            let mock = Mock::start(vec![answer]).await;
            let provider = connect(&ModelName::parse(wire.model()).unwrap(), &mock.options()).unwrap();
            let cancel = CancellationToken::new();
            let cancelling = async {
                while mock.seen().is_empty() {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
                tokio::time::sleep(Duration::from_millis(100)).await;
                cancel.cancel();
            };
            let (asked, ()) = tokio::join!(ask(&*provider, &cancel), cancelling);
            let error = asked.reply.unwrap_err();
            assert_eq!((error.class, error.partly_answered), (ErrorClass::Cancelled, false));
            assert_eq!(mock.seen().len(), 1);
        }
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_told_with_what_to_do() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let mock = Mock::start(vec![]).await;
    let mut options = mock.options();
    options.base_url = Some(format!("http://{address}"));
    let asked = ask_with("ollama/x", &options).await;
    let error = asked.reply.as_ref().unwrap_err();
    assert_eq!(error.class, ErrorClass::Network);
    assert!(
        error.message.contains(&address.to_string()) && error.message.contains("cannot be reached"),
        "{error}"
    );
    assert!(error.to_string().contains("Is the server running?"), "{error}");
    assert!(error.to_string().contains("OLLAMA_HOST"), "{error}");
    assert_eq!(asked.notices().len(), 1, "once more is enough");
}
