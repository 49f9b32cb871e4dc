//! What is kept of conversations: listing, paging, searching and appending where there is a lot of it.

use std::time::{Duration, Instant};

use deskhand_core::{
    EventBody, Time,
    event::TurnOutcome,
    session::{
        Deletion, Message, MessageMeta, MessageQuery, NewEvent, NewSession, NewTurn, Owner, PageAsk, Role,
        SearchQuery, SessionQuery, SessionStore, Transcript, TurnEnd,
    },
};
use deskhand_store::{Sessions, Store, StoreOptions};

use crate::report::{Report, median, millis};

const SESSIONS: usize = 100_000;
const MESSAGES: usize = 1_000_000;
const TIMES: usize = 101;

/// In almost every second message.
const COMMON: &str = "文件";
/// In twenty messages of the million.
const RARE: &str = "麒麟";

pub fn measure(report: &mut Report) -> anyhow::Result<()> {
    open_new(report)?;
    let folder = tempfile::tempdir()?;
    let store = Store::open(folder.path(), &StoreOptions::default())?;
    let sessions = store.sessions();
    let started = Instant::now();
    for n in 0..SESSIONS {
        let title = format!("{} {n}", SENTENCES[n % SENTENCES.len()]);
        let owner = (n % 10 > 0).then(|| format!("user-{}", n % 10));
        sessions.create(&NewSession { owner, title: Some(title), ..NewSession::default() })?;
    }
    let large = sessions.import(&transcript(MESSAGES)?, None)?.id;
    let size = std::fs::metadata(folder.path().join("deskhand.db"))?.len() as f64 / 1e6;
    report.fact(
        &format!("make {SESSIONS} sessions one by one and import one of {MESSAGES} messages"),
        format!("{:.0} s, {size:.0} MB", started.elapsed().as_secs_f64()),
    );
    let reads = Reads { report, sessions: &sessions };
    reads.all(&large);
    appends(report, &sessions)
}

/// From no file to the first session in it.
fn open_new(report: &mut Report) -> anyhow::Result<()> {
    let mut timed = Vec::new();
    for _ in 0..31 {
        let folder = tempfile::tempdir()?;
        let started = Instant::now();
        let store = Store::open(folder.path(), &StoreOptions::default())?;
        store.sessions().create(&NewSession::default())?;
        timed.push(started.elapsed());
    }
    row(report, "open a new database and create a session in it", median(timed), 50.0);
    Ok(())
}

fn row(report: &mut Report, what: &str, took: Duration, most: f64) {
    let ms = millis(took);
    report.row(&format!("{what}, median"), format!("{ms:.2} ms"), &format!("under {most} ms"), ms < most);
}

struct Reads<'a> {
    report: &'a mut Report,
    sessions: &'a Sessions,
}

impl Reads<'_> {
    fn all(mut self, large: &str) {
        let sessions = self.sessions;
        let list = |page, size, owner: Owner| {
            let query = SessionQuery {
                page: PageAsk { page, size },
                owner: owner.clone(),
                archived: None,
                deleted: false,
            };
            sessions.sessions(&query).unwrap().items.len()
        };
        self.time(&format!("list 20 of {SESSIONS} sessions"), 20, || list(1, 20, Owner::Everyone));
        self.time(&format!("list the last 20 of {SESSIONS} sessions"), 20, || {
            list(SESSIONS as u64 / 20, 20, Owner::Everyone)
        });
        self.time("list 20 of those of one owner among ten", 20, || {
            list(1, 20, Owner::Only(Some("user-3".into())))
        });
        let page = |page, size| {
            let query = MessageQuery { page: Some(PageAsk { page, size }), ..MessageQuery::default() };
            sessions.messages(large, &query).unwrap().items.len()
        };
        self.time(&format!("page 50 of {MESSAGES} messages, 20 on a page"), 20, || page(50, 20));
        self.time(&format!("page 50 of {MESSAGES} messages, 100 on a page"), 100, || page(50, 100));
        self.time(&format!("the last page of {MESSAGES} messages, 100 on a page"), 100, || {
            page(MESSAGES as u64 / 100, 100)
        });
        self.fact("the page in the middle of them", || page(MESSAGES as u64 / 200, 100));
        let search = |text: &str, session: Option<&str>| {
            let query = SearchQuery {
                text: text.into(),
                page: PageAsk { page: 1, size: 20 },
                owner: Owner::Everyone,
                session_id: session.map(str::to_owned),
                archived: None,
            };
            sessions.search(&query).unwrap().items.len()
        };
        self.time(&format!("first 20 hits of a common word ({COMMON})"), 20, || search(COMMON, None));
        self.time(&format!("first 20 hits of a rare word ({RARE})"), 20, || search(RARE, None));
        self.time("first 20 hits of four characters (数据备份)", 20, || search("数据备份", None));
        self.time("the same in one session", 20, || search("数据备份", Some(large)));
        self.fact("first 20 hits of one character (文)", || search("文", None));
        self.fact("first 20 hits of a common English word (release)", || search("release", None));
        self.fact("first 20 hits of two words (release 文件)", || search("release 文件", None));
    }

    fn timed(expected: usize, work: &impl Fn() -> usize) -> Duration {
        let timed = (0..TIMES).map(|_| {
            let started = Instant::now();
            assert_eq!(work(), expected);
            started.elapsed()
        });
        median(timed.collect())
    }

    fn time(&mut self, what: &str, expected: usize, work: impl Fn() -> usize) {
        row(self.report, what, Self::timed(expected, &work), 10.0);
    }

    fn fact(&mut self, what: &str, work: impl Fn() -> usize) {
        let took = millis(Self::timed(work(), &work));
        self.report.fact(&format!("{what}, median"), format!("{took:.2} ms"));
    }
}

fn appends(report: &mut Report, sessions: &Sessions) -> anyhow::Result<()> {
    let id = sessions.create(&NewSession::default())?.id;
    let turn = sessions.begin_turn(&new_turn(&id))?.turn.id;
    for count in [1, 100] {
        let timed = (0..500).map(|n| {
            let body = |_| NewEvent {
                session_id: id.clone(),
                turn_id: Some(turn.clone()),
                at: Time::now(),
                body: EventBody::Text { text: format!("piece {n} ") },
            };
            let events: Vec<NewEvent> = (0..count).map(body).collect();
            let started = Instant::now();
            assert_eq!(sessions.append_events(events).unwrap().len(), count);
            started.elapsed()
        });
        let micros = median(timed.collect()).as_secs_f64() * 1e6;
        report.fact(&format!("append {count} events in a batch, median"), format!("{micros:.0} µs"));
    }
    sessions.end_turn(&turn, &ending())?;
    let timed = (0..200).map(|n| {
        let started = Instant::now();
        let new = NewTurn { content: SENTENCES[n % 8].into(), ..new_turn(&id) };
        let turn = sessions.begin_turn(&new).unwrap().turn.id;
        sessions.end_turn(&turn, &ending()).unwrap();
        started.elapsed()
    });
    let took = millis(median(timed.collect()));
    report.fact("begin a turn and end it, beside all the others, median", format!("{took:.2} ms"));
    let small = sessions.import(&transcript(1_000)?, None)?.id;
    let started = Instant::now();
    sessions.delete(&small, Deletion::Hard)?;
    let took = millis(started.elapsed());
    report.fact("delete a session of 1000 messages for good, once", format!("{took:.0} ms"));
    Ok(())
}

fn new_turn(session: &str) -> NewTurn {
    NewTurn {
        session_id: session.into(),
        content: "go".into(),
        uploads: Vec::new(),
        model: None,
        queued: None,
    }
}

fn ending() -> TurnEnd {
    TurnEnd {
        outcome: TurnOutcome::Completed,
        reason: None,
        content: SENTENCES[2].into(),
        incomplete: false,
        usage: None,
        metadata: serde_json::Map::new(),
    }
}

const SENTENCES: [&str; 8] = [
    "请把项目里的日志文件整理一下，再看看有没有错误",
    "The release build failed on the second machine",
    "帮我写一个脚本，每天晚上做数据备份",
    "Please rename the files in the folder and keep the originals",
    "窗口切换不了，截图工具也没有反应，文件保存失败",
    "What does this error mean, and how do I fix it?",
    "用 Rust 重写这个模块，性能要好，代码要清楚",
    "会议纪要在共享文件夹里，帮我总结成三条",
];

pub fn transcript(messages: usize) -> anyhow::Result<Transcript> {
    let start = Time::now();
    let text = |n: usize| {
        let (a, b) = (SENTENCES[n % 8], SENTENCES[n / 8 % 8]);
        let rare = if n % (MESSAGES / 20) == 77 { "墙上画着麒麟" } else { "" };
        format!("{a}。{rare}{b} ({n})")
    };
    let message = |n: usize| Message {
        id: i64::try_from(n).unwrap() + 1,
        session_id: String::new(),
        role: if n.is_multiple_of(2) { Role::User } else { Role::Assistant },
        content: text(n),
        timestamp: start,
        execution_steps: None,
        metadata: MessageMeta::default(),
    };
    let empty: Transcript = serde_json::from_str(r#"{"format": "deskhand-session-1", "messages": []}"#)?;
    Ok(Transcript::new(empty.session, (0..messages).map(message).collect()))
}
