//! `keyboard`: types text and presses keys; the person sees in which window.

use std::time::Duration;

use deskhand_core::{
    Absent, Cx, Effects, Permission, Plan, Preview, Services, Spec, Tool, ToolError, ToolResult,
    tool::Rendered,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    backend::{Faculty, Wait},
    hands::{Scene, Typing},
    key_names,
    list_windows::{about, tells_titles},
    seat,
    which::WindowArg,
    window::Window,
};

/// So much is typed at once; then it is seen to that the window still has the keyboard.
const AT_ONCE: usize = 40;

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Text to type, in any script; a line feed presses Enter.
    #[schemars(length(min = 1, max = 10_000))]
    text: Option<String>,
    /// Keys to press one after the other, after the text: `Enter`, `Tab`, `F5`, `ctrl+s`, `ctrl+shift+t`, `alt+F4`.
    #[serde(default)]
    #[schemars(length(max = 100))]
    keys: Vec<String>,
    /// The window that is meant, by its id from list_windows or its title: it is brought to the front first. Without it,
    /// the one that has the keyboard.
    window_id: Option<WindowArg>,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    /// How many characters were typed.
    characters: usize,
    /// How many keys and chords were pressed after them.
    keys: usize,
    /// Those of them that type no character.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    named: Vec<String>,
    /// The window that got them.
    window: Window,
}

pub struct Keyboard;

impl Tool for Keyboard {
    type Input = Input;
    type Output = Output;

    const SPEC: Spec = Spec::new(
        "keyboard",
        "Type text in any script and press keys, in the window that has the keyboard or in a named one. The person is asked \
         each time, and sees the text and the window. It stops when another window gets the keyboard.",
    )
    .zh("输入任意文字、按下按键，目标是当前活动窗口或指定窗口。每次都会询问，并显示文字和窗口。若其他窗口抢走焦点则停止。")
    .permission(Permission::Sensitive)
    .effects(Effects::DESKTOP)
    // It may be a password, also key by key. Whoever is asked sees it, while they are asked; it is kept nowhere.
    .conceals(&["text", "keys"])
    .toolsets(&["desktop"])
    .keywords(&["keyboard", "type", "press", "key", "shortcut", "hotkey", "键盘", "输入", "按键", "快捷键"])
    .example(r#"{"text": "Hello", "window_id": "Notes"}"#)
    .timeout_s(120);

    fn available(&self, services: &Services) -> Result<(), Absent> {
        seat::available(services, Faculty::Input)
    }

    async fn plan(&self, input: &Input, cx: &Cx) -> ToolResult<Plan> {
        let input = input.clone();
        cx.blocking(move |cx| plan(&input, &window(&input, &Scene::look(cx)?)?)).await
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        cx.blocking(move |cx| act(&input, cx)).await
    }

    fn render(output: &Output) -> Rendered {
        let Output { characters, keys, named, window } = output;
        let named = if named.is_empty() { String::new() } else { format!(" ({})", named.join(", ")) };
        Rendered::text(format!("{characters} characters and {keys} keys{named} went to {}.", window.words()))
    }
}

fn window(input: &Input, scene: &Scene) -> ToolResult<Window> {
    let window = match &input.window_id {
        Some(arg) => scene.named(arg)?,
        None => scene.active().ok_or_else(|| {
            ToolError::new("no_active_window", "No window has the keyboard.").hint("Name one by window_id.")
        })?,
    };
    scene.must_be_others(Some(window))?;
    Ok(window.clone())
}

fn chords(input: &Input) -> ToolResult<Vec<Typing>> {
    let chord = |word: &String| key_names::chord(word).map(Typing::Chord);
    let chords: Vec<Typing> = input.keys.iter().map(chord).collect::<ToolResult<_>>()?;
    if chords.is_empty() && input.text.is_none() {
        return Err(ToolError::invalid("arguments_do_not_fit", "Give text, keys or both."));
    }
    Ok(chords)
}

/// The keys and chords that type no character, as they were given; what types one may be a part of a password.
fn named(keys: &[String]) -> ToolResult<Vec<String>> {
    let mut named = Vec::new();
    for word in keys {
        if !key_names::types_a_character(&key_names::chord(word)?) {
            named.push(super::window::one_line(word));
        }
    }
    Ok(named)
}

fn pressed(keys: &[String]) -> ToolResult<String> {
    let mut told = named(keys)?;
    match keys.len() - told.len() {
        0 => {}
        1 => told.push("a character".to_owned()),
        characters => told.push(format!("{characters} characters")),
    }
    Ok(told.join(", "))
}

fn plan(input: &Input, window: &Window) -> ToolResult<Plan> {
    chords(input)?;
    let text = input.text.as_deref().unwrap_or_default();
    let mut what = Vec::new();
    if !text.is_empty() {
        what.push(format!("type {} characters", text.chars().count()));
    }
    if !input.keys.is_empty() {
        what.push(format!("press {}", pressed(&input.keys)?));
    }
    let mut summary = format!("{} in {}", what.join(" and "), window.words());
    summary[..1].make_ascii_uppercase();
    let plan = Plan::new(summary)
        .effects(Effects::DESKTOP)
        .at_least(Permission::Sensitive, "desktop:input", "It does what your own hand would do there.")
        .preview(Preview::Text(format!(
            // All of it: each line may be a command.
            "{}\ntext: {text}\nkeys: {}",
            about(window),
            input.keys.join(", ")
        )))
        .not_undoable("What a program does with keys is up to it.");
    let plan =
        if input.window_id.is_some() { plan.note("The window is brought to the front first.") } else { plan };
    Ok(tells_titles(plan))
}

/// Another window may have got the keyboard by now, and another page may be in this one: a browser's title tells which.
fn still_types_into(target: &Window, cx: &Cx) -> ToolResult<()> {
    let scene = Scene::look(cx)?;
    let active = scene.active();
    if active.map(|active| active.id) != Some(target.id) {
        let got = active.map_or_else(|| "no window".to_owned(), Window::untitled);
        let message = format!("The keyboard has gone from {} to {got}.", target.untitled());
        return Err(ToolError::new("keyboard_lost", message));
    }
    scene.must_be_others(active)
}

fn act(input: &Input, cx: &Cx) -> ToolResult<Output> {
    let target = window(input, &Scene::look(cx)?)?;
    let again = plan(input, &target)?;
    if cx.plan().is_none_or(|shown| shown.summary != again.summary || shown.preview != again.preview) {
        return Err(ToolError::plan_changed(
            "The window that would get the keys is not the one that was shown.",
        ));
    }
    let desktop = seat::desktop(cx)?;
    if input.window_id.is_some() {
        desktop.activate(target.id, &Wait::of(cx))?;
    }
    let text: Vec<char> = input.text.as_deref().unwrap_or_default().chars().collect();
    let pieces = text.chunks(AT_ONCE).map(|piece| (piece.len(), Typing::Text(piece.iter().collect())));
    let (mut characters, mut keys) = (0, 0);
    for (count, typing) in pieces.chain(chords(input)?.into_iter().map(|chord| (0, chord))) {
        cx.check()?;
        still_types_into(&target, cx).map_err(|error| {
            let done = format!("{characters} characters and {keys} keys had gone there");
            ToolError::new(error.code, format!("{} Until then {done}.", error.message))
        })?;
        desktop.keyboard(&typing, &Wait::of(cx).within(Duration::from_secs(20)))?;
        characters += count;
        keys += usize::from(matches!(typing, Typing::Chord(_)));
    }
    Ok(Output { characters, keys, named: named(&input.keys)?, window: target })
}
