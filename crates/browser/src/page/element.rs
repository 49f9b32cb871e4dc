//! Finding an element in any frame, and the point of the tab where it can be acted on.

use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::{Value, json};

use super::{Page, PageError, Point, unless_cancelled, world};
use crate::{
    cdp::{Connection, Session},
    tab::{Frame, Tab},
};

/// How long an element that is not there yet, hidden or covered is waited for. Pages move while they load.
const PATIENCE: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(80);
/// Around a point that is brought into view: at the very edge of a frame it would lie under a scrollbar.
const ROOM: f64 = 20.0;
/// How long one frame of several may take to answer.
pub(super) const OF_A_FRAME: Duration = Duration::from_millis(2_500);

/// How a caller names an element: by a ref of a snapshot, by a CSS selector, or by a point of the viewport.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Target {
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub y: Option<f64>,
}

/// Where an element can be acted on. From here on it is this element, whatever a selector would find.
#[derive(Debug)]
pub struct Aimed {
    /// In the viewport of the tab.
    pub point: Point,
    /// The frame that has it.
    pub frame: String,
    /// What the kit said of it.
    pub answer: Value,
}

impl Aimed {
    pub fn target(&self) -> Target {
        Target::of(&self.answer)
    }
}

impl Target {
    /// What the kit has said something of.
    pub(super) fn of(answer: &Value) -> Self {
        Self { reference: answer["ref"].as_str().map(str::to_owned), ..Self::default() }
    }

    pub(super) fn at(point: Point) -> Self {
        Self { x: Some(point.x), y: Some(point.y), ..Self::default() }
    }

    /// Whether it is named by what a snapshot may have given as a ref, of whichever document.
    pub(super) fn is_well_formed_ref(&self) -> bool {
        let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let parts = self.reference.as_deref().and_then(|text| text.trim().strip_prefix('d')?.split_once('e'));
        parts.is_some_and(|(document, element)| number(document) && number(element))
    }
}

/// What a function of the kit said, and in which frame.
#[derive(Debug)]
pub struct Found {
    pub frame: String,
    pub answer: Value,
}

impl Page {
    /// Calls a function of the kit about an element, in the frame that has it: the one that gave the ref, or the first
    /// in which the selector finds something. `more` are further arguments of the function.
    pub async fn ask_about(
        &self,
        target: &Target,
        function: &str,
        more: &Value,
        limit: Duration,
    ) -> Result<Found, PageError> {
        let argument = argument(target, more);
        let (mut first_no, mut silent) = (None, Vec::new());
        for (number, frame) in self.frames_for(target)?.into_iter().enumerate() {
            let limit = if number == 0 { limit } else { limit.min(OF_A_FRAME) };
            let answer = self.ask_within(limit, Some(&frame), function, &argument).await;
            let answer = match answer {
                // One of many frames that is busy does not keep the others from answering.
                Err(PageError::TimedOut { .. }) if number > 0 => {
                    silent.push(self.shown_frame(&frame)?);
                    continue;
                }
                // A frame that goes away meanwhile does not have it.
                Err(PageError::Element { .. } | PageError::Refused(_)) if first_no.is_some() => continue,
                answer => answer?,
            };
            match refusal(&answer) {
                None => return Ok(Found { frame, answer }),
                Some((no, "not_found")) => drop(first_no.get_or_insert(no)),
                Some((no, _)) => return Err(no),
            }
        }
        Err(first_no.map_or(PageError::TabClosed, |no| with_silent(no, &silent)))
    }

    /// A frame, in words.
    fn shown_frame(&self, frame: &str) -> Result<String, PageError> {
        let url = self.tab(|tab| tab.frames.get(frame).map(|frame| frame.url.clone()))?;
        Ok(url.unwrap_or_default().chars().take(200).collect())
    }

    /// The frames in which the target may be, the most likely first.
    pub(super) fn frames_for(&self, target: &Target) -> Result<Vec<String>, PageError> {
        let Some(reference) = &target.reference else {
            let all = self.tab(|tab| tab.frames.iter().map(|frame| frame.id.clone()).collect::<Vec<_>>())?;
            // A point is one of the tab's own frame.
            let only_main = target.selector.is_none();
            return Ok(if only_main { vec![self.target.clone()] } else { all });
        };
        let gives = |frame: &Frame| {
            let rest = reference.trim().strip_prefix(&world::prefix(frame.generation));
            rest.is_some_and(|rest| rest.starts_with('e'))
        };
        let frame =
            self.tab(|tab| tab.frames.iter().find(|frame| gives(frame)).map(|frame| frame.id.clone()))?;
        frame.map(|frame| vec![frame]).ok_or_else(|| PageError::Element {
            code: "stale_ref",
            message: format!(
                "the ref {} is not of a page that is open: refs are dropped when the page changes",
                reference.chars().take(60).collect::<String>()
            ),
            hint: "Take a new snapshot.".to_owned(),
        })
    }

    /// The point of the tab at which an element can be acted on, and what is said of it.
    pub async fn action_point(&self, target: &Target, kind: &str) -> Result<(Point, Value), PageError> {
        self.aim(target, kind).await.map(|aimed| (aimed.point, aimed.answer))
    }

    /// The element, brought into view. One that is not there yet, or is covered, gets a moment.
    pub async fn aim(&self, target: &Target, kind: &str) -> Result<Aimed, PageError> {
        self.aim_with(target, &json!({"kind": kind})).await
    }

    pub(super) async fn aim_with(&self, target: &Target, more: &Value) -> Result<Aimed, PageError> {
        let begun = Instant::now();
        loop {
            match self.ask_about(target, "action_point", more, Connection::USUAL).await {
                Ok(Found { frame, answer }) => {
                    let side = |key: &str| answer[key].as_f64().unwrap_or_default();
                    let inside = Point { x: side("x"), y: side("y") };
                    self.bring_into_view(&frame, inside).await?;
                    let offset = self.offset_of(&frame).await?;
                    let point = Point { x: inside.x + offset.x, y: inside.y + offset.y };
                    return Ok(Aimed { point, frame, answer });
                }
                Err(PageError::Element { code: "not_found", .. }) if self.is_empty()? => {
                    return Err(nothing_open());
                }
                Err(PageError::Element { code, .. })
                    if matches!(code, "not_found" | "not_actionable") && begun.elapsed() < PATIENCE =>
                {
                    unless_cancelled(&self.cancel, tokio::time::sleep(PAUSE)).await?;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Scrolls what is around a frame until a point of its viewport can be seen, with some room. What is in view with
    /// that much room stays where it is.
    async fn bring_into_view(&self, frame: &str, point: Point) -> Result<(), PageError> {
        let (mut at, mut point) = (frame.to_owned(), point);
        while let Some((parent, session)) = self.parent_of(&at)? {
            let owner = self
                .call_on(&session, Connection::USUAL, "DOM.getFrameOwner", json!({"frameId": at}))
                .await?;
            let rect =
                json!({"x": point.x - ROOM, "y": point.y - ROOM, "width": 2.0 * ROOM, "height": 2.0 * ROOM});
            let params = json!({"backendNodeId": owner["backendNodeId"], "rect": rect});
            self.call_on(&session, Connection::USUAL, "DOM.scrollIntoViewIfNeeded", params).await?;
            let (inner, outer) = (self.offset_of(&at).await?, self.offset_of(&parent).await?);
            point = Point { x: point.x + inner.x - outer.x, y: point.y + inner.y - outer.y };
            at = parent;
        }
        Ok(())
    }

    /// Whether nothing was ever opened in it: what is not there will not come.
    pub(super) fn is_empty(&self) -> Result<bool, PageError> {
        self.tab(Tab::is_untouched)
    }

    /// Where in the tab's viewport a frame begins.
    pub(super) async fn offset_of(&self, frame: &str) -> Result<Point, PageError> {
        let mut offset = Point { x: 0.0, y: 0.0 };
        let mut at = frame.to_owned();
        while let Some((parent, session)) = self.parent_of(&at)? {
            let owner = self
                .call_on(&session, Connection::USUAL, "DOM.getFrameOwner", json!({"frameId": at}))
                .await?;
            let node = json!({"backendNodeId": owner["backendNodeId"]});
            let model = self.call_on(&session, Connection::USUAL, "DOM.getBoxModel", node).await?;
            let corner = &model["model"]["content"];
            offset.x += corner[0].as_f64().unwrap_or_default();
            offset.y += corner[1].as_f64().unwrap_or_default();
            // The box is told from where the process of the parent begins: frames between are in it already.
            at = self.root_of(&parent, session.id().unwrap_or_default())?;
        }
        Ok(offset)
    }

    fn parent_of(&self, frame: &str) -> Result<Option<(String, Session)>, PageError> {
        let parent = self.tab(|tab| {
            let parent = tab.frames.get(frame)?.parent.clone()?;
            let session = tab.frames.get(&parent)?.session.clone();
            Some((parent, session))
        })?;
        let connection = self.browser.connection();
        Ok(parent.map(|(parent, session)| (parent, Session::of(connection.clone(), session))))
    }

    /// The outermost frame around this one that the same session has.
    fn root_of(&self, frame: &str, session: &str) -> Result<String, PageError> {
        self.tab(|tab| {
            let mut root = frame.to_owned();
            while let Some(parent) = tab.frames.get(&root).and_then(|frame| frame.parent.clone()) {
                if tab.frames.get(&parent).is_none_or(|parent| parent.session != session) {
                    break;
                }
                root = parent;
            }
            root
        })
    }
}

/// Where an element is looked for, and there is no page.
pub(super) fn nothing_open() -> PageError {
    PageError::Element {
        code: "no_page",
        message: "no page is open yet".to_owned(),
        hint: "Open one with browser_navigate first.".to_owned(),
    }
}

/// That something was not found, where not everything could be looked at.
fn with_silent(no: PageError, silent: &[String]) -> PageError {
    match no {
        PageError::Element { code, message, hint } if !silent.is_empty() => {
            let message = format!("{message}; frames that do not answer: {}", silent.join(", "));
            PageError::Element { code, message, hint }
        }
        no => no,
    }
}

fn argument(target: &Target, more: &Value) -> Value {
    let mut argument = json!(target);
    for (key, value) in more.as_object().into_iter().flatten() {
        argument[key] = value.clone();
    }
    argument
}

/// What the kit says when it cannot: the error, and its code.
pub(super) fn refusal(answer: &Value) -> Option<(PageError, &'static str)> {
    const CODES: &[&str] = &[
        "not_found",
        "not_actionable",
        "stale_ref",
        "bad_ref",
        "bad_selector",
        "no_target",
        "not_editable",
        "outside",
        "bad_value",
        "not_a_select",
        "no_option",
        "option_disabled",
        "only_one",
        "bad_direction",
        "nothing_to_scroll",
        "timeout",
        "bad_state",
    ];
    let said = answer["error"].as_str()?;
    let code = CODES.iter().copied().find(|code| *code == said).unwrap_or("page_script_failed");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut message = text(&answer["message"]);
    if let Some(line) = answer["line"].as_str() {
        message = format!("{line}: {message}");
    }
    if let Some(over) = answer["covered_by"]["line"].as_str() {
        message = format!("{message}, {over}");
    }
    let hints: Vec<String> = answer["hints"].as_array().into_iter().flatten().map(text).collect();
    let hint = match (code, hints.is_empty()) {
        (_, false) => format!("Near are: {}.", hints.join("; ")),
        ("stale_ref" | "bad_ref" | "not_found", _) => "Take a new snapshot with browser_snapshot.".to_owned(),
        ("not_actionable", _) => {
            "Look at the page: something may have to be closed or scrolled first.".to_owned()
        }
        _ => String::new(),
    };
    Some((PageError::Element { code, message, hint }, code))
}
