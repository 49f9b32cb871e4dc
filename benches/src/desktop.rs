//! Pictures of the screen: a whole call, against the programs that people use for it. On an X server of its own.

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::Context;
use deskhand_tools::desktop::Seat;
use serde_json::json;

use crate::{
    desk::Desk,
    report::{Report, median, millis},
};

const ROUNDS: usize = 15;
/// The longest a whole call may take.
const WANTED_MS: f64 = 100.0;

pub fn measure(report: &mut Report) -> anyhow::Result<()> {
    let Ok(screen) = Screen::start() else {
        report.fact("a picture of the screen", "skipped: there is no Xvfb here".into());
        return Ok(());
    };
    let mut desk = Desk::new(deskhand::assemble::registry())?;
    let program = std::env::current_exe()?.with_file_name("deskhand");
    desk.session.services = desk.session.services.clone().with(Seat::at(&screen.name, program));
    desk.session.approvers = vec![deskhand_testkit::Person::agreeable()];
    let runtime = tokio::runtime::Runtime::new()?;
    let ours = timed(|| {
        runtime.block_on(desk.call("screenshot", json!({})));
    });
    report.row(
        "a picture of 1920×1080, the whole call",
        format!("{:.1} ms", millis(ours)),
        &format!("under {WANTED_MS} ms"),
        millis(ours) < WANTED_MS,
    );
    for (peer, arguments) in [("scrot", &["--overwrite"][..]), ("import", &["-window", "root"][..])] {
        let file = desk.workspace.join(format!("{peer}.png"));
        if Command::new(peer).arg("--version").output().is_err() {
            report.fact(&format!("the same by {peer}"), "skipped: it is not here".into());
            continue;
        }
        let theirs = timed(|| {
            let run = Command::new(peer).args(arguments).arg(&file).env("DISPLAY", &screen.name).output();
            assert!(run.is_ok_and(|output| output.status.success()), "{peer} fails");
        });
        report.ratio("a picture of 1920×1080", ours, peer, theirs, 1.0);
    }
    let windows = timed(|| {
        runtime.block_on(desk.call("list_windows", json!({})));
    });
    report.fact("list_windows, the whole call", format!("{:.1} ms", millis(windows)));
    Ok(())
}

fn timed(mut work: impl FnMut()) -> Duration {
    work();
    let all = (0..ROUNDS).map(|_| {
        let begun = Instant::now();
        work();
        begun.elapsed()
    });
    median(all.collect())
}

/// An X server with a few windows.
struct Screen {
    name: String,
    processes: Vec<Child>,
}

impl Screen {
    fn start() -> anyhow::Result<Self> {
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", "1920x1080x24", "-nolisten", "tcp", "-noreset"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut number = String::new();
        BufReader::new(server.stdout.take().context("its output")?).read_line(&mut number)?;
        let mut screen = Self { name: format!(":{}", number.trim()), processes: vec![server] };
        for (number, colour) in ["#336699", "#996633", "#228833"].iter().enumerate() {
            let place = format!("600x400+{}+{}", 100 + number * 300, 100 + number * 150);
            let text = "the quick brown fox jumps over the lazy dog\n".repeat(20);
            let mut window = Command::new("xmessage");
            window.args(["-geometry", &place, "-bg", colour, &text]).env("DISPLAY", &screen.name);
            screen.processes.extend(window.stdout(Stdio::null()).stderr(Stdio::null()).spawn());
        }
        std::thread::sleep(Duration::from_millis(500));
        Ok(screen)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        for process in self.processes.iter_mut().rev() {
            let _ = (process.kill(), process.wait());
        }
    }
}
