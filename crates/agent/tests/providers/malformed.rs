//! What a server should not send. Each ends in a clear error or in the right reply; none hangs, none is asked for twice
//! in vain.

use std::time::Duration;

use deskhand_agent::provider::{ConnectOptions, ErrorClass, TimeLimits};

use crate::{
    mock::{Answer, Mock, ask_with},
    wires::{BOTH, Wire},
};

/// What should come of an answer: the text, or the class of the error, a part of its message, and whether something
/// had been passed on.
enum Want {
    Text(&'static str),
    Error(ErrorClass, &'static str, bool),
}
use Want::{Error, Text};

struct Case {
    what: &'static str,
    answer: Answer,
    want: Want,
    /// How often the server is asked.
    requests: usize,
}

fn case(what: &'static str, answer: Answer, want: Want, requests: usize) -> Case {
    Case { what, answer, want, requests }
}

const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n";

#[allow(clippy::too_many_lines)] // one table
fn cases(wire: Wire) -> Vec<Case> {
    use ErrorClass::{Auth, BadRequest, Malformed, Network, NoCredit, NoSuchModel, Server, TooLong};
    let stream = Answer::stream;
    let begun = || stream().send(wire.beginning("half"));
    let good = wire.good("whole");
    let cut_character = wire.beginning("中").into_bytes();
    let cut_character = &cut_character[..cut_character.iter().rposition(|byte| *byte == 0xE4).unwrap() + 2];
    vec![
        case("no end mark", stream().send(wire.beginning("whole") + &wire.reason()), Text("whole"), 1),
        case(
            "no end mark, and the connection stays open",
            stream().send(wire.beginning("whole") + &wire.reason()).hang(),
            Text("whole"),
            1,
        ),
        case(
            "the end mark, and the connection stays open",
            stream().send(good.clone()).hang(),
            Text("whole"),
            1,
        ),
        case("no blank line at the end", stream().send(good.trim_end()), Text("whole"), 1),
        case("line ends of another system", stream().send(good.replace('\n', "\r\n")), Text("whole"), 1),
        case(
            "comments and empty events",
            stream().send(format!(": hello\n\ndata:\n\n{good}")),
            Text("whole"),
            1,
        ),
        case("no blank after the colon", stream().send(good.replace("data: ", "data:")), Text("whole"), 1),
        case(
            "not streamed",
            Answer::status(200, "content-type: application/json\r\n", &wire.whole("whole").to_string()),
            Text("whole"),
            1,
        ),
        case(
            "not streamed, called a stream",
            stream().send(format!("\n {}", wire.whole("whole"))),
            Text("whole"),
            1,
        ),
        case("reset after the end", stream().send(good.clone()).reset(), Text("whole"), 1),
        case(
            "too short for its length, but whole",
            Answer::raw(format!("{HEAD}content-length: 99999\r\n\r\n{good}")),
            Text("whole"),
            1,
        ),
        case("cut after the first event", begun(), Error(Network, "in the middle of its answer", true), 1),
        case(
            "cut in the middle of JSON",
            begun().send("data: {\"choices\": [{\"ind"),
            Error(Network, "in the middle", true),
            1,
        ),
        case(
            "cut in the middle of a character",
            stream().send(cut_character),
            Error(Network, "in the middle", false),
            3,
        ),
        case(
            "too short for its length",
            Answer::raw(format!("{HEAD}content-length: 99999\r\n\r\n{}", wire.beginning("half"))),
            Error(Network, "broke off", true),
            1,
        ),
        case("reset in the middle", begun().wait(50).reset(), Error(Network, "broke off", true), 1),
        case("reset before anything", Answer::default().reset(), Error(Network, "", false), 3),
        case("closed before anything", Answer::default(), Error(Network, "", false), 3),
        case(
            "not JSON",
            begun().send("data: this is not JSON\n\n"),
            Error(Malformed, "«this is not JSON»", true),
            1,
        ),
        case(
            "not JSON, at once",
            stream().send("data: this is not JSON\n\n"),
            Error(Malformed, "«this is not JSON»", false),
            1,
        ),
        case(
            "no UTF-8",
            stream().send(b"data: \xFF\xFE\n\n".as_slice()),
            Error(Malformed, "no UTF-8", false),
            1,
        ),
        case(
            "a page",
            Answer::status(200, "content-type: text/html\r\n", "<!DOCTYPE html><html><title>Log in</title>"),
            Error(Malformed, "Log in", false),
            1,
        ),
        case(
            "a page as a stream",
            stream().send("<html><body>hello"),
            Error(Malformed, "web page", false),
            1,
        ),
        case("words", stream().send("upstream is down\n"), Error(Malformed, "upstream is down", false), 1),
        case("nothing", Answer::status(200, "", ""), Error(Malformed, "nothing at all", false), 1),
        case("an empty stream", stream(), Error(Malformed, "nothing at all", false), 1),
        case(
            "half of a whole answer",
            stream().send("{\"choices\": [{\"mess"),
            Error(Network, "in the middle", false),
            3,
        ),
        case(
            "another JSON",
            Answer::status(200, "", "{\"hello\": \"world\"}"),
            Error(Malformed, "hello", false),
            1,
        ),
        case("not HTTP", Answer::raw("SSH-2.0-OpenSSH_9.2\r\n"), Error(Network, "", false), 3),
        case(
            "200 with an error",
            Answer::status(200, "", "{\"error\": {\"message\": \"bad model\", \"code\": 400}}"),
            Error(BadRequest, "bad model", false),
            1,
        ),
        case(
            "an error in the stream",
            begun().send("data: {\"error\": {\"code\": 500, \"message\": \"boom\"}}\n\n"),
            Error(Server, "boom", true),
            1,
        ),
        case(
            "an error as the stream",
            stream().send("data: {\"error\": {\"code\": 500, \"message\": \"boom\"}}\n\n"),
            Error(Server, "boom", false),
            3,
        ),
        case(
            "a line of 10 MB",
            begun().send("data: ").send(vec![b'x'; 10 << 20]),
            Error(Malformed, "more than 4194304 bytes", true),
            1,
        ),
        case(
            "a line that never ends",
            stream().repeat(vec![b'x'; 1 << 16]),
            Error(Malformed, "more than 4194304 bytes", false),
            1,
        ),
        case(
            "a stream that never ends",
            stream().repeat(": still here\n\n".repeat(5000)),
            Error(Malformed, "more than 67108864 bytes", false),
            1,
        ),
        case(
            "broken compression",
            Answer::raw(format!("{HEAD}content-encoding: gzip\r\ncontent-length: 11\r\n\r\nhello world")),
            Error(Malformed, "unpacked", false),
            1,
        ),
        case(
            "400 with a body",
            Answer::status(400, "", "{\"error\": {\"message\": \"messages.0: too odd\"}}"),
            Error(BadRequest, "messages.0: too odd", false),
            1,
        ),
        case(
            "401",
            Answer::status(401, "", "{\"error\": {\"message\": \"who are you\"}}"),
            Error(Auth, "who are you", false),
            1,
        ),
        case("402", Answer::status(402, "", "pay"), Error(NoCredit, "pay", false), 1),
        case("403", Answer::status(403, "", "no"), Error(Auth, "no", false), 1),
        case("404", Answer::status(404, "", "where"), Error(NoSuchModel, "where", false), 1),
        case(
            "too long",
            Answer::status(400, "", "{\"error\": {\"message\": \"prompt is too long: 9 > 8\"}}"),
            Error(TooLong, "9 > 8", false),
            1,
        ),
        case("500", Answer::status(500, "", "ouch"), Error(Server, "It was asked 3 times", false), 3),
        case("529", Answer::status(529, "", "full"), Error(Server, "full", false), 3),
        case(
            "400 whose body is cut",
            Answer::raw("HTTP/1.1 400 X\r\ncontent-length: 500\r\n\r\nthe beginning"),
            Error(BadRequest, "the beginning", false),
            1,
        ),
        case(
            "400 whose body never ends",
            Answer::raw("HTTP/1.1 400 X\r\n\r\n").repeat("no ".repeat(1000)),
            Error(BadRequest, "no no", false),
            1,
        ),
        case(
            "a redirect",
            Answer::status(307, "location: http://127.0.0.1:1/v1\r\n", ""),
            Error(BadRequest, "http://127.0.0.1:1/v1", false),
            1,
        ),
    ]
}

async fn check(wire: Wire, case: Case, options: impl Fn(&Mock) -> ConnectOptions) {
    let mock = Mock::start(vec![case.answer]).await;
    let asked = ask_with(wire.model(), &options(&mock)).await;
    let what = format!("{wire:?}, {}", case.what);
    match (case.want, &asked.reply) {
        (Text(want), Ok(reply)) => {
            assert_eq!(reply.text, want, "{what}");
            assert_eq!(asked.text(), want, "{what}");
        }
        (Error(class, part, partly), Err(error)) => {
            assert_eq!(error.class, class, "{what}: {error}");
            assert!(error.message.contains(part), "{what}: {error}");
            assert_eq!(error.partly_answered, partly, "{what}: {error}");
            assert!(error.to_string().chars().count() < 2_600, "{what}: {error}");
            assert!(!format!("{error:?}").contains("test-key"), "{what}: {error:?}");
        }
        (_, reply) => panic!("{what}: {reply:?}"),
    }
    assert_eq!(mock.seen().len(), case.requests, "{what}: requests");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_malformed_answer_ends_well() {
    for wire in BOTH {
        for case in cases(wire) {
            check(wire, case, Mock::options).await;
        }
    }
}

/// At each stage of an answer the server falls silent.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn silence_ends() {
    let silent = |what, answer, partly, requests| {
        case(what, answer, Error(ErrorClass::Silent, "sent nothing for", partly), requests)
    };
    for wire in BOTH {
        for case in [
            silent("before the status", Answer::default().hang(), false, 2),
            silent("in the status", Answer::raw("HTTP/1.1 200 O").hang(), false, 2),
            silent("in the headers", Answer::raw(HEAD).hang(), false, 2),
            silent("before the body", Answer::stream().hang(), false, 2),
            silent("in the first event", Answer::stream().send("data: {\"cho").hang(), false, 2),
            silent("after the first event", Answer::stream().send(wire.beginning("half")).hang(), true, 1),
        ] {
            let short = Duration::from_millis(300);
            let is_begun = matches!(case.want, Error(_, _, true));
            check(wire, case, |mock| {
                let mut options = mock.options();
                // Where something must come first, that may take its time.
                let first_byte = if is_begun { options.limits.first_byte } else { short };
                options.limits = TimeLimits { first_byte, between: short, ..options.limits };
                options.retry.tries = 2;
                options
            })
            .await;
        }
    }
}

#[tokio::test]
async fn an_answer_that_takes_for_ever_ends() {
    for wire in BOTH {
        // Something comes all the time, so no silence ends it.
        let mut slow = Answer::stream().send(wire.beginning("half"));
        for _ in 0..200 {
            slow = slow.send(": still here\n\n").wait(50);
        }
        let mock = Mock::start(vec![slow]).await;
        let mut options = mock.options();
        options.limits.whole = Duration::from_millis(400);
        let error = ask_with(wire.model(), &options).await.reply.unwrap_err();
        assert_eq!((error.class, error.partly_answered), (ErrorClass::Silent, true), "{error}");
        assert!(error.message.contains("did not end its answer"), "{error}");
    }
}

#[tokio::test]
async fn a_key_does_not_follow_a_redirect() {
    for wire in BOTH {
        for status in [301, 302, 307, 308] {
            let other = Mock::start(vec![Answer::stream().send(wire.good("stolen"))]).await;
            let location = format!("location: {}/x\r\n", other.url);
            let mock = Mock::start(vec![Answer::status(status, &location, "")]).await;
            let error = ask_with(wire.model(), &mock.options()).await.reply.unwrap_err();
            assert!(error.message.contains("not sent on"), "{error}");
            assert!(other.seen().is_empty());
        }
    }
}
