//! `${VAR}`, `${VAR:-default}`, `${env:VAR}` and `${workspaceFolder}` in what is written down about a server.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{
    config::{Hidden, Link},
    hide::Secrets,
};

/// Where variables come from.
pub(super) struct Variables<'a> {
    pub environment: &'a HashMap<String, String>,
    pub workspace: &'a str,
}

/// A link with everything in its place, and what of it must not be shown.
pub(super) struct Expanded {
    pub link: Link,
    pub secrets: Secrets,
}

impl Variables<'_> {
    /// Expands a link, or tells all that is missing.
    pub fn expand(&self, link: &Link) -> Result<Expanded, String> {
        let mut work = self.work();
        let link = work.link(link);
        if work.missing.is_empty() {
            Ok(Expanded { link, secrets: work.secrets })
        } else {
            Err(format!("{}.", work.missing.join("; ")))
        }
    }

    fn work(&self) -> Work<'_> {
        Work { variables: self, names: BTreeSet::new(), missing: Vec::new(), secrets: Secrets::default() }
    }

    fn value(&self, name: &str) -> Option<String> {
        if name == "workspaceFolder" {
            return Some(self.workspace.to_owned());
        }
        self.environment.get(bare(name)).filter(|value| !value.is_empty()).cloned()
    }
}

impl Link {
    /// The variables that it names. Their values go to the server.
    pub fn variables(&self) -> BTreeSet<String> {
        let variables = Variables { environment: &HashMap::new(), workspace: "" };
        let mut work = variables.work();
        work.link(self);
        work.names
    }
}

/// `env:NAME` is the same as `NAME`.
fn bare(name: &str) -> &str {
    name.strip_prefix("env:").unwrap_or(name)
}

struct Work<'a> {
    variables: &'a Variables<'a>,
    /// Of all variables that were met.
    names: BTreeSet<String>,
    missing: Vec<String>,
    secrets: Secrets,
}

impl Work<'_> {
    fn link(&mut self, link: &Link) -> Link {
        match link {
            Link::Stdio { command, args, env, cwd } => {
                let args: Vec<String> = args.iter().map(|arg| self.text(arg)).collect();
                self.secrets.add_arguments(&args);
                Link::Stdio {
                    command: self.text(command),
                    args,
                    env: self.each(env, Secrets::is_named_like_one),
                    cwd: cwd.as_ref().map(|cwd| self.text(cwd)),
                }
            }
            Link::Http { url, headers, oauth } => {
                let url = Hidden::new(self.text(url.reveal()));
                self.secrets.add_url(url.reveal());
                let mut oauth = oauth.clone();
                for text in oauth.texts_mut() {
                    *text = self.text(text);
                }
                Link::Http { url, headers: self.each(headers, |_| true), oauth }
            }
        }
    }

    fn each(
        &mut self,
        values: &BTreeMap<String, Hidden>,
        is_secret: impl Fn(&str) -> bool,
    ) -> BTreeMap<String, Hidden> {
        let mut expanded = BTreeMap::new();
        for (name, value) in values {
            let value = self.text(value.reveal());
            if is_secret(name) {
                self.secrets.add(&value);
            }
            expanded.insert(name.clone(), Hidden::new(value));
        }
        expanded
    }

    fn text(&mut self, text: &str) -> String {
        let mut expanded = String::new();
        let mut rest = text;
        while let Some(start) = rest.find("${") {
            let Some(length) = rest[start..].find('}') else { break };
            expanded.push_str(&rest[..start]);
            let inside = &rest[start + 2..start + length];
            expanded.push_str(&self.variable(inside));
            rest = &rest[start + length + 1..];
        }
        expanded.push_str(rest);
        expanded
    }

    fn variable(&mut self, inside: &str) -> String {
        let (name, default) = match inside.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (inside, None),
        };
        self.names.insert(bare(name).to_owned());
        if let Some(value) = self.variables.value(name) {
            if Secrets::is_named_like_one(name) {
                self.secrets.add(&value);
            }
            return value;
        }
        if default.is_none() {
            let shown: String = name.chars().filter(|c| !c.is_control()).take(80).collect();
            self.missing.push(if name.starts_with("input:") {
                format!("${{{shown}}} asks for something to be typed, which is not possible here: use an environment variable")
            } else {
                format!("the environment variable {} is not set", bare(&shown))
            });
        }
        default.unwrap_or_default().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_put_in_and_what_is_missing_is_told() {
        let environment: HashMap<String, String> =
            [("A", "one"), ("API_KEY", "s3cret-value")].map(|(k, v)| (k.into(), v.into())).into();
        let variables = Variables { environment: &environment, workspace: "/w" };
        let expand = |text: &str| {
            let link =
                Link::Stdio { command: text.to_owned(), args: vec![], env: BTreeMap::new(), cwd: None };
            variables.expand(&link).map(|expanded| match expanded.link {
                Link::Stdio { command, .. } => command,
                Link::Http { .. } => unreachable!(),
            })
        };
        for (text, expected) in [
            ("plain $A", "plain $A"),
            ("x${A}y${env:A}", "xoneyone"),
            ("${B:-two}", "two"),
            ("${B:-}", ""),
            ("${A:-two}", "one"),
            ("${workspaceFolder}/x", "/w/x"),
            ("${A", "${A"),
            ("key ${API_KEY}", "key s3cret-value"),
        ] {
            assert_eq!(expand(text).unwrap(), expected, "{text}");
        }
        let error = expand("${B} ${env:C} ${input:token}").unwrap_err();
        assert!(error.contains("variable B is not set; the environment variable C is not set"), "{error}");
        assert!(error.contains("typed"), "{error}");
    }

    #[test]
    fn variables_are_named_wherever_an_entry_has_them() {
        let link = Link::Http {
            url: Hidden::new("https://${HOST:-h}/${workspaceFolder}?${PATH"),
            headers: [("X-${NAME}".to_owned(), Hidden::new("Bearer ${env:API_KEY} $PLAIN"))].into(),
            oauth: serde_json::from_str(r#"{"client_id": "${ID}", "client_secret": "${HUSH}"}"#).unwrap(),
        };
        let named: Vec<String> = link.variables().into_iter().collect();
        assert_eq!(named, ["API_KEY", "HOST", "HUSH", "ID", "workspaceFolder"]);
    }

    #[test]
    fn what_came_from_a_secret_is_known_as_one() {
        let environment: HashMap<String, String> = [("API_KEY".into(), "s3cret-value".into())].into();
        let variables = Variables { environment: &environment, workspace: "/w" };
        let headers = [("Authorization".to_owned(), Hidden::new("Bearer ${API_KEY}"))].into();
        let link = Link::Http {
            url: Hidden::new("https://h/x?token=abcdefgh"),
            headers,
            oauth: super::super::sign_in::OauthConfig::default(),
        };
        let expanded = variables.expand(&link).unwrap();
        let hidden = expanded.secrets.hide("saw Bearer s3cret-value, s3cret-value and abcdefgh");
        assert!(!hidden.contains("s3cret") && !hidden.contains("abcdefgh"), "{hidden}");
    }
}
