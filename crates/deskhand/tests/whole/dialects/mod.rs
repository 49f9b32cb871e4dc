//! Every tool of every dialect, one test each, through the gate as `deskhand call --dialect` goes: documented
//! arguments, documented result. A tool that is not built says so, and stands in `gaps.txt`.

mod countbot;
mod doors;
mod gaps;
mod listings;
mod omni;
mod ops;
mod skillmint;

use std::{fs, path::PathBuf};

use deskhand_core::{EventBody, Mode, Outcome, Request, Status, dialect::DialectEntry};
use serde_json::{Map, Value, json};

use crate::{
    desktop::Display,
    support::{Desk, Person, yes},
};

/// One test for each tool of a dialect, and the names of them all.
macro_rules! dialect {
    ($dialect:literal
        built { $($name:ident($there:ident) $check:block)* }
        $(on_a_desktop { $($shown:ident($at:ident, $display:ident) $look:block)* })?
        not_built { $($missing:ident)* }
    ) => {
        pub const TESTED: &[&str] = &[$(stringify!($name),)* $($(stringify!($shown),)*)? $(stringify!($missing),)*];

        $(
            #[tokio::test]
            async fn $name() {
                let $there = $crate::dialects::There::new($dialect, stringify!($name));
                $there.wants_what_is_required().await;
                $check
            }
        )*

        $($(
            #[tokio::test]
            async fn $shown() {
                let $display = $crate::desktop::Display::new();
                let $at = $crate::dialects::There::at(&$display, $dialect, stringify!($shown));
                $at.wants_what_is_required().await;
                $look
            }
        )*)?

        $(
            #[tokio::test]
            async fn $missing() {
                $crate::dialects::There::new($dialect, stringify!($missing)).says_that_it_is_not_built().await;
            }
        )*
    };
}
use dialect;

/// A caller of another system, with one tool of it in hand.
struct There {
    desk: Desk,
    dialect: &'static str,
    tool: &'static str,
}

/// What came of a call: for us, and for that caller.
struct Came {
    outcome: Outcome,
    shaped: Value,
    /// With which arguments it was planned, in our words.
    planned: Value,
}

impl There {
    /// Somebody says yes to everything.
    fn new(dialect: &'static str, tool: &'static str) -> Self {
        let desk = Desk::new().mode(Mode::Auto).answering((0..20).map(|_| yes()));
        Self { desk, dialect, tool }
    }

    /// The same at a display, where results may be seen, too.
    fn at(display: &Display, dialect: &'static str, tool: &'static str) -> Self {
        let mut desk = Desk::seated(Some(&display.name), |_| {}).mode(Mode::Auto);
        desk.session.approvers = vec![Person::agreeable()];
        Self { desk, dialect, tool }
    }

    fn entry(&self) -> &'static DialectEntry {
        self.desk.gate.registry.dialect(self.dialect).unwrap().entry(self.tool).unwrap()
    }

    async fn call(&self, arguments: Value) -> Came {
        self.call_other(self.tool, arguments).await
    }

    /// Another tool of the same system.
    async fn call_other(&self, tool: &str, arguments: Value) -> Came {
        self.desk.events.0.lock().unwrap().clear();
        let request = Request::new(tool, arguments).in_dialect(Some(self.dialect.to_owned()));
        let outcome = self.desk.gate.call(request, &self.desk.session).await;
        let shaped = self.desk.gate.registry.dialect(self.dialect).unwrap().shaped(tool, &outcome);
        let events = self.desk.events.0.lock().unwrap();
        let planned = events.iter().find_map(|event| match event {
            EventBody::CallPlanned { arguments, .. } => Some(arguments.clone()),
            _ => None,
        });
        Came { outcome, shaped, planned: planned.unwrap_or_default() }
    }

    /// It succeeds.
    async fn gives(&self, arguments: Value) -> Came {
        let came = self.call(arguments.clone()).await;
        assert_eq!(came.outcome.status, Status::Success, "{arguments}: {}", came.outcome.text);
        came
    }

    /// The string that it succeeds with.
    async fn says(&self, arguments: Value) -> String {
        self.gives(arguments).await.text()
    }

    /// It ends like this.
    async fn ends(&self, arguments: Value, status: Status) -> Came {
        let came = self.call(arguments.clone()).await;
        assert_eq!(came.outcome.status, status, "{arguments}: {}", came.outcome.text);
        came
    }

    /// What is missing is named, in that system's word and shape; nothing is planned.
    async fn wants_what_is_required(&self) {
        let required: Vec<_> =
            self.entry().parameters.iter().filter(|parameter| parameter.required).collect();
        if required.is_empty() {
            return;
        }
        let came = self.ends(json!({}), Status::InvalidArguments).await;
        for parameter in required {
            assert!(came.outcome.text.contains(parameter.name), "{}: {}", parameter.name, came.outcome.text);
        }
        assert_eq!(came.planned, Value::Null);
        self.failed(&came.shaped);
    }

    async fn says_that_it_is_not_built(&self) {
        // Whatever is given: there is nothing that could take it.
        let given: Map<String, Value> =
            self.entry().parameters.iter().map(|parameter| (parameter.name.to_owned(), json!("x"))).collect();
        let came = self.ends(Value::Object(given), Status::NotFound).await;
        let message = came.outcome.error.unwrap().message;
        assert!(
            message.starts_with(&format!("{} of {} is not built yet", self.tool, self.dialect)),
            "{message}"
        );
        assert!(message.contains(self.entry().tool), "{message}");
        self.failed(&came.shaped);
        let line = gaps::line(self.dialect, self.entry());
        assert!(gaps::listed().contains(&line.as_str()), "{line} is not in gaps.txt");
    }

    /// A failure as that system's callers know it from a success.
    fn failed(&self, shaped: &Value) {
        match (self.dialect, self.tool) {
            ("omni", "run_shell") => {
                has(shaped, "success:bool stdout:text stderr:text exit_code:integer execution_time:number");
                assert_eq!((&shaped["success"], &shaped["exit_code"]), (&json!(false), &json!(-1)));
            }
            ("omni", _) => {
                assert_eq!((&shaped["success"], &shaped["data"]), (&json!(false), &Value::Null), "{shaped}");
                has(shaped, "success:bool message:text data:null");
            }
            ("ops", _) => {
                assert_eq!((&shaped["success"], &shaped["output"]), (&json!(false), &json!("")), "{shaped}");
                has(shaped, "success:bool output:text error:text duration:number");
            }
            _ => assert!(shaped.as_str().is_some_and(|text| !text.is_empty()), "{shaped}"),
        }
    }

    fn write(&self, name: &str, content: &str) -> PathBuf {
        self.desk.write(name, content)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.desk.path(name)
    }
}

impl Came {
    fn text(&self) -> String {
        self.shaped.as_str().unwrap_or_else(|| panic!("{} is no string", self.shaped)).to_owned()
    }

    /// Omni's `data`, after a look at what stands around it.
    fn data(&self) -> &Value {
        has(&self.shaped, "success:bool message:text data:object");
        assert_eq!(self.shaped.as_object().unwrap().len(), 3, "{}", self.shaped);
        assert_eq!(self.shaped["success"], true);
        &self.shaped["data"]
    }

    /// The JSON in the `output` of ops, after a look at what stands around it.
    fn output(&self) -> Value {
        has(&self.shaped, "success:bool output:text duration:number");
        assert_eq!(self.shaped.as_object().unwrap().len(), 4, "{}", self.shaped);
        serde_json::from_str(self.shaped["output"].as_str().unwrap()).unwrap()
    }
}

/// Whether the fields are there, each with its type: `"size:integer name:text"`.
fn has(value: &Value, fields: &str) {
    for field in fields.split(' ') {
        let (name, kind) = field.split_once(':').unwrap();
        let field = value.get(name).unwrap_or_else(|| panic!("no {name} in {value}"));
        let is = match kind {
            "text" => field.is_string(),
            "bool" => field.is_boolean(),
            "integer" => field.is_i64() || field.is_u64(),
            "number" => field.is_number(),
            "list" => field.is_array(),
            "object" => field.is_object(),
            "null" => field.is_null(),
            other => panic!("{other} is no kind"),
        };
        assert!(is, "{name} is not of the kind {kind}: {field}");
    }
}
