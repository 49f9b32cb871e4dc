//! How the machine fares from moment to moment: what is worth looking at again and again, cheap to sample.

use std::time::Instant;

use deskhand_core::{Time, ToolResult};
use schemars::JsonSchema;
use serde::Serialize;
use sysinfo::{
    CpuRefreshKind, MemoryRefreshKind, Networks, Pid, ProcessRefreshKind, ProcessesToUpdate, RefreshKind,
    System,
};

use super::{cpu, disk, memory};
use crate::system::{
    human::{as_f64, tenths},
    sampling::not_told,
};

/// One sample.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Vitals {
    pub at: Time,
    /// Of all cores together, since the sample before.
    pub cpu_percent: f64,
    /// Of each core.
    pub cpus: Vec<f64>,
    pub memory: Space,
    pub swap: Space,
    pub disks: Vec<DiskSpace>,
    pub network: Vec<Traffic>,
    /// Processes that ran or waited to, on average over 1, 5 and 15 minutes; empty where the system does not tell.
    pub load: Vec<f64>,
    pub uptime_s: u64,
}

/// Bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Space {
    pub total: u64,
    pub used: u64,
}

/// Bytes of one file system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DiskSpace {
    pub mount: String,
    pub total: u64,
    pub used: u64,
}

/// Bytes a second through one interface, since the sample before.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Traffic {
    pub name: String,
    pub received_per_s: f64,
    pub sent_per_s: f64,
}

/// Takes samples. Rates are over the time since the sample before, or since this was made.
pub struct Sampler {
    system: System,
    networks: Networks,
    looked: Instant,
}

impl Sampler {
    pub fn new() -> ToolResult<Self> {
        let kind = RefreshKind::nothing()
            .with_memory(MemoryRefreshKind::everything())
            .with_cpu(CpuRefreshKind::nothing().with_usage());
        let system = System::new_with_specifics(kind).map_err(|error| not_told("state", &error))?;
        let networks = Networks::new_with_refreshed_list().map_err(|error| not_told("networks", &error))?;
        Ok(Self { system, networks, looked: Instant::now() })
    }

    /// Reads the system; does not wait.
    pub fn sample(&mut self) -> Vitals {
        self.system.refresh_cpu_usage();
        self.system.refresh_memory();
        self.networks.refresh(true);
        let elapsed = self.looked.elapsed().as_secs_f64().max(0.001);
        self.looked = Instant::now();
        let per_second = |bytes: u64| tenths(as_f64(bytes) / elapsed);
        let mut network: Vec<Traffic> = self
            .networks
            .iter()
            .map(|(name, data)| Traffic {
                name: name.to_string_lossy().into_owned(),
                received_per_s: per_second(data.received()),
                sent_per_s: per_second(data.transmitted()),
            })
            .collect();
        network.sort_by(|a, b| a.name.cmp(&b.name));
        let system = &self.system;
        Vitals {
            at: Time::now(),
            cpu_percent: tenths(f64::from(system.global_cpu_usage())),
            cpus: system.cpus().iter().map(|cpu| tenths(f64::from(cpu.usage()))).collect(),
            memory: Space { total: system.total_memory(), used: memory::used(system) },
            swap: Space { total: system.total_swap(), used: system.used_swap() },
            // Disks that the system does not tell of are no reason to tell nothing.
            disks: disk::look().unwrap_or_default().iter().map(disk::Disk::space).collect(),
            network,
            load: cpu::load_average().map(Vec::from).unwrap_or_default(),
            uptime_s: System::uptime().unwrap_or_default(),
        }
    }
}

/// How many bytes of memory this very program takes; `None` where the system does not tell.
pub fn own_memory() -> Option<u64> {
    let mut system = System::new().ok()?;
    let own = Pid::from_u32(std::process::id());
    let what = ProcessRefreshKind::nothing().with_memory();
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[own]), false, what);
    system.process(own).map(sysinfo::Process::memory).filter(|bytes| *bytes > 0)
}

#[cfg(test)]
mod tests {
    use std::{io::Write, net};

    use super::*;

    #[test]
    fn a_sample_has_what_the_machine_has() {
        let mut sampler = Sampler::new().unwrap();
        let first = sampler.sample();
        assert!(!first.cpus.is_empty() && first.memory.total > 0 && first.memory.used <= first.memory.total);
        assert!(first.cpus.iter().chain([&first.cpu_percent]).all(|percent| (0.0..=100.0).contains(percent)));
        assert!(first.uptime_s > 0);
        assert!(own_memory().unwrap() < first.memory.total);
        assert!(sampler.sample().at >= first.at);
    }

    #[test]
    fn traffic_is_what_went_through_since_the_sample_before() {
        let mut sampler = Sampler::new().unwrap();
        sampler.sample();
        let listener = net::TcpListener::bind("127.0.0.1:0").unwrap();
        let mut sender = net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (mut receiver, _) = listener.accept().unwrap();
        let reading = std::thread::spawn(move || std::io::copy(&mut receiver, &mut std::io::sink()));
        sender.write_all(&vec![0; 4 << 20]).unwrap();
        drop(sender);
        reading.join().unwrap().unwrap();
        let sample = sampler.sample();
        // Where there is no loopback to be seen, there is nothing to compare.
        if let Some(loopback) = sample.network.iter().find(|traffic| traffic.name == "lo") {
            assert!(loopback.sent_per_s > 0.0 && loopback.received_per_s > 0.0, "{loopback:?}");
        }
    }
}
