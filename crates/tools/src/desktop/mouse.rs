//! `mouse`: moves, clicks, drags, scrolls; the person sees in which window.

use deskhand_core::{
    Absent, Cx, Effects, Permission, Plan, Preview, Services, Spec, Tool, ToolError, ToolResult,
    tool::Rendered,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    backend::{Faculty, Wait},
    hands::{Button, Scene, Stroke},
    list_windows::{about, tells_titles},
    seat,
    which::WindowArg,
    window::Window,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Action {
    Move,
    Click,
    DoubleClick,
    /// Press at x, y, move to to_x, to_y, and let go there.
    Drag,
    Scroll,
}

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// What the mouse does.
    action: Action,
    /// Pixels from the left of the desktop, or of the window where one is named.
    x: i32,
    /// Pixels from the top.
    y: i32,
    /// Where a drag ends, from the left.
    to_x: Option<i32>,
    /// Where a drag ends, from the top.
    to_y: Option<i32>,
    /// The button for clicks and drags.
    #[serde(default)]
    button: Button,
    /// Notches of the wheel downwards; upwards are negative.
    #[serde(default)]
    #[schemars(range(min = -100, max = 100))]
    scroll_down: i32,
    /// Notches of the wheel to the right; to the left are negative.
    #[serde(default)]
    #[schemars(range(min = -100, max = 100))]
    scroll_right: i32,
    /// The window that is meant, by its id from list_windows or its title: it is brought to the front first, and x and y
    /// are counted from its corner.
    window_id: Option<WindowArg>,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    /// What was done, in words.
    done: String,
    /// Where it happened, from the corner of the desktop.
    x: i32,
    y: i32,
    /// The window there.
    #[serde(skip_serializing_if = "Option::is_none")]
    window: Option<Window>,
}

pub struct Mouse;

impl Tool for Mouse {
    type Input = Input;
    type Output = Output;

    const SPEC: Spec = Spec::new(
        "mouse",
        "Move, click, double-click, drag or scroll with the mouse, at a place on the desktop or in a named window. The \
         person is asked each time, and sees which window it is. Take a screenshot first to see where things are.",
    )
    .zh("用鼠标移动、点击、双击、拖动或滚动，坐标相对桌面或指定窗口。每次都会询问，并显示目标窗口。请先截图了解位置。")
    .permission(Permission::Sensitive)
    .effects(Effects::DESKTOP)
    .toolsets(&["desktop"])
    .keywords(&["mouse", "click", "drag", "scroll", "pointer", "鼠标", "点击", "拖动", "滚动"])
    .example(r#"{"action": "click", "x": 100, "y": 200}"#)
    .timeout_s(30);

    fn available(&self, services: &Services) -> Result<(), Absent> {
        seat::available(services, Faculty::Input)
    }

    async fn plan(&self, input: &Input, cx: &Cx) -> ToolResult<Plan> {
        let input = input.clone();
        cx.blocking(move |cx| Ok(Aim::take(&input, &Scene::look(cx)?, cx)?.plan(&input))).await
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        cx.blocking(move |cx| act(&input, cx)).await
    }

    fn render(output: &Output) -> Rendered {
        Rendered::text(format!("Done: {}.", output.done))
    }
}

/// Where it happens.
struct Aim {
    from: (i32, i32),
    to: Option<(i32, i32)>,
    window: Option<Window>,
    end: Option<Window>,
    /// The window has to be brought to the front first.
    raises: bool,
}

impl Aim {
    fn take(input: &Input, scene: &Scene, cx: &Cx) -> ToolResult<Self> {
        let named = input.window_id.as_ref().map(|arg| scene.named(arg)).transpose()?;
        let (left, top) = named.map_or((0, 0), |window| (window.geometry.x, window.geometry.y));
        let place = |x: i32, y: i32| (x.saturating_add(left), y.saturating_add(top));
        let from = place(input.x, input.y);
        let to = match (input.action, input.to_x, input.to_y) {
            (Action::Drag, Some(x), Some(y)) => Some(place(x, y)),
            (Action::Drag, ..) => return Err(unfit("a drag takes to_x and to_y")),
            (_, None, None) => None,
            _ => return Err(unfit("to_x and to_y are for a drag")),
        };
        let scrolls = input.scroll_down != 0 || input.scroll_right != 0;
        if scrolls != (input.action == Action::Scroll) {
            return Err(unfit("scroll_down or scroll_right are given with scroll, and only then"));
        }
        let wait = Wait::of(cx);
        let monitors = seat::desktop(cx)?.monitors(&wait)?;
        for (x, y) in std::iter::once(from).chain(to) {
            if !monitors.iter().any(|monitor| monitor.place.has(x, y)) {
                return Err(ToolError::invalid("not_on_screen", format!("({x}, {y}) is on no screen.")));
            }
        }
        if let Some(window) = named
            && !window.geometry.has(from.0, from.1)
        {
            let message = format!("({}, {}) is not in {}.", input.x, input.y, window.untitled());
            return Err(ToolError::invalid("not_in_window", message));
        }
        // The one that is named will be in front.
        let met = |place: (i32, i32)| match named.filter(|window| window.geometry.has(place.0, place.1)) {
            Some(window) => Ok(Some(window.clone())),
            None => scene.at(place, cx),
        };
        let window = met(from)?;
        let end = to.map(met).transpose()?.flatten();
        scene.must_be_others(window.as_ref())?;
        scene.must_be_others(end.as_ref())?;
        Ok(Self { from, to, window, end, raises: named.is_some() })
    }

    /// The window is in front now: what the mouse would meet is looked at once more, where a drag ends, too.
    fn still_meets(&self, raised: &Window, cx: &Cx) -> ToolResult<()> {
        let scene = Scene::look(cx)?;
        for (place, shown) in [(Some(self.from), &self.window), (self.to, &self.end)] {
            let Some(place) = place else { continue };
            let met = scene.at(place, cx)?;
            scene.must_be_others(met.as_ref())?;
            if met.map(|met| met.id) != shown.as_ref().map(|shown| shown.id) {
                let (x, y) = place;
                let message =
                    format!("At ({x}, {y}) is not what was shown once {} is in front.", raised.untitled());
                return Err(ToolError::new("window_covered", message).hint("Move or close what covers it."));
            }
        }
        Ok(())
    }

    fn words(&self, input: &Input) -> String {
        let (x, y) = self.from;
        let button = input.button.name();
        let on = self.window.as_ref().map_or_else(|| "the desktop".to_owned(), Window::words);
        match (input.action, self.to) {
            (Action::Move, _) => format!("Move the mouse to ({x}, {y}) on {on}"),
            (Action::Click, _) => format!("Click {button} at ({x}, {y}) on {on}"),
            (Action::DoubleClick, _) => format!("Double-click {button} at ({x}, {y}) on {on}"),
            (Action::Scroll, _) => {
                format!(
                    "Scroll {} down and {} right at ({x}, {y}) on {on}",
                    input.scroll_down, input.scroll_right
                )
            }
            (Action::Drag, to) => {
                let (to_x, to_y) = to.unwrap_or(self.from);
                let end = self.end.as_ref().map_or_else(|| "the desktop".to_owned(), Window::words);
                format!("Drag {button} from ({x}, {y}) on {on} to ({to_x}, {to_y}) on {end}")
            }
        }
    }

    fn plan(&self, input: &Input) -> Plan {
        let plan = Plan::new(self.words(input))
            .effects(Effects::DESKTOP)
            .at_least(Permission::Sensitive, "desktop:input", "It does what your own hand would do there.")
            .not_undoable("What a click does is up to the program.");
        let plan = tells_titles(plan);
        let plan = match &self.window {
            Some(window) => plan.preview(Preview::Text(about(window))),
            None => plan,
        };
        if self.raises { plan.note("The window is brought to the front first.") } else { plan }
    }

    fn strokes(&self, input: &Input) -> Vec<Stroke> {
        let (x, y) = self.from;
        let click = [Stroke::Press(input.button), Stroke::Release(input.button)];
        let mut strokes = vec![Stroke::MoveTo(x, y)];
        match input.action {
            Action::Move => {}
            Action::Click => strokes.extend(click),
            Action::DoubleClick => {
                strokes.extend(click);
                strokes.push(Stroke::Pause);
                strokes.extend(click);
            }
            Action::Scroll => {
                strokes.push(Stroke::Scroll { right: input.scroll_right, down: input.scroll_down });
            }
            Action::Drag => {
                let (to_x, to_y) = self.to.unwrap_or(self.from);
                strokes.extend([Stroke::Press(input.button), Stroke::Pause]);
                // Programs see a drag only where the mouse moves on its way.
                strokes.push(Stroke::MoveTo(x.midpoint(to_x), y.midpoint(to_y)));
                strokes.extend([Stroke::Pause, Stroke::MoveTo(to_x, to_y), Stroke::Pause]);
                strokes.push(Stroke::Release(input.button));
            }
        }
        strokes
    }
}

fn unfit(why: &str) -> ToolError {
    ToolError::invalid("arguments_do_not_fit", format!("These arguments do not go together: {why}."))
}

fn act(input: &Input, cx: &Cx) -> ToolResult<Output> {
    let aim = Aim::take(input, &Scene::look(cx)?, cx)?;
    if cx.plan().is_none_or(|shown| shown.summary != aim.words(input)) {
        return Err(ToolError::plan_changed("What is at that place is not what was shown."));
    }
    let (desktop, wait) = (seat::desktop(cx)?, Wait::of(cx));
    if let Some(window) = aim.window.as_ref().filter(|_| aim.raises) {
        desktop.activate(window.id, &wait)?;
        aim.still_meets(window, cx)?;
    }
    desktop.mouse(&aim.strokes(input), &wait)?;
    let done = aim.words(input);
    Ok(Output { done, x: aim.from.0, y: aim.from.1, window: aim.window })
}
