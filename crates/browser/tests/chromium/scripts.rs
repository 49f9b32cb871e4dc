//! Scripts, dialogs, and pages that do not end.

use std::time::Duration;

use deskhand_browser::page::{PageError, WaitUntil};
use serde_json::{Value, json};

use crate::fixture::{Desk, LIMIT};

#[tokio::test]
async fn scripts_are_taken_as_people_write_them() {
    let desk = Desk::new().await;
    let page = desk.page_at("plain.html").await;
    for (script, value) in [
        ("1 + 1", json!(2)),
        ("document.title", json!("Plain page")),
        ("() => document.title", json!("Plain page")),
        ("async () => { await null; return [1, {a: '中'}]; };", json!([1, {"a": "中"}])),
        ("const x = 5; return x * 2;", json!(10)),
        ("let y = await Promise.resolve(3); y + 1", json!(4)),
        ("function named() { return 7 } named()", json!(7)),
        ("undefined", Value::Null),
        ("NaN", json!("NaN")),
        ("10n", json!("10n")),
        ("({a: undefined})", json!({})),
        // Again, as in the console.
        ("const x = 1", Value::Null),
        ("const x = 2; x", json!(2)),
        ("let y = 5; class A {} ; y", json!(5)),
        ("class A {} ; typeof A", json!("function")),
        ("const x = 3; Promise.resolve([x])", json!([3])),
        ("const x = await Promise.resolve(4); ({x})", json!({"x": 4})),
        ("const x = 5; () => x", json!(5)),
        ("const x = 6; return x * 2;", json!(12)),
        ("const f = () => 7; f()", json!(7)),
        ("const text = 'let'; [text, 10n].map(String)", json!(["let", "10"])),
        ("const none = null; none", Value::Null),
        ("await Promise.resolve(1); return 2", json!(2)),
        ("const x = await Promise.resolve(8); return x", json!(8)),
        ("if (true) { return await Promise.resolve(4) } // so", json!(4)),
        ("await Promise.resolve([1]).then((all) => { return all; }) // so", json!([1])),
        ("'as people wrote'; 010 === 8 // once", json!(true)),
        ("if (false) 1; // no else", Value::Null),
        // What is declared in a script ends with it, but for functions and `var`.
        ("let own = 1; var kept = 2; function named() { return own + kept } named()", json!(3)),
        ("[typeof own, kept, named()]", json!(["undefined", 2, 3])),
    ] {
        assert_eq!(page.evaluate(script, LIMIT).await.unwrap(), value, "{script}");
    }
    for (script, words) in [
        ("throw new Error('boom')", "boom"),
        ("nothing.here", "nothing is not defined"),
        ("{{{", "SyntaxError"),
        ("} window.runs = 100; {", "SyntaxError"),
        ("} return window.runs = 100; {", "SyntaxError"),
        ("Promise.reject('no')", "no"),
        ("const x = 1; throw new Error('boom')", "boom"),
        ("const x = 1; Promise.reject(new Error('later'))", "later"),
        ("const x = 1; await Promise.reject('no')", "no"),
        ("const x = ; 1", "SyntaxError"),
        ("window.runs = (window.runs ?? 0) + 1; JSON.parse('{')", "SyntaxError"),
        ("window.runs = (window.runs ?? 0) + 1; eval('{{')", "SyntaxError"),
        ("window.runs = (window.runs ?? 0) + 1; Promise.reject(new SyntaxError('own'))", "own"),
        ("(async () => { window.runs += 1; await null; JSON.parse('{') })()", "SyntaxError"),
        ("(window.runs += 1, () => { throw new Error('called') })", "called"),
        ("() => () => 1", "function"),
        ("window.runs += 1; throw Object.assign(new SyntaxError('own'), {stack: 'SyntaxError: own'})", "own"),
        (
            "window.runs += 1; Promise.reject(Object.assign(new SyntaxError('Illegal return statement'), {stack: \
             'SyntaxError: Illegal return statement'}))",
            "return",
        ),
        (
            "let own = new SyntaxError('Illegal return statement'); own.stack = 'SyntaxError: return statement'; \
             window.runs += 1; throw own",
            "return",
        ),
    ] {
        let error = page.evaluate(script, LIMIT).await.unwrap_err();
        assert!(
            matches!(&error, PageError::Script(said) | PageError::NoScript(said) if said.contains(words)),
            "{script}: {error}"
        );
    }
    assert_eq!(page.evaluate("runs", LIMIT).await.unwrap(), 8, "what fails has run once");
    drop(page);
    desk.end().await;
}

#[tokio::test]
async fn a_script_without_end_is_ended() {
    let desk = Desk::new().await;
    let page = desk.page_at("plain.html").await;
    for script in ["for (;;);", "new Promise(() => {})", "let x; for (;;);", "let x; new Promise(() => {})"] {
        let error = page.evaluate(script, Duration::from_millis(500)).await.unwrap_err();
        assert!(matches!(error, PageError::TimedOut { .. }), "{error}");
        assert_eq!(page.evaluate("1", LIMIT).await.unwrap(), 1, "the page goes on");
    }
    drop(page);
    desk.end().await;
}

#[tokio::test]
async fn dialogs_are_answered_and_told_of() {
    let desk = Desk::new().await;
    let page = desk.page_at("asks.html").await;
    assert_eq!(page.evaluate("ask(); answers", LIMIT).await.unwrap(), json!([null, false, null]));
    let told = page.notices();
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(told[1].contains("confirm") && told[1].contains("sure?") && told[1].contains("dismissed"));
    let error = page.evaluate("forever()", LIMIT).await;
    assert!(error.is_err(), "its code was stopped: {error:?}");
    assert!(page.notices().iter().any(|notice| notice.contains("more than 30 dialogs")));
    assert_eq!(page.evaluate("1 + 1", LIMIT).await.unwrap(), 2);
    drop(page);
    desk.end().await;
}

/// Pages can tell when `Runtime.enable` was sent: an error's `stack` is read as soon as it is logged.
#[tokio::test]
async fn pages_do_not_see_us() {
    let desk = Desk::new().await;
    let page = desk.page_at("plain.html").await;
    let script = "let read = false; const e = new Error(); \
        Object.defineProperty(e, 'stack', {get() { read = true; return ''; }}); console.debug(e); \
        [read, navigator.webdriver, navigator.userAgent.includes('Headless'), Object.keys(window).filter(k => /deskhand|cdc_|^kit/i.test(k)).length]";
    page.state().await.unwrap();
    assert_eq!(page.evaluate(script, LIMIT).await.unwrap(), json!([false, false, false, 0]));
    page.navigate(&desk.server.url("second.html"), WaitUntil::Load, LIMIT).await.unwrap();
    drop(page);
    desk.end().await;
}
