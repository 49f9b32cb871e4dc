//! `system_info`: what this machine is and how it fares.

mod cpu;
mod disk;
mod machine;
mod memory;
mod network;
mod sensors;
#[cfg(test)]
mod tests;
pub mod vitals;

use std::time::Duration;

use deskhand_core::{Cx, Effects, Permission, Plan, Spec, Tool, ToolResult, tool::Rendered};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sysinfo::{CpuRefreshKind, MemoryRefreshKind, RefreshKind, System};

use super::sampling::{not_told, pause};

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// What to look at; everything where it is left out.
    #[serde(default = "everything")]
    #[schemars(length(min = 1, max = 20))]
    sections: Vec<Section>,
    /// Seconds over which the use of the processor is measured.
    #[serde(default = "a_moment")]
    #[schemars(range(min = 0.1, max = 10.0))]
    interval_s: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Section {
    System,
    Cpu,
    Memory,
    Disk,
    Network,
    Sensors,
}

impl Section {
    const ALL: [Self; 6] = [Self::System, Self::Cpu, Self::Memory, Self::Disk, Self::Network, Self::Sensors];

    fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Cpu => "cpu",
            Self::Memory => "memory",
            Self::Disk => "disk",
            Self::Network => "network",
            Self::Sensors => "sensors",
        }
    }
}

fn everything() -> Vec<Section> {
    Section::ALL.to_vec()
}

fn a_moment() -> f64 {
    0.2
}

/// The sections that were asked for.
#[derive(Default, Serialize, JsonSchema)]
pub struct Output {
    #[serde(skip_serializing_if = "Option::is_none")]
    system: Option<machine::Machine>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cpu: Option<cpu::Cpu>,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<memory::Memory>,
    #[serde(skip_serializing_if = "Option::is_none")]
    disk: Option<Vec<disk::Disk>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    network: Option<network::Network>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sensors: Option<Vec<sensors::Sensor>>,
}

pub struct SystemInfo;

impl Tool for SystemInfo {
    type Input = Input;
    type Output = Output;

    const SPEC: Spec = Spec::new(
        "system_info",
        "What this machine is and how it fares: operating system, processor and its use, memory (and what a \
         container may really have of it), disks, network interfaces and connections, temperatures.",
    )
    .zh("查看本机信息与状态：操作系统、处理器及使用率、内存（含容器限制）、磁盘、网络接口与连接、温度。")
    .permission(Permission::Public)
    .effects(Effects::READS)
    .toolsets(&["system", "ops"])
    .keywords(&[
        "cpu",
        "memory",
        "disk",
        "network",
        "os",
        "load",
        "uptime",
        "monitor",
        "系统信息",
        "内存",
        "磁盘",
        "网络",
        "处理器",
        "使用率",
        "监控",
    ])
    .example(r#"{"sections": ["cpu", "memory"]}"#);

    async fn plan(&self, input: &Input, _: &Cx) -> ToolResult<Plan> {
        let wanted = Section::ALL.into_iter().filter(|section| input.sections.contains(section));
        let names: Vec<&str> = wanted.map(Section::name).collect();
        Ok(Plan::new(format!("Look at this machine: {}", names.join(", "))).effects(Effects::READS))
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        cx.blocking(move |cx| look(&input, cx)).await
    }

    fn render(output: &Output) -> Rendered {
        let mut lines = Vec::new();
        lines.extend(output.system.as_ref().map(machine::Machine::line));
        lines.extend(output.cpu.as_ref().map(cpu::Cpu::line));
        lines.extend(output.memory.as_ref().map(memory::Memory::line));
        if let Some(disks) = &output.disk {
            lines.extend(disks.iter().map(disk::Disk::line));
            if disks.is_empty() {
                lines.push("Disk: none that has a size of its own".to_owned());
            }
        }
        lines.extend(output.network.iter().flat_map(network::Network::lines));
        if let Some(sensors) = &output.sensors {
            lines.extend(sensors.iter().map(sensors::Sensor::line));
            if sensors.is_empty() {
                lines.push("Sensors: none that can be read here".to_owned());
            }
        }
        Rendered::text(lines.join("\n"))
    }
}

fn look(input: &Input, cx: &Cx) -> ToolResult<Output> {
    let wants = |section| input.sections.contains(&section);
    let mut output = Output::default();
    if wants(Section::Cpu) || wants(Section::Memory) {
        let limits = limits();
        let mut kind = RefreshKind::nothing();
        if wants(Section::Memory) {
            kind = kind.with_memory(MemoryRefreshKind::everything());
        }
        if wants(Section::Cpu) {
            kind = kind.with_cpu(CpuRefreshKind::everything());
        }
        let mut system = System::new_with_specifics(kind).map_err(|error| not_told("state", &error))?;
        if wants(Section::Cpu) {
            pause(cx, Duration::try_from_secs_f64(input.interval_s).unwrap_or_default())?;
            system.refresh_cpu_all();
            output.cpu = Some(cpu::look(&system, input.interval_s, limits.cores));
        }
        if wants(Section::Memory) {
            output.memory = Some(memory::look(&system, limits.memory));
        }
    }
    if wants(Section::System) {
        output.system = Some(machine::look());
    }
    if wants(Section::Disk) {
        output.disk = Some(disk::look()?);
    }
    cx.check()?;
    if wants(Section::Network) {
        output.network = Some(network::look()?);
    }
    if wants(Section::Sensors) {
        output.sensors = Some(sensors::look());
    }
    Ok(output)
}

/// What a container leaves us.
struct Limits {
    memory: Option<memory::Limit>,
    cores: Option<f64>,
}

#[cfg(target_os = "linux")]
fn limits() -> Limits {
    let found = super::linux::cgroup::read(std::path::Path::new("/"));
    let memory = found.memory.map(|limit| memory::Limit {
        bytes: limit.bytes,
        left: limit.left,
        from: limit.from.display().to_string(),
    });
    Limits { memory, cores: found.cores }
}

#[cfg(not(target_os = "linux"))]
fn limits() -> Limits {
    Limits { memory: None, cores: None }
}
