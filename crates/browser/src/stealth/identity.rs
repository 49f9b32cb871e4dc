//! The name that a browser goes by: its user agent, and the same in the newer form of client hints.
//!
//! Both are the browser's own, for its real version, as they would be if it had a window. The brands are made as Chromium
//! makes them (`components/embedder_support/user_agent_utils.cc`); a test compares them with what a real one says.

use serde_json::{Value, json};

/// Whose browser it is; that is among the brands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Maker {
    #[default]
    Chromium,
    Chrome,
    Edge,
}

impl Maker {
    /// From what the program says with its version (`Google Chrome 156.0.8078.79`), or what it is called.
    pub fn of(text: &str) -> Self {
        let text = text.to_lowercase();
        match text {
            _ if text.contains("edge") => Self::Edge,
            _ if text.contains("chrome") => Self::Chrome,
            _ => Self::Chromium,
        }
    }

    fn brand(self) -> Option<&'static str> {
        match self {
            Self::Chromium => None,
            Self::Chrome => Some("Google Chrome"),
            Self::Edge => Some("Microsoft Edge"),
        }
    }
}

/// The browser's own words about itself, where they must be put right.
#[derive(Clone, Debug, PartialEq)]
pub struct Identity {
    pub user_agent: String,
    /// As `userAgentMetadata` of the protocol.
    pub hints: Value,
}

impl Identity {
    /// From what `Browser.getVersion` says. `None` for a browser that does not say that it has no window: its own words
    /// are best.
    pub fn of(version: &Value, maker: Maker) -> Option<Self> {
        let said = version["userAgent"].as_str()?;
        let full = version["product"].as_str()?.split_once('/')?.1;
        let major: usize = full.split('.').next()?.parse().ok()?;
        let user_agent = said.replace("Headless", "");
        if user_agent == said {
            return None;
        }
        let hints = json!({
            "brands": brands(maker, major, &major.to_string(), ""),
            "fullVersionList": brands(maker, major, full, ".0.0.0"),
            "fullVersion": full,
            "platform": platform(),
            // Empty on Linux since 2025.
            "platformVersion": "",
            "architecture": if cfg!(any(target_arch = "aarch64", target_arch = "arm")) { "arm" } else { "x86" },
            "bitness": if cfg!(target_pointer_width = "64") { "64" } else { "32" },
            "model": "",
            "mobile": false,
            "wow64": false,
            "formFactors": ["Desktop"],
        });
        Some(Self { user_agent, hints })
    }
}

fn platform() -> &'static str {
    match std::env::consts::OS {
        "macos" => "macOS",
        "windows" => "Windows",
        _ => "Linux",
    }
}

/// The brands, one of which is there so that nobody relies on the others, in an order that goes by the version.
fn brands(maker: Maker, major: usize, version: &str, suffix: &str) -> Value {
    const BETWEEN: [&str; 11] = [" ", "(", ":", "-", ".", "/", ")", ";", "=", "?", "_"];
    const VERSIONS: [&str; 3] = ["8", "99", "24"];
    const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let odd = format!("Not{}A{}Brand", BETWEEN[major % 11], BETWEEN[(major + 1) % 11]);
    let odd_version = format!("{}{suffix}", VERSIONS[major % 3]);
    let one = |brand: &str, version: &str| json!({"brand": brand, "version": version});
    let mut all = vec![one(&odd, &odd_version), one("Chromium", version)];
    if let Some(brand) = maker.brand() {
        all.push(one(brand, version));
        let places = ORDERS[major % 6];
        let mut ordered = vec![Value::Null; 3];
        for (place, brand) in places.into_iter().zip(all) {
            ordered[place] = brand;
        }
        all = ordered;
    } else if !major.is_multiple_of(2) {
        all.reverse();
    }
    Value::Array(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(maker: Maker, major: usize) -> String {
        let brands = brands(maker, major, &major.to_string(), "");
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let all = brands.as_array().unwrap().iter();
        all.map(|one| format!("\"{}\";v=\"{}\"", text(&one["brand"]), text(&one["version"])))
            .collect::<Vec<_>>()
            .join(", ")
    }

    #[test]
    fn brands_are_as_real_ones_say_them() {
        for (maker, major, said) in [
            (Maker::Chrome, 120, r#""Not_A Brand";v="8", "Chromium";v="120", "Google Chrome";v="120""#),
            (Maker::Chrome, 124, r#""Chromium";v="124", "Google Chrome";v="124", "Not-A.Brand";v="99""#),
            (Maker::Edge, 120, r#""Not_A Brand";v="8", "Chromium";v="120", "Microsoft Edge";v="120""#),
            (Maker::Chromium, 156, r#""Not:A-Brand";v="8", "Chromium";v="156""#),
        ] {
            assert_eq!(header(maker, major), said);
        }
    }

    #[test]
    fn only_a_browser_that_says_it_has_no_window_is_named() {
        let version = |agent: &str| json!({"product": "Chrome/156.0.8078.79", "userAgent": agent});
        let identity = Identity::of(&version("X HeadlessChrome/156.0.0.0 Y"), Maker::Chromium).unwrap();
        assert_eq!(identity.user_agent, "X Chrome/156.0.0.0 Y");
        assert_eq!(identity.hints["fullVersion"], "156.0.8078.79");
        assert_eq!(identity.hints["fullVersionList"][0]["version"], "8.0.0.0");
        assert_eq!(Identity::of(&version("X Chrome/156.0.0.0 Y"), Maker::Chromium), None);
        assert_eq!(Identity::of(&json!({}), Maker::Chromium), None);
    }

    #[test]
    fn makers_are_known_by_their_names() {
        for (text, maker) in [
            ("Google Chrome 156.0.8078.79", Maker::Chrome),
            ("Microsoft Edge 156.0.1", Maker::Edge),
            ("Chromium 156.0.8078.79 built on Debian", Maker::Chromium),
            ("", Maker::Chromium),
        ] {
            assert_eq!(Maker::of(text), maker, "{text}");
        }
    }
}
