//! Pages that leave between the last look at them and the start of a script, on the wire to a real browser.

use std::collections::VecDeque;

use deskhand_core::Status;
use serde_json::{Value, json};

use crate::{
    fixture::Server,
    meanwhile::{agreeing_once, questions, quietly},
    persons::Persons,
    tools::Shop,
    wire::{Meddles, Wire},
};

/// The title that a script gives to the page that it runs in.
const RAN: &str = "it ran";

/// A command of ours before which the page leaves.
#[derive(Clone, Copy, Debug)]
enum Before {
    /// Asks the document for its origin.
    Origin,
    /// Finds out how the script reads, in a context of our own.
    Reading,
    /// Asks the browser where the tab is.
    LastLook,
    /// Starts the script.
    Start,
}

impl Before {
    fn is(self, command: &Value) -> bool {
        let (method, params) = (&command["method"], &command["params"]);
        let has_script = params["expression"].as_str().is_some_and(|expression| expression.contains(RAN));
        let is_ours = params["contextId"].is_i64();
        match self {
            Self::Origin => method == "Runtime.callFunctionOn" && params["arguments"][0]["value"] == "origin",
            Self::Reading => method == "Runtime.evaluate" && has_script && is_ours,
            Self::LastLook => method == "Target.getTargetInfo",
            Self::Start => method == "Runtime.evaluate" && has_script && !is_ours,
        }
    }
}

/// Has the tab go to another page right before a command of ours, and holds the command back until that page has loaded;
/// for each of these, one after the other.
struct Leaves {
    steps: VecDeque<(Before, String)>,
    held: Option<Value>,
    /// Of the page that comes.
    loader: Option<String>,
}

impl Meddles for Leaves {
    fn commands(&mut self, command: Value) -> Value {
        let Some((_, to)) =
            self.steps.front().filter(|(before, _)| self.held.is_none() && before.is(&command))
        else {
            return command;
        };
        let (session, params) = (command["sessionId"].clone(), json!({"url": to}));
        self.held = Some(command);
        json!({"id": 1_000_000, "sessionId": session, "method": "Page.navigate", "params": params})
    }

    fn hears(&mut self, said: &Value) -> Option<Value> {
        let (_, to) = self.steps.front()?;
        let params = &said["params"];
        match said["method"].as_str()? {
            "Page.frameNavigated" if params["frame"]["url"] == to.as_str() => {
                self.loader = params["frame"]["loaderId"].as_str().map(str::to_owned);
            }
            "Page.lifecycleEvent" if params["name"] == "load" => {
                let has_loaded =
                    self.loader.is_some() && self.loader.as_deref() == params["loaderId"].as_str();
                if has_loaded && self.held.is_some() {
                    self.steps.pop_front();
                    self.loader = None;
                    return self.held.take();
                }
            }
            _ => {}
        }
        None
    }
}

/// The address of a page.
type Page = fn(&Server) -> String;

/// What came of a call whose page left for another.
struct Left {
    status: Status,
    questions: Vec<String>,
    /// Of the page that came.
    title: Value,
}

/// Calls a tool on a page that leaves before each of these, each time for the page that is named with it.
async fn call_while_leaving((tool, arguments): (&str, Value), steps: &[(Before, Page)]) -> Left {
    let server = Server::start().await;
    let steps: VecDeque<_> = steps.iter().map(|(before, page)| (*before, page(&server))).collect();
    let to = steps.back().unwrap().1.clone();
    let persons = Persons::start(&["about:blank"]).await;
    let wire = Wire::to(&persons, Leaves { steps, held: None, loader: None }).await;
    let mut shop = Shop::with(|config| config.attach = Some(wire.address.clone())).await;
    shop.call("browser_navigate", json!({"url": server.url("plain.html")})).await;
    let asks = agreeing_once();
    shop.session.approvers = vec![asks.clone()];
    let outcome = shop.try_call(tool, arguments).await;
    let there = quietly(&shop, "[location.href, document.title]").await;
    assert_eq!(there[0], to.as_str(), "{}", outcome.text);
    shop.browsers.close_all().await;
    persons.end().await;
    Left { status: outcome.status, questions: questions(&asks), title: there[1].clone() }
}

fn of_another_host(server: &Server) -> String {
    server.elsewhere("second.html")
}

fn of_its_host(server: &Server) -> String {
    server.url("second.html")
}

/// It was asked about again, and nothing ran in the page of the other host.
fn assert_asked_again(left: &Left, case: &str) {
    assert_eq!(left.title, "Second page", "it ran there: {case}");
    let [first, second] = left.questions.as_slice() else { panic!("{case}: {:?}", left.questions) };
    assert!(first.contains("(127.0.0.1)") && second.contains("(localhost)"), "{case}");
    assert_eq!(left.status, Status::ExecutionRejected, "{case}");
}

#[tokio::test]
async fn script_does_not_start_when_page_leaves_for_another_host_right_before() {
    let run = format!("document.title = '{RAN}'");
    let scripts = [
        run.clone(),
        format!("const once = 1; function name() {{ {run} }} name(); once"),
        format!("await null; {run}"),
        format!("{run}; return 1"),
    ];
    let starts = scripts.iter().map(|script| (Before::Start, script));
    for (before, script) in starts.chain([(Before::Reading, &run)]) {
        for call in [
            ("browser_evaluate", json!({"script": script})),
            ("browser_wait_for", json!({"condition": script, "timeout": 10_000})),
        ] {
            let case = format!("{before:?} {call:?}");
            assert_asked_again(&call_while_leaving(call, &[(before, of_another_host)]).await, &case);
        }
    }
}

/// It is of another host when its origin is asked, of the host that was approved when that is checked, and then of another
/// host again.
#[tokio::test]
async fn script_does_not_start_when_page_leaves_comes_back_and_leaves() {
    let steps: [(Before, Page); 3] = [
        (Before::Origin, of_another_host),
        (Before::LastLook, of_its_host),
        (Before::Start, of_another_host),
    ];
    let call = ("browser_wait_for", condition());
    assert_asked_again(&call_while_leaving(call, &steps).await, "there and back");
}

/// The yes was for the host.
#[tokio::test]
async fn condition_is_evaluated_on_next_page_of_same_host() {
    let call = ("browser_wait_for", condition());
    let left = call_while_leaving(call, &[(Before::Start, of_its_host)]).await;
    assert_eq!((left.status, left.questions.len()), (Status::Success, 1));
    assert_eq!(left.title, RAN);
}

fn condition() -> Value {
    json!({"condition": format!("document.title = '{RAN}'"), "timeout": 10_000})
}
