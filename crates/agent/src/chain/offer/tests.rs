use deskhand_core::Registry;
use serde_json::{Value, json};

use super::*;

/// What a model is offered where nothing else is said; `find_tools` comes on top.
const USUAL: &[&str] =
    &["read_file", "write_file", "edit_file", "list_dir", "grep", "file_search", "bash", "bash_output"];

fn usual(registry: &Registry) -> Vec<Arc<ToolEntry>> {
    USUAL.iter().map(|name| registry.get(name).unwrap()).collect()
}

#[test]
fn the_usual_offer_is_small() {
    let registry = deskhand_tools::registry();
    // `find_tools` takes about this much.
    let find_tools = 500;
    for language in [Language::English, Language::Chinese] {
        let tools = definitions(&usual(&registry), language, DEFAULT_BYTES - find_tools);
        let size = bytes(&tools);
        assert!(size + find_tools <= DEFAULT_BYTES, "{size}");
        assert_eq!(tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), USUAL);
    }
}

#[test]
fn less_detail_is_less_and_every_parameter_stays() {
    let registry = deskhand_tools::registry();
    for entry in registry.offered() {
        let names = |schema: &Value| -> Vec<String> {
            schema["properties"].as_object().unwrap().keys().cloned().collect()
        };
        let mut last = usize::MAX;
        for detail in Detail::ALL {
            let tool = definition_in(&entry, Language::English, *detail);
            assert_eq!(names(&tool.parameters), names(entry.input_schema()), "{}", tool.name);
            assert_eq!(tool.parameters.get("required"), entry.input_schema().get("required"));
            let size = bytes(&[tool]);
            assert!(size <= last, "{} {detail:?}", entry.spec().name);
            last = size;
        }
    }
    let entries = usual(&registry);
    assert_eq!(
        definitions(&entries, Language::English, usize::MAX),
        entries.iter().map(|entry| definition(entry, Language::English)).collect::<Vec<_>>()
    );
}

#[test]
fn the_description_is_in_the_language_of_the_model() {
    let registry = deskhand_tools::registry();
    let grep = registry.get("grep").unwrap();
    assert_eq!(definition(&grep, Language::English).description, grep.spec().description);
    assert_eq!(definition(&grep, Language::Chinese).description, grep.spec().description_zh);
}

#[test]
fn schemas_are_made_small() {
    let given = json!({
        "$schema": "x", "title": "T", "type": "object", "additionalProperties": false,
        "$defs": {"Colour": {"enum": ["red", "blue"], "type": "string"}},
        "properties": {
            "colour": {"$ref": "#/$defs/Colour", "description": "Which. One of two."},
            "size": {"anyOf": [{"type": "integer", "format": "uint8", "minimum": 0}, {"type": "null"}], "default": null},
            "title": {"type": ["string", "null"], "title": "Title", "examples": ["x"], "description": "Shown\n on top."},
            "labels": {"type": "object", "additionalProperties": {"type": "string", "title": "L"}},
            "deep": {"type": "boolean", "default": false, "description": "All of it."},
        },
        "required": ["colour"],
    });
    assert_eq!(
        shrink::parameters(&given, Detail::Full),
        json!({
            "type": "object",
            "properties": {
                "colour": {"enum": ["red", "blue"], "type": "string", "description": "Which. One of two."},
                "size": {"type": "integer", "minimum": 0},
                "title": {"type": "string", "description": "Shown on top."},
                "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                "deep": {"type": "boolean", "description": "All of it."},
            },
            "required": ["colour"],
        })
    );
    assert_eq!(
        shrink::parameters(&given, Detail::ShortSentences),
        json!({
            "type": "object",
            "properties": {
                "colour": {"enum": ["red", "blue"], "type": "string", "description": "Which"},
                "size": {"type": "integer"},
                "title": {"type": "string", "description": "Shown on top"},
                "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                "deep": {"type": "boolean"},
            },
            "required": ["colour"],
        })
    );
    assert_eq!(shrink::parameters(&json!({}), Detail::Full), json!({"type": "object", "properties": {}}));
}

#[test]
fn a_need_finds_its_tool() {
    let registry = deskhand_tools::registry();
    let cases = [
        ("read a file", "read_file"),
        ("show the last lines of a log", "read_file"),
        ("find text in files", "grep"),
        ("search with a regular expression", "grep"),
        ("find files by name", "file_search"),
        ("glob pattern", "file_search"),
        ("run a shell command", "bash"),
        ("execute a script", "bash"),
        ("rename a file", "file_move"),
        ("copy a folder", "file_copy"),
        ("delete a directory", "file_delete"),
        ("make a new folder", "create_directory"),
        ("unpack an archive", "decompress_file"),
        ("zip some files", "compress_files"),
        ("how much memory is free", "system_info"),
        ("kill a process", "kill_process"),
        ("which processes are running", "list_processes"),
        ("take back the last change", "undo"),
        ("replace text in a file", "edit_file"),
        ("file size and modification time", "file_stat"),
        ("type into a running program", "bash_input"),
        // misspelt
        ("decompres", "decompress_file"),
        ("proceses", "list_processes"),
        ("renmae file", "file_move"),
        // another system's name
        ("run_shell", "bash"),
        // Chinese
        ("读取文件内容", "read_file"),
        ("搜索文件里的文字", "grep"),
        ("按名字查找文件", "file_search"),
        ("执行命令", "bash"),
        ("解压压缩包", "decompress_file"),
        ("打包文件", "compress_files"),
        ("查看内存和磁盘", "system_info"),
        ("结束进程", "kill_process"),
        ("撤销刚才的修改", "undo"),
        ("重命名", "file_move"),
        ("删除文件夹", "file_delete"),
        ("新建目录", "create_directory"),
        ("替换文字", "edit_file"),
        ("后台程序的输出", "bash_output"),
    ];
    let mut missed = Vec::new();
    for (need, wanted) in cases {
        let hits = search(&registry, None, need, 3);
        let names: Vec<_> = hits.iter().map(|hit| hit.entry.spec().name.to_owned()).collect();
        if !names.iter().any(|name| name == wanted) {
            missed.push((need, wanted, names));
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn the_search_is_bounded_and_ranked() {
    let registry = deskhand_tools::registry();
    assert!(search(&registry, None, "", 5).is_empty());
    assert!(search(&registry, None, "🦀🦀", 5).is_empty());
    assert!(search(&registry, None, &"qzxv ".repeat(1_000_000), 5).len() <= 5);
    let hits = search(&registry, None, "file", 5);
    assert_eq!(hits.len(), 5);
    assert!(hits.is_sorted_by(|a, b| a.score >= b.score));
    for entry in registry.offered() {
        assert_eq!(search(&registry, None, entry.spec().name, 1)[0].entry.spec().name, entry.spec().name);
    }
    assert_eq!(search(&registry, None, "grep", 1).len(), 1);
}
