//! What is only for whoever is asked, and what stays of a question.

use deskhand_core::Preview;

use super::*;
use crate::database::WrittenBack;

/// Questions with something that is only for whoever is asked: a result, and what a plan shows for them alone. Long ones have
/// pages of their own.
fn passing(expires_in: Duration) -> impl Iterator<Item = ApprovalRequest> {
    let subjects = [1, 1000].into_iter().flat_map(|times| {
        let text = format!("{SECRET} ").repeat(times);
        let images = vec![deskhand_core::Image { mime: "image/png".into(), base64: SECRET.into() }];
        let mut plan = Plan::new("type").preview(Preview::Text(text.clone()));
        plan.private_preview = true;
        let result = Subject::Result { data: json!({"text": text}), text, images };
        [result, Subject::Execution { plan: Box::new(plan) }]
    });
    subjects.map(move |subject| ApprovalRequest { subject, ..request(expires_in) })
}

#[test]
fn what_is_only_for_whoever_is_asked_is_kept_while_they_are_asked() {
    let folder = tempfile::tempdir().unwrap();
    let queue = queue(folder.path());
    let no = AnyAnswer::Execution(Answer::No { reason: None, remember: None });
    let no = Settled::Answered { answer: no, by: "x".into() };
    for settled in [yes("x"), no, Settled::Expired, Settled::Withdrawn] {
        for asked in passing(MINUTE) {
            queue.post(&asked).unwrap();
            let open = serde_json::to_value(&queue.pending().unwrap()[0]).unwrap();
            assert_eq!(open, serde_json::to_value(&asked).unwrap(), "whoever is asked sees it");
            assert!(is_stored(folder.path()));
            assert_eq!(queue.settle(&asked.id, &settled).unwrap(), SettleResult::First);
            until_gone(folder.path());
            let (kept, _) = queue.get(&asked.id).unwrap().unwrap();
            assert!(!serde_json::to_string(&kept).unwrap().contains(SECRET));
        }
    }
}

#[test]
fn it_is_not_kept_either_where_nobody_settles_the_question() {
    let place = process::this().splitn(3, ' ').nth(2).unwrap_or_default();
    let ends = [
        (true, format!("UPDATE approvals SET expires_at = '{}'", Time::now())),
        (cfg!(target_os = "linux"), format!("UPDATE approvals SET process = '4194304 1 {place}'")),
        (false, "UPDATE approvals SET process = process".to_owned()),
    ];
    for (deleted, end) in ends {
        for asked in passing(MINUTE) {
            let folder = tempfile::tempdir().unwrap();
            let queue = queue(folder.path());
            queue.post(&asked).unwrap();
            set(&queue, &end);
            assert_eq!(ids(&queue).is_empty(), deleted);
            // What is asked for is done by the end.
            drop(queue);
            assert_eq!(is_stored(folder.path()), !deleted, "{end}");
        }
    }
}

/// What a plan shows for everybody stays with its question.
#[test]
fn another_preview_stays() {
    let folder = tempfile::tempdir().unwrap();
    let queue = queue(folder.path());
    let plan = Plan::new("change").preview(Preview::Diff("+line".into()));
    let asked = ApprovalRequest { subject: Subject::Execution { plan: Box::new(plan) }, ..request(MINUTE) };
    queue.post(&asked).unwrap();
    queue.settle(&asked.id, &yes("x")).unwrap();
    let kept = serde_json::to_value(queue.get(&asked.id).unwrap().unwrap().0).unwrap();
    assert_eq!(kept, serde_json::to_value(&asked).unwrap());
}

#[test]
fn a_reader_that_is_in_the_way_only_delays_it() {
    let folder = tempfile::tempdir().unwrap();
    let queue = queue(folder.path());
    let asked = passing(MINUTE).next().unwrap();
    queue.post(&asked).unwrap();
    let reader = Connection::open(folder.path().join("a.db")).unwrap();
    reader.execute_batch("BEGIN; SELECT count(*) FROM approvals").unwrap();
    queue.settle(&asked.id, &yes("x")).unwrap();
    // Each try waits a little for the reader. Longer than the first one of the queue's own: what comes once the reader
    // has gone is the next.
    for _ in 0..5 {
        assert_eq!(queue.database.write_back().unwrap(), WrittenBack::NotAll);
    }
    assert!(is_stored(folder.path()), "the reader still sees it");
    drop(reader);
    until_gone(folder.path());
}

#[tokio::test]
async fn who_answers_at_once_needs_no_socket() {
    let folder = tempfile::tempdir().unwrap();
    let queue = queue(folder.path());
    let asked = request(MINUTE);
    queue.post(&asked).unwrap();
    let never = CancellationToken::new();
    let mut waiting = queue.wait(&asked.id, MINUTE, &never);
    tokio::select! { biased; _ = &mut waiting => panic!("nobody answered"), () = std::future::ready(()) => {} }
    assert!(!folder.path().join("wake").exists());
    // One who takes longer is waited for at a socket.
    let bound = async {
        while !folder.path().join("wake").exists() {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! { _ = &mut waiting => panic!("nobody answered"), () = bound => {} }
}
