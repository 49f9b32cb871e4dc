//! Programs that calls left running in the background: which there are, what they print, and ending them.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use aide::axum::{
    ApiRouter,
    routing::{get_with, post_with},
};
use axum::{Json, extract::State, response::sse::Event as SseEvent};
use deskhand_core::{LiveMask, Request, SessionCx, Time, event::NoEvents};
use deskhand_tools::shell::{
    ProcessTable,
    processes::{Found, Page, ProcessStatus, Record},
};
use futures_util::{StreamExt, stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::execute::{self, ExecuteAnswer};
use crate::http::{
    app::App,
    error::ApiError,
    extract::{At, Params},
    person::Person,
    sse::{self, EventsAnswer},
};

/// How often it is looked whether a process has printed anything; where another Deskhand runs it, all of its log is
/// read each time.
const LOOKS_EVERY: Duration = Duration::from_millis(200);
const LOOKS_ELSEWHERE_EVERY: Duration = Duration::from_secs(1);
/// A line that has not ended is shown when it stayed as it is for so many looks: it is a prompt, then.
const LOOKS_AT_A_PROMPT: u32 = 5;
/// The most bytes of one event.
const MOST_IN_AN_EVENT: usize = 64 * 1024;
const TOOL: &str = "bash_kill";

pub fn routes() -> ApiRouter<App> {
    ApiRouter::new()
        .api_route(
            "/api/v1/processes",
            get_with(list, |op| {
                op.id("listProcesses").summary("Programs in the background, newest first").tag("processes")
            }),
        )
        .api_route(
            "/api/v1/processes/{process_id}/output",
            get_with(output, |op| {
                op.id("processOutput")
                    .summary("What a program prints, as server-sent events")
                    .description("`output` has a piece of one of its streams; `end` comes last.")
                    .tag("processes")
            }),
        )
        .api_route(
            "/api/v1/processes/{process_id}/kill",
            post_with(kill, |op| {
                op.id("killProcess").summary("End a program and all that it started").tag("processes")
            }),
        )
}

#[derive(Serialize, JsonSchema)]
struct ProcessItem {
    id: String,
    command: String,
    session_id: String,
    status: ProcessStatus,
    started_at: Time,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_at: Option<Time>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
    pid: u32,
}

impl From<Record> for ProcessItem {
    fn from(record: Record) -> Self {
        Self {
            id: record.process_id,
            command: record.command,
            session_id: record.session_id,
            status: record.status,
            started_at: record.started_at,
            ended_at: record.ended_at,
            exit_code: record.exit_code,
            pid: record.pid,
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct ProcessList {
    processes: Vec<ProcessItem>,
}

fn table_of(cx: &SessionCx) -> Result<ProcessTable, ApiError> {
    let table = cx.services.get::<ProcessTable>().cloned();
    table.ok_or_else(|| ApiError::not_found("no programs are run in the background here"))
}

async fn own(app: &App, person: &Person) -> Result<Vec<Record>, ApiError> {
    let table = table_of(&app.console(person).await?)?;
    let all = app.blocking(move || Ok(table.list())).await?;
    Ok(all.into_iter().filter(|record| record.owner == person.user).collect())
}

async fn list(State(app): State<App>, person: Person) -> Result<Json<ProcessList>, ApiError> {
    let own = own(&app, &person).await?;
    Ok(Json(ProcessList { processes: own.into_iter().map(ProcessItem::from).collect() }))
}

#[derive(Deserialize, JsonSchema)]
struct ProcessPath {
    process_id: String,
}

/// A process of this person, and the surroundings of the session that started it. To others it does not exist.
async fn find(app: &App, person: &Person, id: &str) -> Result<(Record, SessionCx), ApiError> {
    let found = own(app, person).await?.into_iter().find(|record| record.process_id == id);
    let record = found.ok_or_else(|| ApiError::not_found(format!("there is no process {id:?}")))?;
    // One of the console, or of a session that is gone, is found from the console.
    let session = app.session_of(person, &record.session_id).await.ok();
    let cx = app.surround(person, session.as_ref(), None, Arc::new(NoEvents)).await?;
    let cx = cx.with_id(&*record.session_id);
    Ok((record, cx))
}

async fn kill(
    State(app): State<App>,
    person: Person,
    At(path): At<ProcessPath>,
) -> Result<Json<ExecuteAnswer>, ApiError> {
    let (record, cx) = find(&app, &person, &path.process_id).await?;
    let request = Request::new(TOOL, json!({"process_id": record.process_id}));
    let outcome = execute::clicked(&app, &person, request, cx).await?;
    Ok(Json(execute::ended(&app, TOOL, None, outcome)))
}

#[derive(Deserialize, JsonSchema)]
struct OutputParams {
    /// How many lines of its output are known already.
    #[serde(default)]
    from_stdout: u64,
    /// The same of its errors.
    #[serde(default)]
    from_stderr: u64,
}

async fn output(
    State(app): State<App>,
    person: Person,
    At(path): At<ProcessPath>,
    Params(params): Params<OutputParams>,
) -> Result<EventsAnswer, ApiError> {
    let (record, cx) = find(&app, &person, &path.process_id).await?;
    let piped = |name, cursor| Piped {
        name,
        cursor,
        mask: LiveMask::new(Arc::clone(&app.gate().screener)),
        unfinished: String::new(),
        looks: 0,
        shown: 0,
    };
    let reader = Reader {
        app: app.clone(),
        table: table_of(&cx)?,
        record,
        streams: [piped("stdout", params.from_stdout), piped("stderr", params.from_stderr)],
        has_looked: false,
        has_ended: false,
    };
    let events = stream::unfold(reader, |mut reader| async move {
        let events = reader.next().await?;
        Some((stream::iter(events), reader))
    });
    Ok(EventsAnswer::new(events.flatten(), &app))
}

/// Follows what one process prints.
struct Reader {
    app: App,
    table: ProcessTable,
    record: Record,
    streams: [Piped; 2],
    has_looked: bool,
    has_ended: bool,
}

/// What a look found: the texts, and whether there will be more.
struct Look {
    pages: [Page; 2],
    record: Record,
    is_here: bool,
}

impl Reader {
    /// Waits for something new. `None` after the end.
    async fn next(&mut self) -> Option<VecDeque<SseEvent>> {
        let mut is_here = true;
        loop {
            if self.has_ended {
                return None;
            }
            if self.has_looked {
                tokio::time::sleep(if is_here { LOOKS_EVERY } else { LOOKS_ELSEWHERE_EVERY }).await;
            }
            self.has_looked = true;
            let Ok(look) = self.look().await else {
                // Old processes are forgotten.
                self.has_ended = true;
                return Some([sse::event("end", &json!({"status": "forgotten"}))].into());
            };
            is_here = look.is_here;
            let is_over = look.record.status != ProcessStatus::Running;
            let mut events = VecDeque::new();
            for (stream, page) in self.streams.iter_mut().zip(&look.pages) {
                stream.take(page, is_over, &mut events);
            }
            if is_over {
                self.has_ended = true;
                let end = json!({"status": look.record.status, "exit_code": look.record.exit_code});
                events.push_back(sse::event("end", &end));
            }
            if !events.is_empty() {
                return Some(events);
            }
        }
    }

    async fn look(&self) -> Result<Look, ApiError> {
        let (table, session, id) =
            (self.table.clone(), self.record.session_id.clone(), self.record.process_id.clone());
        let since = [self.streams[0].cursor, self.streams[1].cursor];
        self.app
            .blocking(move || {
                let gone = |_| ApiError::not_found("the process is not known any more");
                // How it is comes first: what is printed after that is in the pages, too.
                let found = table.find(&session, &id).map_err(gone)?;
                let (record, is_here) = (found.record(), matches!(found, Found::Here(_)));
                Ok(Look { pages: table.pages(&found, since), record, is_here })
            })
            .await
    }
}

/// One of the two streams.
struct Piped {
    name: &'static str,
    /// How many lines were read.
    cursor: u64,
    mask: LiveMask,
    /// The line that had not ended at the last look, for how many looks it has been so, and how much of it was shown.
    unfinished: String,
    looks: u32,
    shown: usize,
}

impl Piped {
    fn take(&mut self, page: &Page, is_over: bool, events: &mut VecDeque<SseEvent>) {
        self.cursor = page.next;
        let (ended, unfinished) = page.text.split_at(page.ended);
        let mut new = String::new();
        if !ended.is_empty() {
            // A prompt that was shown is the beginning of the line that it became.
            new.push_str(ended.get(std::mem::take(&mut self.shown)..).unwrap_or_default());
        }
        self.looks = if unfinished == self.unfinished { self.looks + 1 } else { 0 };
        unfinished.clone_into(&mut self.unfinished);
        if is_over || self.looks >= LOOKS_AT_A_PROMPT {
            new.push_str(unfinished.get(self.shown..).unwrap_or_default());
            self.shown = unfinished.len();
        }
        if page.dropped > 0 {
            let note = format!("[… {} earlier lines are only in the files …]\n", page.dropped);
            events.push_back(self.event(&note));
        }
        let shown = self.mask.next(&new);
        let mut rest = shown.as_str();
        while !rest.is_empty() {
            let (piece, more) = rest.split_at(rest.floor_char_boundary(MOST_IN_AN_EVENT));
            events.push_back(self.event(piece));
            rest = more;
        }
    }

    fn event(&self, text: &str) -> SseEvent {
        sse::event("output", &json!({"stream": self.name, "text": text, "next": self.cursor}))
    }
}
