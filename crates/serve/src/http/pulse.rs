//! The machine's vitals for all who watch: one sampler, which runs only while somebody does.

use std::{
    sync::{Arc, Mutex, PoisonError, Weak},
    time::Duration,
};

use deskhand_core::ToolError;
use deskhand_tools::system::vitals::{Sampler, Vitals};
use tokio::{sync::watch, task::JoinHandle};

use super::error::ApiError;

const EVERY: Duration = Duration::from_secs(2);
/// Use of the processor is a difference over time.
const FIRST_LOOK: Duration = Duration::from_millis(200);

/// Where watchers come to.
#[derive(Default)]
pub struct Pulse(Mutex<Weak<Beat>>);

/// The sampler at work. It ends when the last watcher lets go of this.
pub struct Beat {
    newest: watch::Receiver<Option<Vitals>>,
    task: JoinHandle<()>,
}

impl Drop for Beat {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// One who watches.
pub struct Watcher {
    newest: watch::Receiver<Option<Vitals>>,
    _beat: Arc<Beat>,
}

impl Watcher {
    /// The next sample; `None` when there will be no more.
    pub async fn next(&mut self) -> Option<Vitals> {
        loop {
            self.newest.changed().await.ok()?;
            let sample = self.newest.borrow_and_update().clone();
            if sample.is_some() {
                return sample;
            }
        }
    }
}

impl Pulse {
    /// Joins those who watch. The first one starts the sampler.
    pub fn watch(&self) -> Watcher {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let beat = kept.upgrade().filter(|beat| !beat.task.is_finished()).unwrap_or_else(|| {
            let (sender, newest) = watch::channel(None);
            Arc::new(Beat { newest, task: tokio::spawn(run(sender)) })
        });
        *kept = Arc::downgrade(&beat);
        let mut newest = beat.newest.clone();
        // Whoever comes later sees the newest sample at once.
        if newest.borrow().is_some() {
            newest.mark_changed();
        }
        Watcher { newest, _beat: beat }
    }

    #[cfg(test)]
    fn is_running(&self) -> bool {
        self.0.lock().unwrap().upgrade().is_some()
    }
}

async fn run(sender: watch::Sender<Option<Vitals>>) {
    let Ok(mut sampler) = begin().await else { return };
    tokio::time::sleep(FIRST_LOOK).await;
    let mut ticks = tokio::time::interval(EVERY);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let Ok((back, sample)) = look(sampler).await else { return };
        sampler = back;
        sender.send_replace(Some(sample));
    }
}

async fn begin() -> Result<Sampler, ApiError> {
    let begun = tokio::task::spawn_blocking(Sampler::new).await;
    begun
        .map_err(|error| ApiError::broken(error.to_string()))?
        .map_err(|error: ToolError| ApiError::broken(error.message))
}

async fn look(mut sampler: Sampler) -> Result<(Sampler, Vitals), ApiError> {
    let looked = tokio::task::spawn_blocking(move || {
        let sample = sampler.sample();
        (sampler, sample)
    });
    looked.await.map_err(|error| ApiError::broken(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn one_sampler_for_all_and_none_for_nobody() {
        let pulse = Pulse::default();
        assert!(!pulse.is_running());
        let (mut one, mut two) = (pulse.watch(), pulse.watch());
        let (first, second) = (one.next().await.unwrap(), two.next().await.unwrap());
        assert_eq!(first, second, "the same sample for both");
        let mut late = pulse.watch();
        assert_eq!(late.next().await.unwrap(), first, "without waiting for the next one");
        drop((one, two, late));
        assert!(!pulse.is_running());
        assert!(pulse.watch().next().await.unwrap().at >= first.at, "it starts again");
    }
}
