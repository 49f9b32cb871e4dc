//! The rows of the report, and the middle of many measurements.

use std::time::{Duration, Instant};

#[derive(Default)]
pub struct Report(Vec<[String; 4]>);

impl Report {
    pub fn row(&mut self, what: &str, measured: String, wanted: &str, within: bool) {
        let verdict = if within { "yes" } else { "NO" };
        println!("{what}: {measured} (wanted {wanted}: {verdict})");
        self.0.push([what.to_owned(), measured, wanted.to_owned(), verdict.to_owned()]);
    }

    /// Something that is good to know, and has no goal.
    pub fn fact(&mut self, what: &str, measured: String) {
        println!("{what}: {measured}");
        self.0.push([what.to_owned(), measured, String::new(), String::new()]);
    }

    /// A ratio against a peer measured in the same run.
    pub fn ratio(&mut self, what: &str, ours: Duration, peer: &str, theirs: Duration, most: f64) {
        let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
        let measured = format!("{:.1} ms, {peer} {:.1} ms: {ratio:.2} ×", millis(ours), millis(theirs));
        self.row(what, measured, &format!("at most {most} ×"), ratio <= most);
    }

    pub fn print(&self) {
        println!("\n| what | measured | wanted | within |\n|---|---|---|---|");
        for [what, measured, wanted, within] in &self.0 {
            println!("| {what} | {measured} | {wanted} | {within} |");
        }
    }
}

pub fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1_000.0
}

/// The median of these.
pub fn median(mut all: Vec<Duration>) -> Duration {
    all.sort_unstable();
    all[all.len() / 2]
}

/// The value that so many of a hundred are not above.
pub fn percentile(mut all: Vec<Duration>, of_a_hundred: usize) -> Duration {
    all.sort_unstable();
    all[(all.len() * of_a_hundred / 100).min(all.len() - 1)]
}

/// Runs two things in turns, so that the noise of the machine meets both alike; returns their medians.
pub fn in_turns(times: usize, mut ours: impl FnMut(), mut theirs: impl FnMut()) -> (Duration, Duration) {
    let mut timed = (Vec::new(), Vec::new());
    ours();
    theirs();
    for _ in 0..times {
        let started = Instant::now();
        ours();
        timed.0.push(started.elapsed());
        let started = Instant::now();
        theirs();
        timed.1.push(started.elapsed());
    }
    (median(timed.0), median(timed.1))
}
