//! What a client can read: the workspace and nothing beside it; prompts from skills; completion.

use rmcp::model::{
    ArgumentInfo, CompleteRequestParams, GetPromptRequestParams, PaginatedRequestParams,
    ReadResourceRequestParams, Reference,
};
use serde_json::{Value, json};

use super::{
    desk::Desk,
    tester::{Connected, Person, connect},
};

async fn read(connected: &Connected, uri: &str) -> Option<Value> {
    let read = connected.client.read_resource(ReadResourceRequestParams::new(uri)).await.ok()?;
    Some(serde_json::to_value(&read.contents[0]).unwrap())
}

fn uri(desk: &Desk, name: &str) -> String {
    format!("file://{}/{name}", desk.workspace.display())
}

#[tokio::test]
async fn files_are_listed_page_by_page_and_read() {
    let desk = Desk::new();
    for n in 0..450 {
        desk.write(format!("f{n:03}.txt"), n.to_string());
    }
    desk.write(".env", "SECRET=1");
    let connected = connect(&desk, Person::Yes).await;
    let mut cursor = None;
    let mut uris = Vec::new();
    for page in 0.. {
        let asked = PaginatedRequestParams::default().with_cursor(cursor);
        let listed = connected.client.list_resources(Some(asked)).await.unwrap();
        assert!(listed.resources.len() <= 202, "page {page}");
        uris.extend(listed.resources.into_iter().map(|resource| resource.uri));
        cursor = listed.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(uris.iter().filter(|uri| uri.starts_with("file://")).count(), 450);
    assert!(!uris.iter().any(|uri| uri.contains(".env")));
    assert_eq!(read(&connected, &uri(&desk, "f007.txt")).await.unwrap()["text"], "7");
    assert!(
        connected
            .client
            .list_resources(Some(PaginatedRequestParams::default().with_cursor(Some("x".into()))))
            .await
            .is_err()
    );
}

#[tokio::test]
async fn nothing_but_the_workspace_is_there_and_nobody_is_asked() {
    let desk = Desk::new();
    desk.write("a.txt", "x");
    desk.write(".env", "SECRET=1");
    let elsewhere = tempfile::tempdir().unwrap();
    std::fs::write(elsewhere.path().join("out.txt"), "outside").unwrap();
    std::os::unix::fs::symlink(elsewhere.path().join("out.txt"), desk.workspace.join("link.txt")).unwrap();
    let connected = connect(&desk, Person::Yes).await;
    let outside = format!("file://{}/out.txt", elsewhere.path().display());
    let data = format!("file://{}/deskhand.db", desk.data.display());
    for wrong in [
        uri(&desk, ".env"),
        uri(&desk, "link.txt"),
        uri(&desk, "none.txt"),
        uri(&desk, "../data/audit"),
        uri(&desk, "%2e%2e/data"),
        outside,
        data,
        "file:///etc/passwd".to_owned(),
        "deskhand://output/01a1e0f6-facc-720c-9df4-d24aa64bcd9f".to_owned(),
        "deskhand://sessions/none".to_owned(),
        "http://example.org".to_owned(),
    ] {
        assert_eq!(read(&connected, &wrong).await, None, "{wrong}");
    }
    assert!(read(&connected, &uri(&desk, "a.txt")).await.is_some());
    assert!(connected.seen.questions.lock().unwrap().is_empty());
}

async fn completed(connected: &Connected, value: &str) -> Vec<String> {
    let reference = Reference::for_resource("file:///{+path}");
    let params = CompleteRequestParams::new(reference, ArgumentInfo::new("path", value));
    connected.client.complete(params).await.unwrap().completion.values
}

#[tokio::test]
async fn paths_are_completed_within_the_workspace_alone() {
    let desk = Desk::new();
    desk.write("src/main.rs", "");
    desk.write("src/mod.rs", "");
    desk.write("a b.txt", "");
    let connected = connect(&desk, Person::Absent).await;
    let root = desk.workspace.display().to_string().trim_start_matches('/').to_owned();
    assert_eq!(completed(&connected, "").await, [root.as_str()]);
    assert_eq!(completed(&connected, &format!("{root}/s")).await, [format!("{root}/src/")]);
    assert_eq!(completed(&connected, &format!("{root}/a")).await, [format!("{root}/a%20b.txt")]);
    assert_eq!(completed(&connected, &format!("{root}/src/m")).await.len(), 2);
    for outside in ["etc/", "etc/pass", &format!("{root}/../"), &format!("{root}/../data/")] {
        assert!(completed(&connected, outside).await.is_empty(), "{outside}");
    }
}

#[tokio::test]
async fn skills_are_prompts() {
    let desk = Desk::new();
    let folder = desk.data.join("skills/review");
    std::fs::create_dir_all(&folder).unwrap();
    let text = "---\nname: review\ndescription: Reviews a file\narguments:\n  - name: path\n    required: true\n---\nLook at {{path}}.";
    std::fs::write(folder.join("SKILL.md"), text).unwrap();
    let connected = connect(&desk, Person::Absent).await;
    let listed = connected.client.list_all_prompts().await.unwrap();
    assert_eq!(listed.len(), 1);
    assert_eq!(
        (listed[0].name.as_str(), listed[0].description.as_deref()),
        ("review", Some("Reviews a file"))
    );
    let get = |arguments: Value| {
        let params =
            GetPromptRequestParams::new("review").with_arguments(arguments.as_object().unwrap().clone());
        connected.client.get_prompt(params)
    };
    let prompt = get(json!({"path": "a.rs"})).await.unwrap();
    assert!(serde_json::to_string(&prompt).unwrap().contains("Look at a.rs."));
    assert!(get(json!({})).await.is_err(), "what is required is missing");
    assert!(connected.client.get_prompt(GetPromptRequestParams::new("none")).await.is_err());
}
