//! The usual variables for proxies are honoured, and never for this machine. They belong to a process, so the tests start
//! one: this very program, with one test.

use std::process::{Command, Output};

use deskhand_agent::provider::ConnectOptions;

use crate::{
    mock::{Answer, Mock, ask_with},
    wires::Wire,
};

async fn run_with_proxy(test: &'static str, proxy: String) -> Output {
    tokio::task::spawn_blocking(move || {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", test, "--include-ignored", "--nocapture"]);
        for variable in ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"] {
            command.env(variable, &proxy);
        }
        for variable in ["NO_PROXY", "no_proxy", "REQUEST_METHOD"] {
            command.env_remove(variable);
        }
        command.output().unwrap()
    })
    .await
    .unwrap()
}

#[tokio::test]
async fn no_proxy_for_this_machine() {
    let proxy = Mock::start(vec![Answer::status(502, "", "no")]).await;
    let output = run_with_proxy("wires::a_good_answer_comes_through", proxy.url.clone()).await;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"));
    assert!(proxy.seen().is_empty(), "{:?}", proxy.seen());
}

#[tokio::test]
async fn a_proxy_for_others() {
    let proxy = Mock::start(vec![Answer::stream().send(Wire::OpenAi.good("through the proxy"))]).await;
    let output = run_with_proxy("proxies::asks_a_host_that_only_a_proxy_reaches", proxy.url.clone()).await;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(proxy.seen()[0].line, "POST http://model.invalid/v1/chat/completions");
}

#[tokio::test]
#[ignore = "run by a_proxy_for_others, with a proxy"]
async fn asks_a_host_that_only_a_proxy_reaches() {
    let none = Mock::start(vec![]).await;
    let options = ConnectOptions { base_url: Some("http://model.invalid/v1".into()), ..none.options() };
    let asked = ask_with(Wire::OpenAi.model(), &options).await;
    assert_eq!(asked.reply.unwrap().text, "through the proxy");
}
