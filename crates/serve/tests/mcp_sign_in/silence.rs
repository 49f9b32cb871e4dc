//! No token, code or secret in any line of a log, however much is logged.

use std::{
    io,
    sync::{Arc, Mutex},
};

use rmcp::model::CallToolRequestParams;
use tracing_subscriber::fmt::MakeWriter;

use crate::person::Desk;

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

/// On one thread, so that the log of this thread is the log of everything.
#[tokio::test(flavor = "current_thread")]
async fn secrets_are_in_no_line() {
    let log = Log::default();
    let subscriber =
        tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_writer(log.clone()).finish();
    let _logging = tracing::subscriber::set_default(subscriber);

    let desk = Desk::new().await;
    desk.authority.book().lives_s = 1;
    desk.wanted().await;
    desk.sign_in().await.unwrap();
    desk.authority.book().call_scope = Some("write");
    let session = desk.connect().await.unwrap();
    session.call_tool(CallToolRequestParams::new("any")).await.unwrap_err();
    session.cancel().await.unwrap();
    desk.authority.book().refuses_renewal = true;
    let wanted = desk.wanted().await;
    wanted.remember(&desk.server(), desk.keeper()).await.unwrap();
    desk.authority.book().issuer_sent = Some("https://evil.example.com".to_owned());
    desk.sign_in().await.unwrap_err();

    let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert!(text.contains("rmcp") && text.lines().count() > 20, "the log is there:\n{text}");
    let book = desk.authority.book();
    assert!(book.secrets.len() > 8, "{:?}", book.secrets);
    for secret in &book.secrets {
        for (number, line) in text.lines().enumerate() {
            assert!(!line.contains(secret.as_str()), "line {number} of the log has a secret");
        }
    }
}
