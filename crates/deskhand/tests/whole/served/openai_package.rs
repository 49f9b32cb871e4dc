//! OpenAI's own package for Python as the front end.

use std::{path::Path, process::Command};

use super::{Served, openai::READS};

const PROGRAM: &str = r#"
import os, sys
from openai import OpenAI, NotFoundError, AuthenticationError

client = OpenAI(base_url=os.environ["URL"], api_key=os.environ["TOKEN"], max_retries=0)
assert client.models.list().data[0].id == "deskhand"
messages = [{"role": "user", "content": "look"}]
whole = client.chat.completions.create(model="deskhand", messages=messages)
answer = whole.choices[0].message.content
assert answer == "I look.\n\nThere is nothing.", answer
assert whole.usage.total_tokens == 38, whole.usage
messages += [{"role": "assistant", "content": answer}, {"role": "user", "content": "again"}]
said, reasons, usage = "", "", None
stream = client.chat.completions.create(model="deskhand", messages=messages, stream=True, stream_options={"include_usage": True})
for chunk in stream:
    usage = chunk.usage or usage
    for choice in chunk.choices:
        said += choice.delta.content or ""
        reasons += getattr(choice.delta, "reasoning_content", None) or ""
assert said == "Still nothing.", said
assert usage.completion_tokens == 4, usage
for wrong, raised in [({"model": "gpt-2"}, NotFoundError)]:
    try:
        client.chat.completions.create(messages=messages, **wrong)
        sys.exit("nothing was raised")
    except raised as error:
        assert "gpt-2" in str(error), error
try:
    OpenAI(base_url=os.environ["URL"], api_key="wrong", max_retries=0).models.list()
    sys.exit("nothing was raised")
except AuthenticationError:
    pass
print("well")
"#;

#[test]
fn the_package_of_openai_talks_to_it() {
    let python = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools/openai/bin/python");
    if !python.exists() {
        deskhand_testkit::skip("the package openai is not installed; `make setup` does it");
        return;
    }
    let script = format!(
        "{READS}\n[[replies]]\ntext = \"Still nothing.\"\nusage = {{ input_tokens = 9, output_tokens = 4 }}\n"
    );
    let served = Served::scripted(&script);
    let ran = Command::new(python)
        .args(["-c", PROGRAM])
        .env("URL", format!("http://127.0.0.1:{}/v1", served.port))
        .env("TOKEN", &served.token)
        .env_remove("HTTP_PROXY")
        .env_remove("http_proxy")
        .env_remove("ALL_PROXY")
        .env_remove("all_proxy")
        .output()
        .unwrap();
    assert!(ran.status.success() && ran.stdout.starts_with(b"well"), "{ran:?}");
    let list = served.get("/api/v1/sessions");
    assert_eq!(list["total"], 1, "both turns are in one session: {list}");
}
