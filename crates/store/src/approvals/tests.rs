mod passing;

use std::{path::Path, process::Command, sync::Barrier, thread};

use deskhand_core::{
    Access, Answer, CallId, Fingerprint, Permission, Plan, ResultAnswer, Shape, Touch,
    approval::{AnyAnswer, Remember, RememberScope, Subject},
    id::new_id,
};
use deskhand_testkit::block_until;
use serde_json::json;

use super::*;

const MINUTE: Duration = Duration::from_mins(1);

fn queue(folder: &Path) -> Approvals {
    let database = Arc::new(Database::new(folder.join("a.db")));
    let write_back = crate::passing::written_back(&database);
    Approvals::new(database, write_back, folder.join("wake"))
}

fn request(expires_in: Duration) -> ApprovalRequest {
    let touch = Touch {
        path: "/w/a".into(),
        access: Access::Modify,
        recursive: false,
        permission: Permission::Moderate,
        rule: "path:workspace-write".into(),
        fingerprint: Fingerprint::State {
            device: 1,
            inode: 2,
            size: 3,
            changed_ns: 1_700_000_000_000_000_000,
        },
    };
    let plan = Plan::new("change a").touching(touch, "it is in the workspace").shape(Shape::AnyArguments);
    let now = Time::now();
    ApprovalRequest {
        id: new_id(),
        call_id: CallId::new(),
        session_id: "s".into(),
        owner: None,
        caller: "cli".into(),
        workspace: "/w".into(),
        tool: "write_file".into(),
        arguments: json!({"path": "a"}),
        wanted_at: now,
        expires_at: now.plus(expires_in),
        subject: Subject::Execution { plan: Box::new(plan) },
        may_remember: true,
    }
}

fn yes(by: &str) -> Settled {
    Settled::Answered { answer: AnyAnswer::Execution(Answer::Yes { remember: None }), by: by.into() }
}

fn set(queue: &Approvals, sql: &str) {
    queue.database.with("x", |connection| connection.execute_batch(sql)).unwrap();
}

fn ids(queue: &Approvals) -> Vec<String> {
    queue.pending().unwrap().into_iter().map(|request| request.id).collect()
}

#[test]
fn a_question_comes_back_as_it_was_asked() {
    let folder = tempfile::tempdir().unwrap();
    let queue = queue(folder.path());
    let asked = request(MINUTE);
    queue.post(&asked).unwrap();
    let (read, settled) = queue.get(&asked.id).unwrap().unwrap();
    assert_eq!(serde_json::to_value(&read).unwrap(), serde_json::to_value(&asked).unwrap());
    assert_eq!(settled, None);
    assert!(queue.get("nothing").unwrap().is_none());
}

/// What somebody typed into an answer.
const SECRET: &str = "hunter2-correct-horse";

/// Every kind of answer, and how it is kept.
fn answers() -> impl Iterator<Item = (Settled, Settled)> {
    let remember =
        |shape| Some(Remember { scope: RememberScope::Workspace, shape, until: Some(Time::now()) });
    let folder_shape = Shape::Folder { path: "/w/a".into() };
    let (yes, no) = (remember(folder_shape), remember(Shape::AnyArguments));
    let secret = || Some(SECRET.to_owned());
    // Long enough for pages of its own.
    let long = format!("{SECRET} ").repeat(1000);
    let execution = [
        (Answer::Yes { remember: yes.clone() }, Answer::Yes { remember: yes }),
        (Answer::No { reason: secret(), remember: no.clone() }, Answer::No { reason: None, remember: no }),
        (Answer::Edit { arguments: json!({"path": SECRET}) }, Answer::Edit { arguments: json!(null) }),
        (Answer::Edit { arguments: json!({"text": long}) }, Answer::Edit { arguments: json!(null) }),
    ];
    let result = [
        (ResultAnswer::Pass, ResultAnswer::Pass),
        (ResultAnswer::Edit { text: long }, ResultAnswer::Edit { text: String::new() }),
        (ResultAnswer::Withhold { reason: secret() }, ResultAnswer::Withhold { reason: None }),
    ];
    let settled = |answer| Settled::Answered { answer, by: "person:terminal".into() };
    let execution = execution.map(|pair| <[_; 2]>::from(pair).map(AnyAnswer::Execution).map(settled));
    let result = result.map(|pair| <[_; 2]>::from(pair).map(AnyAnswer::Result).map(settled));
    let unanswered = [Settled::Expired, Settled::Withdrawn].map(|settled| [settled.clone(), settled]);
    execution.into_iter().chain(result).chain(unanswered).map(|[given, kept]| (given, kept))
}

/// Whether what somebody typed stands in any file of the data folder.
fn is_stored(folder: &Path) -> bool {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut contents = files.filter(|path| path.is_file()).map(|path| std::fs::read(path).unwrap());
    contents.any(|bytes| bytes.windows(SECRET.len()).any(|part| part == SECRET.as_bytes()))
}

/// The log of the database is written back a little later.
fn until_gone(folder: &Path) {
    block_until("nothing typed stays", || !is_stored(folder));
}

#[tokio::test]
async fn the_one_who_asked_reads_every_answer_whole_and_nothing_typed_stays() {
    let folder = tempfile::tempdir().unwrap();
    let (here, there) = (queue(folder.path()), queue(folder.path()));
    let never = CancellationToken::new();
    for (given, kept) in answers() {
        for answers_in in [&here, &there] {
            let asked = request(MINUTE);
            here.post(&asked).unwrap();
            assert_eq!(answers_in.settle(&asked.id, &given).unwrap(), SettleResult::First);
            // Somebody who is late learns how it was decided, and takes nothing away from the one who asked.
            let late = there.settle(&asked.id, &yes("late")).unwrap();
            assert_eq!(late, SettleResult::Already(kept.clone()));
            let on_its_way = given != kept && std::ptr::eq(answers_in, &raw const there);
            if on_its_way {
                assert!(is_stored(folder.path()), "{kept:?}");
            } else {
                until_gone(folder.path());
            }
            assert_eq!(here.wait(&asked.id, MINUTE, &never).await.unwrap(), Some(given.clone()));
            until_gone(folder.path());
            // One who has waited settles what they have read, and takes for true what they are told then.
            let again = here.settle(&asked.id, &given).unwrap();
            assert_eq!(again, SettleResult::Already(given.clone()));
            assert_eq!(here.get(&asked.id).unwrap().unwrap().1, Some(kept.clone()));
            assert_eq!(there.wait(&asked.id, MINUTE, &never).await.unwrap(), Some(kept.clone()));
        }
    }
}

/// An answer may come at the moment at which the one who asked gives up.
#[test]
fn an_answer_that_is_learnt_by_settling_is_whole_and_does_not_stay() {
    let folder = tempfile::tempdir().unwrap();
    let (here, there) = (queue(folder.path()), queue(folder.path()));
    for (given, kept) in answers() {
        let asked = request(MINUTE);
        here.post(&asked).unwrap();
        there.settle(&asked.id, &given).unwrap();
        let already = here.settle(&asked.id, &Settled::Withdrawn).unwrap();
        assert_eq!(already, SettleResult::Already(given));
        until_gone(folder.path());
        assert_eq!(here.get(&asked.id).unwrap().unwrap().1, Some(kept));
    }
}

#[test]
fn an_answer_that_nobody_will_read_does_not_stay() {
    let long_ago = Time::now().minus(2 * MINUTE);
    let place = process::this().splitn(3, ' ').nth(2).unwrap_or_default();
    let ends = [
        (true, format!("UPDATE approvals SET expires_at = '{long_ago}'")),
        (cfg!(target_os = "linux"), format!("UPDATE approvals SET process = '4194304 1 {place}'")),
        (false, format!("UPDATE approvals SET expires_at = '{}'", Time::now())),
    ];
    for (deleted, end) in ends {
        let folder = tempfile::tempdir().unwrap();
        let (here, there) = (queue(folder.path()), queue(folder.path()));
        let asked = request(MINUTE);
        here.post(&asked).unwrap();
        let answer = AnyAnswer::Execution(Answer::Edit { arguments: json!({"path": SECRET}) });
        there.settle(&asked.id, &Settled::Answered { answer, by: "me".into() }).unwrap();
        set(&there, &end);
        assert!(is_stored(folder.path()));
        assert!(ids(&there).is_empty());
        // What is asked for is done by the end.
        drop((here, there));
        assert_eq!(is_stored(folder.path()), !deleted, "{end}");
    }
}

#[test]
fn the_first_answer_wins() {
    let folder = tempfile::tempdir().unwrap();
    let asked = request(MINUTE);
    queue(folder.path()).post(&asked).unwrap();
    let start = Barrier::new(8);
    let results: Vec<_> = thread::scope(|scope| {
        let answering = (0..8).map(|n| {
            let (start, id) = (&start, &asked.id);
            let own = queue(folder.path());
            scope.spawn(move || {
                start.wait();
                (n, own.settle(id, &yes(&format!("person {n}"))).unwrap())
            })
        });
        answering.collect::<Vec<_>>().into_iter().map(|t| t.join().unwrap()).collect()
    });
    let winners: Vec<_> = results.iter().filter(|(_, r)| *r == SettleResult::First).collect();
    assert_eq!(winners.len(), 1);
    let won = yes(&format!("person {}", winners[0].0));
    for (_, result) in &results {
        assert!(matches!(result, SettleResult::First) || *result == SettleResult::Already(won.clone()));
    }
    assert_eq!(queue(folder.path()).get(&asked.id).unwrap().unwrap().1, Some(won));
    assert_eq!(queue(folder.path()).settle("nothing", &Settled::Expired).unwrap(), SettleResult::Unknown);
}

#[test]
fn the_open_ones_are_listed_oldest_first() {
    let folder = tempfile::tempdir().unwrap();
    let queue = queue(folder.path());
    let asked: Vec<_> = (0..4).map(|_| request(MINUTE)).collect();
    for one in &asked {
        queue.post(one).unwrap();
    }
    queue.settle(&asked[1].id, &yes("me")).unwrap();
    assert_eq!(ids(&queue), [&asked[0].id, &asked[2].id, &asked[3].id].map(Clone::clone));
}

#[test]
fn one_that_cannot_be_read_does_not_hide_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let queue = queue(folder.path());
    let [spoilt, good] = [request(MINUTE), request(MINUTE)];
    queue.post(&spoilt).unwrap();
    set(&queue, "UPDATE approvals SET request = '{}'");
    queue.post(&good).unwrap();
    assert_eq!(ids(&queue), [good.id]);
    assert!(queue.get(&spoilt.id).unwrap_err().to_string().contains(&spoilt.id));
}

#[test]
fn an_answer_that_comes_too_late_does_not_count() {
    let folder = tempfile::tempdir().unwrap();
    let queue = queue(folder.path());
    let asked = request(Duration::ZERO);
    queue.post(&asked).unwrap();
    assert!(ids(&queue).is_empty());
    let late = request(Duration::ZERO);
    queue.post(&late).unwrap();
    assert_eq!(queue.settle(&late.id, &yes("me")).unwrap(), SettleResult::Already(Settled::Expired));
    assert_eq!(queue.get(&asked.id).unwrap().unwrap().1, Some(Settled::Expired));
}

#[cfg(target_os = "linux")]
#[test]
fn the_questions_of_a_process_that_is_gone_are_withdrawn() {
    let folder = tempfile::tempdir().unwrap();
    let queue = queue(folder.path());
    let [listed, answered] = [request(MINUTE), request(MINUTE)];
    queue.post(&listed).unwrap();
    queue.post(&answered).unwrap();
    let space = process::this().split(' ').nth(2).unwrap();
    // No process has started at the first tick after boot and has the largest possible id.
    set(&queue, &format!("UPDATE approvals SET process = '4194304 1 {space}'"));
    let gone = SettleResult::Already(Settled::Withdrawn);
    assert_eq!(queue.settle(&answered.id, &yes("me")).unwrap(), gone);
    assert!(ids(&queue).is_empty());
    assert_eq!(queue.get(&listed.id).unwrap().unwrap().1, Some(Settled::Withdrawn));
}

#[test]
fn settled_questions_are_kept_for_thirty_days() {
    let folder = tempfile::tempdir().unwrap();
    let queue = queue(folder.path());
    let day = Duration::from_hours(24);
    let settled = [29, 31].map(|days| {
        let asked = request(MINUTE);
        queue.post(&asked).unwrap();
        queue.settle(&asked.id, &yes("me")).unwrap();
        let at = Time::now().minus(day * days);
        set(&queue, &format!("UPDATE approvals SET settled_at = '{at}' WHERE id = '{}'", asked.id));
        asked.id
    });
    queue.post(&request(MINUTE)).unwrap();
    assert_eq!(settled.map(|id| queue.get(&id).unwrap().is_some()), [true, false]);
}

#[tokio::test]
async fn waiting_ends_with_the_answer_the_limit_or_the_cancel() {
    let folder = tempfile::tempdir().unwrap();
    let queue = queue(folder.path());
    let (never, cancelled) = (CancellationToken::new(), CancellationToken::new());
    let asked = request(MINUTE);
    queue.post(&asked).unwrap();
    assert_eq!(queue.wait(&asked.id, Duration::ZERO, &never).await.unwrap(), None);
    assert_eq!(queue.wait(&asked.id, Duration::from_millis(10), &never).await.unwrap(), None);
    let (waited, ()) =
        tokio::join!(queue.wait(&asked.id, Duration::MAX, &cancelled), async { cancelled.cancel() });
    assert_eq!(waited.unwrap(), None);
    let (waited, result) =
        tokio::join!(queue.wait(&asked.id, MINUTE, &never), async { queue.settle(&asked.id, &yes("me")) });
    assert_eq!(result.unwrap(), SettleResult::First);
    assert_eq!(waited.unwrap(), Some(yes("me")));
    assert_eq!(queue.wait(&asked.id, Duration::ZERO, &never).await.unwrap(), Some(yes("me")));
    let error = queue.wait("nothing", MINUTE, &never).await.unwrap_err().to_string();
    assert!(error.contains("no such question"), "{error}");
}

/// Without any socket to be woken by, the answer is still seen.
#[tokio::test]
async fn waiting_looks_from_time_to_time() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("wake"), "no folder").unwrap();
    let (here, there) = (queue(folder.path()), queue(folder.path()));
    let asked = request(MINUTE);
    here.post(&asked).unwrap();
    let never = CancellationToken::new();
    let (waited, ()) = tokio::join!(here.wait(&asked.id, MINUTE, &never), async {
        there.settle(&asked.id, &yes("me")).unwrap();
    });
    assert_eq!(waited.unwrap(), Some(yes("me")));
}

/// However many wait, one of them looks: there is one socket to be woken by. When that one is gone, another looks.
#[cfg(unix)]
#[tokio::test]
async fn one_of_those_who_wait_looks_for_all() {
    let folder = tempfile::tempdir().unwrap();
    let (here, there) = (Arc::new(queue(folder.path())), queue(folder.path()));
    let asked: Vec<_> = std::iter::repeat_with(|| request(MINUTE)).take(20).collect();
    let mut waiting = Vec::new();
    for request in &asked {
        here.post(request).unwrap();
        let (queue, id, cancel) = (Arc::clone(&here), request.id.clone(), CancellationToken::new());
        let given_up = cancel.clone();
        let wait = tokio::spawn(async move { queue.wait(&id, MINUTE, &cancel).await.unwrap() });
        waiting.push((wait, given_up));
    }
    let sockets = || std::fs::read_dir(folder.path().join("wake")).into_iter().flatten().count();
    while sockets() == 0 {
        tokio::task::yield_now().await;
    }
    // Everybody has had their turn to begin.
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert_eq!(sockets(), 1);
    // The first is the one who looks: it came first.
    let (first, given_up) = waiting.remove(0);
    given_up.cancel();
    assert_eq!(first.await.unwrap(), None);
    for (request, (wait, _)) in asked[1..].iter().zip(waiting) {
        there.settle(&request.id, &yes(&request.id)).unwrap();
        assert_eq!(wait.await.unwrap(), Some(yes(&request.id)), "each has its own answer");
    }
    assert_eq!(sockets(), 0);
}

const OTHER_PROCESS: &str = "DESKHAND_TEST_ANSWERS_IN";

/// The socket beside the wait shows that the other process rang: it does not come by looking.
#[cfg(unix)]
#[tokio::test]
async fn an_answer_in_another_process_wakes_the_one_that_waits() {
    if let Ok(folder) = std::env::var(OTHER_PROCESS) {
        let queue = queue(Path::new(&folder));
        let open = queue.pending().unwrap();
        queue.settle(&open[0].id, &yes("the other process")).unwrap();
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let queue = queue(folder.path());
    let asked = request(MINUTE);
    queue.post(&asked).unwrap();
    let socket = crate::wake::WakeSocket::bind(&folder.path().join("wake"));
    let never = CancellationToken::new();
    let waiting = async { tokio::join!(queue.wait(&asked.id, MINUTE, &never), socket.woken()) };
    let mut other = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "approvals::tests::an_answer_in_another_process_wakes_the_one_that_waits"])
        .env(OTHER_PROCESS, folder.path())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let (settled, ()) = tokio::time::timeout(MINUTE, waiting).await.expect("nobody rang");
    assert_eq!(settled.unwrap(), Some(yes("the other process")));
    assert!(other.wait().unwrap().success());
}
