//! What the server counts of itself, as Prometheus reads it. No label comes from a request but by way of the routes
//! that there are, so that nobody can make it grow.

use std::{
    collections::BTreeMap,
    fmt::Write,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicI64, Ordering},
    },
    time::{Duration, Instant, SystemTime},
};

use axum::{
    extract::{MatchedPath, Request, State},
    http::Method,
    middleware::Next,
    response::Response,
};

use super::app::App;

/// Seconds.
const BUCKETS: [f64; 11] = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0];

/// The counters.
pub struct Metrics {
    started: SystemTime,
    open_streams: Arc<AtomicI64>,
    requests: Mutex<Requests>,
}

impl Default for Metrics {
    fn default() -> Self {
        Self { started: SystemTime::now(), open_streams: Arc::default(), requests: Mutex::default() }
    }
}

#[derive(Default)]
struct Requests {
    by_status: BTreeMap<(String, &'static str, u16), u64>,
    by_route: BTreeMap<String, Latency>,
}

#[derive(Default)]
struct Latency {
    /// How many took no longer than each of the buckets, and than the one before it.
    buckets: [u64; BUCKETS.len()],
    count: u64,
    seconds: f64,
}

/// What is true only at the moment.
pub struct Moment {
    pub running_turns: usize,
    pub pending_approvals: usize,
    pub memory_bytes: Option<u64>,
}

/// A stream that is open as long as this is there.
pub struct OpenStream(Arc<AtomicI64>);

impl Drop for OpenStream {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Metrics {
    pub fn stream_opened(&self) -> OpenStream {
        self.open_streams.fetch_add(1, Ordering::Relaxed);
        OpenStream(Arc::clone(&self.open_streams))
    }

    fn requests(&self) -> MutexGuard<'_, Requests> {
        // Every single step leaves the counters whole.
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn count(&self, route: &str, method: &'static str, status: u16, took: Duration) {
        let mut requests = self.requests();
        *requests.by_status.entry((route.to_owned(), method, status)).or_default() += 1;
        let latency = requests.by_route.entry(route.to_owned()).or_default();
        let seconds = took.as_secs_f64();
        if let Some(at) = BUCKETS.iter().position(|most| seconds <= *most) {
            latency.buckets[at] += 1;
        }
        latency.count += 1;
        latency.seconds += seconds;
    }

    /// In the text form of Prometheus.
    pub fn text(&self, moment: &Moment) -> String {
        let mut page = Page::default();
        {
            let requests = self.requests();
            page.family("deskhand_http_requests_total", "counter", "Answers by route, method and status.");
            for ((route, method, status), count) in &requests.by_status {
                page.line(&format!("{{route=\"{route}\",method=\"{method}\",status=\"{status}\"}}"), count);
            }
            let about = "Time until an answer began, by route.";
            page.family("deskhand_http_request_duration_seconds", "histogram", about);
            for (route, latency) in &requests.by_route {
                page.histogram(route, latency);
            }
        }
        let open = self.open_streams.load(Ordering::Relaxed);
        page.gauge("deskhand_open_streams", "Event streams and web sockets that are open.", open);
        page.gauge("deskhand_running_turns", "Turns that run here.", moment.running_turns);
        page.gauge(
            "deskhand_pending_approvals",
            "Questions that wait for an answer.",
            moment.pending_approvals,
        );
        if let Some(bytes) = moment.memory_bytes {
            page.gauge("process_resident_memory_bytes", "Memory that this process takes.", bytes);
        }
        let started = self.started.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
        page.gauge("process_start_time_seconds", "When the server started, in seconds since 1970.", started);
        page.text
    }
}

#[derive(Default)]
struct Page {
    text: String,
    name: &'static str,
}

impl Page {
    fn family(&mut self, name: &'static str, kind: &str, about: &str) {
        self.name = name;
        // Writing to a string does not fail, here and below.
        let _ = writeln!(self.text, "# HELP {name} {about}\n# TYPE {name} {kind}");
    }

    fn line(&mut self, rest: &str, value: impl std::fmt::Display) {
        let _ = writeln!(self.text, "{}{rest} {value}", self.name);
    }

    fn gauge(&mut self, name: &'static str, about: &str, value: impl std::fmt::Display) {
        self.family(name, "gauge", about);
        self.line("", value);
    }

    fn histogram(&mut self, route: &str, latency: &Latency) {
        let mut so_far = 0;
        for (most, count) in BUCKETS.iter().zip(latency.buckets) {
            so_far += count;
            self.line(&format!("_bucket{{route=\"{route}\",le=\"{most}\"}}"), so_far);
        }
        self.line(&format!("_bucket{{route=\"{route}\",le=\"+Inf\"}}"), latency.count);
        self.line(&format!("_sum{{route=\"{route}\"}}"), latency.seconds);
        self.line(&format!("_count{{route=\"{route}\"}}"), latency.count);
    }
}

/// The middleware: counts every answer, those of the door included.
pub async fn measure(State(app): State<App>, request: Request, next: Next) -> Response {
    let begun = Instant::now();
    // Whatever no route answers is the page, or nothing.
    let route = request.extensions().get::<MatchedPath>().map_or("page", MatchedPath::as_str).to_owned();
    let method = known(request.method());
    let response = next.run(request).await;
    app.metrics().count(&route, method, response.status().as_u16(), begun.elapsed());
    response
}

/// Anybody can make up a method.
fn known(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_what_prometheus_reads() {
        let metrics = Metrics::default();
        for milliseconds in [0, 3, 40, 90_000] {
            metrics.count("/a/{b}", "GET", 200, Duration::from_millis(milliseconds));
        }
        metrics.count("/a/{b}", "POST", 404, Duration::ZERO);
        let open = metrics.stream_opened();
        let moment = Moment { running_turns: 2, pending_approvals: 1, memory_bytes: Some(77) };
        let text = metrics.text(&moment);
        for line in [
            "# TYPE deskhand_http_requests_total counter",
            "deskhand_http_requests_total{route=\"/a/{b}\",method=\"GET\",status=\"200\"} 4",
            "deskhand_http_requests_total{route=\"/a/{b}\",method=\"POST\",status=\"404\"} 1",
            "deskhand_http_request_duration_seconds_bucket{route=\"/a/{b}\",le=\"0.001\"} 2",
            "deskhand_http_request_duration_seconds_bucket{route=\"/a/{b}\",le=\"0.05\"} 4",
            "deskhand_http_request_duration_seconds_bucket{route=\"/a/{b}\",le=\"10\"} 4",
            "deskhand_http_request_duration_seconds_bucket{route=\"/a/{b}\",le=\"+Inf\"} 5",
            "deskhand_http_request_duration_seconds_count{route=\"/a/{b}\"} 5",
            "deskhand_open_streams 1",
            "deskhand_running_turns 2",
            "deskhand_pending_approvals 1",
            "process_resident_memory_bytes 77",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
        drop(open);
        assert!(metrics.text(&moment).contains("deskhand_open_streams 0\n"));
        assert_eq!(known(&Method::from_bytes(b"MADEUP").unwrap()), "other");
    }
}
