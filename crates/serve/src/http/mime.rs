//! What a file is: by its first bytes, then by the ending of its name. What a browser might run is only bytes.

/// How many of the first bytes are looked at.
pub const HEAD: usize = 8192;

const ANY: &str = "application/octet-stream";

/// The type to send a file as.
pub fn of(name: &str, head: &[u8]) -> &'static str {
    let found = infer::get(head).map(|kind| kind.mime_type());
    let named = by_ending(name);
    // An office document is a zip file to its first bytes.
    let found = found.filter(|mime| *mime != "application/zip" || named == ANY);
    harmless(found.unwrap_or(named))
}

fn harmless(mime: &'static str) -> &'static str {
    if may_run(mime) { ANY } else { mime }
}

fn may_run(essence: &str) -> bool {
    ["html", "xml", "script", "xsl", "shockwave", "wasm"].iter().any(|part| essence.contains(part))
        // Office documents have "openxml" in their names, and no browser runs them.
        && !essence.starts_with("application/vnd.openxmlformats-officedocument")
}

fn by_ending(name: &str) -> &'static str {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    match ending.as_deref().unwrap_or_default() {
        "txt" | "log" | "ini" | "cfg" | "conf" | "toml" | "rs" | "py" | "c" | "h" | "cpp" | "java" | "go"
        | "sh" | "ts" | "tsx" | "sql" | "diff" | "patch" => "text/plain; charset=utf-8",
        "md" => "text/markdown; charset=utf-8",
        "csv" => "text/csv; charset=utf-8",
        "json" => "application/json",
        "yaml" | "yml" => "application/yaml",
        "pdf" => "application/pdf",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "mp3" => "audio/mpeg",
        "mp4" => "video/mp4",
        "zip" => "application/zip",
        "gz" | "tgz" => "application/gzip",
        "docx" => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "xlsx" => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "pptx" => "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        _ => ANY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_content_then_by_name_and_never_what_runs() {
        for (name, head, wanted) in [
            ("a.txt", &b"\x89PNG\r\n\x1a\n0000"[..], "image/png"),
            ("报告.pdf", b"", "application/pdf"),
            ("notes.TXT", b"hello", "text/plain; charset=utf-8"),
            (
                "a.docx",
                b"PK\x03\x04",
                "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            ),
            ("a.zip", b"PK\x03\x04", "application/zip"),
            ("page.html", b"<html>", ANY),
            ("page.txt", b"<!DOCTYPE html><html>", ANY),
            ("x.svg", b"<svg xmlns=\"http://www.w3.org/2000/svg\">", ANY),
            ("x.js", b"alert(1)", ANY),
            ("none", b"", ANY),
        ] {
            assert_eq!(of(name, head), wanted, "{name}");
        }
        for essence in ["application/xhtml+xml", "image/svg+xml", "application/wasm", "text/xsl"] {
            assert!(may_run(essence), "{essence}");
        }
    }
}
