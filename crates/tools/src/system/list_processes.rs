//! `list_processes`: what runs on this machine.

use std::cmp::Ordering;

use deskhand_core::{Cx, Effects, Permission, Plan, Spec, Tool, ToolResult, tool::Rendered};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sysinfo::Process;

use super::process_table::{ProcessTable, Row, name_of};

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Only those whose name contains this; upper and lower case are the same.
    #[schemars(length(min = 1, max = 200))]
    filter: Option<String>,
    /// Only those of this user: a name, or a number.
    #[schemars(length(min = 1, max = 200))]
    user: Option<String>,
    /// What comes first: the busiest, the largest, the lowest number, or the first name.
    #[serde(default)]
    sort_by: SortBy,
    /// How many to show.
    #[serde(default = "a_page")]
    #[schemars(range(min = 1, max = 500))]
    limit: usize,
    /// How many to pass over: for the next page, what `next_offset` says.
    #[serde(default)]
    offset: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SortBy {
    #[default]
    Cpu,
    Memory,
    Pid,
    Name,
}

fn a_page() -> usize {
    50
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    processes: Vec<Row>,
    /// How many there are that fit, on all pages.
    total: usize,
    /// Where the next page starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<usize>,
}

pub struct ListProcesses;

impl Tool for ListProcesses {
    type Input = Input;
    type Output = Output;

    const SPEC: Spec = Spec::new(
        "list_processes",
        "The processes of this machine with their use of processor and memory, page by page: filter by name or \
         user, sort by cpu, memory, pid or name.",
    )
    .zh("列出本机进程及其处理器和内存占用，分页显示；可按名称或用户筛选，按 cpu、内存、pid 或名称排序。")
    .permission(Permission::Public)
    .effects(Effects::READS)
    .toolsets(&["system", "ops"])
    .keywords(&["process", "ps", "top", "running", "pid", "tasks", "进程", "任务", "运行"])
    .example(r#"{"sort_by": "memory", "limit": 10}"#);

    async fn plan(&self, input: &Input, _: &Cx) -> ToolResult<Plan> {
        let name = input.filter.as_ref().map_or_else(String::new, |name| format!(" named like «{name}»"));
        let user = input.user.as_ref().map_or_else(String::new, |user| format!(" of {user}"));
        Ok(Plan::new(format!("List the processes{name}{user}")).effects(Effects::READS))
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        cx.blocking(move |cx| {
            let table = ProcessTable::sampled(cx)?;
            Ok(page(&table, &input, cx))
        })
        .await
    }

    fn render(output: &Output) -> Rendered {
        let mut lines = vec![format!(
            "{:>7} {:<12} {:>6} {:>10} {:<9} COMMAND",
            "PID", "USER", "CPU%", "MEMORY", "STATE"
        )];
        lines.extend(output.processes.iter().map(|row| {
            let user = row.user.as_deref().unwrap_or("?");
            let command =
                if row.command.is_empty() { format!("[{}]", row.name) } else { row.command.clone() };
            let (pid, cpu, memory, state) = (row.pid, row.cpu_percent, &row.memory.text, &row.state);
            format!("{pid:>7} {user:<12} {cpu:>6.1} {memory:>10} {state:<9} {command}")
        }));
        let (shown, total) = (output.processes.len(), output.total);
        lines.push(match output.next_offset {
            Some(next) => format!("{shown} of {total}; the next page starts at offset {next}."),
            None => format!("{shown} of {total}."),
        });
        Rendered::text(lines.join("\n"))
    }
}

fn page(table: &ProcessTable, input: &Input, cx: &Cx) -> Output {
    let wanted_name = input.filter.as_ref().map(|name| name.to_lowercase());
    let fits = |process: &&Process| {
        let by_name =
            wanted_name.as_ref().is_none_or(|wanted| name_of(process).to_lowercase().contains(wanted));
        let by_user = input.user.as_ref().is_none_or(|wanted| {
            process.user_id().is_some_and(|id| id.to_string() == *wanted)
                || table.user_of(process).is_some_and(|name| name == *wanted)
        });
        by_name && by_user
    };
    let mut found: Vec<&Process> = table.all().filter(fits).collect();
    found.sort_by(|a, b| order(a, b, input.sort_by).then(a.pid().cmp(&b.pid())));
    let total = found.len();
    let processes: Vec<Row> = found
        .into_iter()
        .skip(input.offset)
        .take(input.limit)
        .map(|process| table.row(process, cx))
        .collect();
    let end = input.offset.saturating_add(processes.len());
    Output { next_offset: (end < total).then_some(end), processes, total }
}

fn order(a: &Process, b: &Process, by: SortBy) -> Ordering {
    match by {
        SortBy::Cpu => b.cpu_usage().total_cmp(&a.cpu_usage()),
        SortBy::Memory => b.memory().cmp(&a.memory()),
        SortBy::Pid => Ordering::Equal,
        SortBy::Name => name_of(a).to_lowercase().cmp(&name_of(b).to_lowercase()),
    }
}
