//! What a conversation costs beside the model: the loop per round, the way of each piece of an answer, and what 200
//! sessions at once need.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use deskhand_agent::{
    Agent, AgentOptions, AgentParts, Models, TurnRequest,
    provider::{
        Arguments, Capabilities, ConnectOptions, Constrains, Delta, ModelCall, ModelName, ModelRequest,
        Provider, ProviderError, Reply, connect,
    },
};
use deskhand_core::{
    EventBody, SessionCx,
    event::TurnOutcome,
    session::{NewSession, SessionStore},
};
use futures_util::{FutureExt, future::BoxFuture};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::{
    desk::Desk,
    gate::registry_of,
    model_server,
    report::{Report, median, percentile},
};

const ROUNDS: usize = 200;
const DELTAS: usize = 2_000;
const SESSIONS: usize = 200;

pub fn measure(report: &mut Report) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        rounds(report).await?;
        deltas(report).await?;
        many(report).await
    })
}

/// A model that answers at once: so many calls, then so many pieces of text.
struct AtOnce {
    calls: usize,
    pieces: usize,
    asked: Mutex<Vec<Instant>>,
    sent: Mutex<Vec<Instant>>,
}

impl AtOnce {
    fn new(calls: usize, pieces: usize) -> Arc<Self> {
        Arc::new(Self { calls, pieces, asked: Mutex::default(), sent: Mutex::default() })
    }
}

impl Provider for AtOnce {
    fn name(&self) -> &'static str {
        "bench/at-once"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            native_tools: true,
            constrains: Constrains::No,
            images: false,
            context_tokens: 1_000_000,
        }
    }

    fn complete<'a>(
        &'a self,
        _: &'a ModelRequest,
        on: &'a mut (dyn FnMut(Delta) + Send),
        _: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Reply, ProviderError>> {
        async move {
            let round = {
                let mut asked = self.asked.lock().unwrap();
                asked.push(Instant::now());
                asked.len()
            };
            if round <= self.calls {
                let arguments = Arguments::Given(json!({"path": format!("file-{round}.rs")}));
                let call = ModelCall { id: format!("call_{round}"), name: "nothing".into(), arguments };
                return Ok(Reply { calls: vec![call], ..Reply::default() });
            }
            for n in 0..self.pieces {
                self.sent.lock().unwrap().push(Instant::now());
                on(Delta::Text(format!("piece {n} ")));
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            Ok(Reply { text: "done".into(), ..Reply::default() })
        }
        .boxed()
    }
}

struct Only(Arc<dyn Provider>);

impl Models for Only {
    fn connect(&self, _: Option<&str>) -> Result<Arc<dyn Provider>, ProviderError> {
        Ok(Arc::clone(&self.0))
    }
}

/// An agent on a fresh desk, with no limits that matter here.
fn agent(provider: Arc<dyn Provider>) -> anyhow::Result<(Agent, SessionCx, Desk)> {
    let desk = Desk::new(registry_of(10))?;
    let store: Arc<dyn SessionStore> = desk.store.sessions();
    let mut options = AgentOptions::default();
    options.chain.max_rounds = u32::MAX;
    options.chain.max_calls = u32::MAX;
    let gate = Arc::new(desk.gate.clone());
    let parts = AgentParts { gate, store, models: Arc::new(Only(provider)), options };
    Ok((Agent::new(parts)?, desk.session.clone(), desk))
}

fn turn(session_id: String, surroundings: SessionCx) -> TurnRequest {
    TurnRequest {
        session_id,
        message: "Do it.".into(),
        uploads: Vec::new(),
        model: None,
        surroundings,
        options: None,
        observer: None,
    }
}

async fn rounds(report: &mut Report) -> anyhow::Result<()> {
    let model = AtOnce::new(ROUNDS, 1);
    let (agent, surroundings, _desk) = agent(model.clone())?;
    let session = agent.store().create(&NewSession::default())?;
    let outcome = agent.start(turn(session.id, surroundings))?.ended().await;
    assert_eq!(outcome, TurnOutcome::Completed);
    let asked = model.asked.lock().unwrap();
    let apart: Vec<Duration> = asked.windows(2).map(|two| two[1] - two[0]).collect();
    let per_round = median(apart).as_secs_f64() * 1e3;
    report.row(
        "loop, one round with one call of a tool that does nothing, median of 200",
        format!("{per_round:.2} ms"),
        "under 2 ms",
        per_round < 2.0,
    );
    Ok(())
}

async fn deltas(report: &mut Report) -> anyhow::Result<()> {
    let model = AtOnce::new(0, DELTAS);
    let (agent, surroundings, _desk) = agent(model.clone())?;
    let session = agent.store().create(&NewSession::default())?;
    let mut events = agent.subscribe(&session.id, 0);
    agent.start(turn(session.id, surroundings))?;
    let mut arrived = Vec::new();
    while let Some(event) = events.next().await {
        match event.body {
            EventBody::Text { .. } => arrived.push(Instant::now()),
            EventBody::Done { .. } => break,
            _ => {}
        }
    }
    let sent = model.sent.lock().unwrap();
    assert_eq!(sent.len(), arrived.len());
    let late: Vec<Duration> = sent.iter().zip(&arrived).map(|(sent, arrived)| *arrived - *sent).collect();
    let (middle, worst) =
        (median(late.clone()).as_secs_f64() * 1e3, percentile(late, 99).as_secs_f64() * 1e3);
    report.row(
        "loop, a piece of an answer from the model to a watcher, stored, median of 2,000",
        format!("{middle:.2} ms (99th percentile {worst:.2} ms)"),
        "within 1 ms",
        middle < 1.0,
    );
    Ok(())
}

async fn many(report: &mut Report) -> anyhow::Result<()> {
    let address = model_server::start().await?;
    let provider = {
        let options =
            ConnectOptions { base_url: Some(format!("http://{address}/v1")), ..ConnectOptions::default() };
        connect(&ModelName { provider: "openai".into(), name: "bench".into() }, &options)?
    };
    let (agent, surroundings, _desk) = agent(provider)?;
    // One turn first, so that what is loaded once is not counted two hundred times.
    let first = agent.store().create(&NewSession::default())?;
    agent.start(turn(first.id, surroundings.clone()))?.ended().await;
    let before = resident_bytes();
    let started = Instant::now();
    let mut turns = Vec::new();
    for _ in 0..SESSIONS {
        let session = agent.store().create(&NewSession::default())?;
        turns.push((session.id.clone(), agent.start(turn(session.id, surroundings.clone()))?));
    }
    let mut peak = resident_bytes();
    let mut completed = 0;
    for (_, handle) in &turns {
        let ended = handle.ended();
        tokio::pin!(ended);
        loop {
            tokio::select! {
                outcome = &mut ended => {
                    completed += usize::from(outcome == TurnOutcome::Completed);
                    break;
                }
                () = tokio::time::sleep(Duration::from_millis(20)) => peak = peak.max(resident_bytes()),
            }
        }
    }
    let took = started.elapsed();
    let mut pieces = 0;
    for (id, _) in &turns {
        let events = agent.store().events(id, 0, 10_000)?;
        pieces += events.iter().filter(|event| matches!(event.body, EventBody::Text { .. })).count();
    }
    let each = (peak.saturating_sub(before)) as f64 / SESSIONS as f64 / 1e6;
    report.row(
        "200 sessions at once against a server on loopback, turns without error, pieces stored",
        format!(
            "{completed} of {SESSIONS}, {pieces} of {} ({:.1} s)",
            SESSIONS * model_server::PIECES,
            took.as_secs_f64()
        ),
        "all",
        completed == SESSIONS && pieces == SESSIONS * model_server::PIECES,
    );
    report.row(
        "200 sessions at once, memory for each (the server's side included)",
        format!("{each:.2} MB"),
        "under 5 MB",
        each < 5.0,
    );
    Ok(())
}

fn resident_bytes() -> u64 {
    const PAGE: u64 = 4096;
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: u64 = statm.split_whitespace().nth(1).and_then(|text| text.parse().ok()).unwrap_or(0);
    pages * PAGE
}
