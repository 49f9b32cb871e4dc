//! `close_window`: closes one window, after a person has seen which.

use deskhand_core::{
    Absent, Cx, Effects, Permission, Plan, Preview, Services, Spec, Tool, ToolError, ToolResult,
    tool::Rendered,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    backend::{Closing, Faculty, Wait},
    list_windows::{about, tells_titles},
    protected::Ourselves,
    seat,
    which::{self, WindowArg},
    window::Window,
};

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The window: its id from list_windows, or its title where no other window has it.
    window_id: WindowArg,
    /// Cut its program off from the desktop, without a chance to save anything.
    #[serde(default)]
    force: bool,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    id: u64,
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pid: Option<u32>,
    forced: bool,
}

pub struct CloseWindow;

impl Tool for CloseWindow {
    type Input = Input;
    type Output = Output;

    const SPEC: Spec = Spec::new(
        "close_window",
        "Close a window, as its close button would: its program may ask back. With force the program is cut off from \
         the desktop and loses what it has not saved. The person is asked each time. Never the desktop and its panels, the \
         task manager, the window manager, and the windows that Deskhand runs in.",
    )
    .zh("关闭指定窗口，相当于点击关闭按钮，程序可能会询问；force 为真时强制断开其程序，未保存内容会丢失。每次都会询问。绝不关闭桌面、面板、任务管理器、窗口管理器和 Deskhand 所在的窗口。")
    .permission(Permission::Sensitive)
    .effects(Effects::DESKTOP)
    .toolsets(&["desktop"])
    .keywords(&["close", "window", "quit", "exit", "关闭窗口", "退出", "关掉"])
    .example(r#"{"window_id": "Notes"}"#)
    .timeout_s(20);

    fn available(&self, services: &Services) -> Result<(), Absent> {
        seat::available(services, Faculty::Windows)
    }

    async fn plan(&self, input: &Input, cx: &Cx) -> ToolResult<Plan> {
        let input = input.clone();
        cx.blocking(move |cx| Ok(plan(&look(&input, cx)?, input.how()))).await
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        cx.blocking(move |cx| close(&input, cx)).await
    }

    fn render(output: &Output) -> Rendered {
        let how = if output.forced { " by force" } else { "" };
        Rendered::text(format!("The window «{}» was closed{how}.", super::window::one_line(&output.title)))
    }
}

impl Input {
    fn how(&self) -> Closing {
        if self.force { Closing::Forced } else { Closing::Asked }
    }
}

/// The window; an error where it must not be closed.
fn look(input: &Input, cx: &Cx) -> ToolResult<Window> {
    let (desktop, wait) = (seat::desktop(cx)?, Wait::of(cx));
    let windows = desktop.windows(&wait)?;
    let window = which::find(&input.window_id, &windows)?.clone();
    let (ourselves, how) = (Ourselves::look(cx)?, input.how());
    // Cut off is the program, and with it go all its windows.
    let along = windows.iter().filter(|other| input.force && desktop.is_of_one_program(other, &window));
    let refused = std::iter::once(&window).chain(along).find_map(|window| ourselves.protect(window, how));
    match refused {
        None => Ok(window),
        Some((rule, why)) => {
            let message = format!("Closing {} is not possible: {why}.", window.untitled());
            Err(ToolError::blocked(rule, message)
                .hint("Deskhand never does that. If it has to be, do it outside of Deskhand."))
        }
    }
}

fn plan(window: &Window, how: Closing) -> Plan {
    let words = match how {
        Closing::Asked => "",
        Closing::Forced => " by force",
    };
    let plan = Plan::new(format!("Close {}{words}", window.words()))
        .effects(Effects::DESKTOP)
        .at_least(Permission::Sensitive, "window:close", "What its program has not saved may be lost.")
        .preview(Preview::Text(about(window)))
        .not_undoable("A window that was closed cannot be brought back.");
    tells_titles(plan)
}

fn close(input: &Input, cx: &Cx) -> ToolResult<Output> {
    let window = look(input, cx)?;
    let again = plan(&window, input.how());
    if cx.plan().is_none_or(|shown| shown.summary != again.summary || shown.preview != again.preview) {
        return Err(ToolError::plan_changed(format!(
            "The window {} is not the one that was shown.",
            window.id
        )));
    }
    let Window { id, title, pid, .. } = window;
    if seat::desktop(cx)?.close(id, input.how(), &Wait::of(cx))? {
        return Ok(Output { id, title, pid, forced: input.force });
    }
    Err(ToolError::new("still_open", format!("«{}» was asked to close, and is still there.", super::window::one_line(&title)))
        .hint("Its program may ask whether to save: look at list_windows for a new dialog. With force it is closed in any case."))
}
