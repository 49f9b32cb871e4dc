//! What an act would reach: the element under a click, and the one that has the focus, through frames.

use serde_json::{Value, json};

use super::{
    Aimed, Found, Page, PageError, Point, Target,
    element::{OF_A_FRAME, refusal},
    evaluate, world,
};
use crate::cdp::Connection;

/// Frames within frames, as far as they are looked into.
const DEEPEST: usize = 20;

/// What was found there, and in whose document.
#[derive(Clone, Debug)]
pub struct Seen {
    /// As the kit's `describe` tells it; `{nothing: true}` where nothing has the focus. With `untold: true` the browser does
    /// not tell what is closed.
    pub answer: Value,
    /// The host of the document that it is in; `None` where that has none.
    pub host: Option<String>,
    /// A frame is there into which nobody can look.
    pub is_hidden: bool,
}

impl Seen {
    /// This very element, in this very document.
    pub fn target(&self) -> Target {
        Target::of(&self.answer)
    }
}

impl Page {
    /// The element that is named, or what lies in the frame that a click on it would go into.
    pub async fn look_at(&self, target: &Target) -> Result<Seen, PageError> {
        let found = self.ask_about(target, "describe", &Value::Null, Connection::USUAL).await?;
        self.look_into(found, target.clone()).await
    }

    /// The same, of an element that was just described.
    async fn look_into(&self, mut found: Found, mut target: Target) -> Result<Seen, PageError> {
        for _ in 0..DEEPEST {
            if found.answer["frame"] != true {
                let is_closed = self.is_closed(&mut found, "suspects", &json!(target)).await;
                return self.seen(found, is_closed);
            }
            let Some(inner) = self.step_into(&found, &target).await? else { break };
            (found, target) = inner;
        }
        self.seen(found, true)
    }

    /// Aims at an element, and looks at that very one.
    pub async fn aim_and_look(&self, target: &Target, kind: &str) -> Result<(Aimed, Seen), PageError> {
        let mut aimed = self.aim_with(target, &json!({"kind": kind, "described": true})).await?;
        let described = Found { frame: aimed.frame.clone(), answer: aimed.answer["seen"].take() };
        let seen = self.look_into(described, aimed.target()).await?;
        Ok((aimed, seen))
    }

    /// What a click at the point goes to, if that is the element that was aimed at, or something in it. `None`: something
    /// else lies there, in this frame or over it.
    pub async fn look_under(&self, aimed: &Aimed) -> Result<Option<Seen>, PageError> {
        let mut target = Target::at(aimed.point);
        let mut found = self.ask_about(&target, "describe", &Value::Null, Connection::USUAL).await?;
        let mut element = None;
        for _ in 0..DEEPEST {
            if found.frame == aimed.frame {
                element = self.hit(aimed, &target).await?;
                if element.is_none() {
                    return Ok(None);
                }
            }
            if found.answer["frame"] != true {
                let is_closed = self.is_closed(&mut found, "suspects", &json!(target)).await;
                let Some(element) = element else { return Ok(None) };
                // A plan speaks of the element; whether the click sends something is said by what it goes to.
                if found.frame == aimed.frame {
                    found.answer = merged(element, &found.answer);
                }
                return self.seen(found, is_closed).map(Some);
            }
            let Some(inner) = self.step_into(&found, &target).await? else { break };
            (found, target) = inner;
        }
        element.map(|_| self.seen(found, true)).transpose()
    }

    /// The element that was aimed at, as it is now, if a click at a point of its frame is one on it.
    async fn hit(&self, aimed: &Aimed, at: &Target) -> Result<Option<Value>, PageError> {
        let mut argument = json!(at);
        argument["ref"] = aimed.answer["ref"].clone();
        let mut answer = self.ask(Some(&aimed.frame), "hits", &argument).await?;
        match refusal(&answer) {
            Some((no, _)) => Err(no),
            None => Ok((answer["hits"] == true).then(|| answer["element"].take())),
        }
    }

    /// From what lies there to what lies in the frame that it shows; `None` where nobody can look.
    async fn step_into(&self, found: &Found, target: &Target) -> Result<Option<(Found, Target)>, PageError> {
        let Some((frame, point)) = self.frame_under(found, target).await? else { return Ok(None) };
        let target = Target::at(point);
        let inner = self.ask_within(OF_A_FRAME, Some(&frame), "describe", &json!(target)).await;
        Ok(told(inner)?.map(|answer| (Found { frame, answer }, target)))
    }

    /// Whether what is typed now goes into an element that was aimed at.
    pub async fn has_focus(&self, field: &Found) -> Result<bool, PageError> {
        let mut at = self.target.clone();
        for _ in 0..DEEPEST {
            if at == field.frame {
                let holds = self.ask(Some(&at), "holds_focus", &json!({"ref": field.answer["ref"]})).await?;
                return Ok(holds["holds"] == true);
            }
            let Some(child) = self.child_of(&at, "focused_element", &Value::Null).await? else { break };
            at = child;
        }
        Ok(false)
    }

    /// What has the focus, and would get a key.
    pub async fn look_at_focus(&self) -> Result<Seen, PageError> {
        let mut found = self.focus_in(self.target.clone()).await?;
        for _ in 0..DEEPEST {
            if found.answer["holder"] != true {
                // Keys get to the buttons around what has the focus, as a click does; or something in it has the focus.
                if found.answer["nothing"] != true
                    && self.is_closed(&mut found, "focus_suspects", &Value::Null).await
                {
                    let what = if found.answer["host"] == true { "opaque" } else { "enclosed" };
                    found.answer[what] = true.into();
                }
                return self.seen(found, false);
            }
            let Some(child) =
                self.child_of(&found.frame, "focused_element", &Value::Null).await.ok().flatten()
            else {
                break;
            };
            match self.focus_in(child).await {
                Ok(inner) => found = inner,
                Err(PageError::Cancelled) => return Err(PageError::Cancelled),
                Err(_) => break,
            }
        }
        self.seen(found, true)
    }

    async fn focus_in(&self, frame: String) -> Result<Found, PageError> {
        let limit = if frame == self.target { Connection::USUAL } else { OF_A_FRAME };
        let answer = self.ask_within(limit, Some(&frame), "focus", &Value::Null).await?;
        match refusal(&answer) {
            Some((no, _)) => Err(no),
            None => Ok(Found { frame, answer }),
        }
    }

    /// The frame that a click goes into, and where in it.
    async fn frame_under(
        &self,
        found: &Found,
        target: &Target,
    ) -> Result<Option<(String, Point)>, PageError> {
        let point = &found.answer["point"];
        let (Some(x), Some(y)) = (point["x"].as_f64(), point["y"].as_f64()) else { return Ok(None) };
        let Ok(Some(child)) = self.child_of(&found.frame, "reached_element", &json!(target)).await else {
            return Ok(None);
        };
        let (outer, inner) = (self.offset_of(&found.frame).await?, self.offset_of(&child).await?);
        Ok(Some((child, Point { x: x + outer.x - inner.x, y: y + outer.y - inner.y })))
    }

    /// Whether one of the elements that `function` of the kit gives has a closed shadow root: what is in that, and so what
    /// a click or a key does there, cannot be seen. Only the browser knows of it, and it tells of all of them in one answer.
    /// What cannot be told is taken for closed. An older browser tells this of no element; then what was found gets `untold`,
    /// so that whoever is asked about every click knows why.
    async fn is_closed(&self, found: &mut Found, function: &str, argument: &Value) -> bool {
        let told = self.told_of(&found.frame, function, argument).await;
        if told.as_ref().is_ok_and(Value::is_null) {
            found.answer["untold"] = true.into();
        }
        let elements = told.as_ref().ok().and_then(|told| told["value"].as_array());
        let is_closed = |element: &Value| {
            let root = &element["value"]["shadowRoot"];
            element["type"] != "node" || !(root.is_null() || root["value"]["mode"] == "open")
        };
        elements.is_none_or(|elements| elements.iter().any(is_closed))
    }

    /// What the browser tells of a list of elements.
    async fn told_of(&self, frame: &str, function: &str, argument: &Value) -> Result<Value, PageError> {
        let (session, world, _) = self.world(frame, false, Connection::USUAL).await?;
        let params = json!({
            "objectId": world.kit,
            "functionDeclaration": world::CALLED,
            "arguments": [{"value": function}, {"value": argument}],
            "serializationOptions": {
                "serialization": "deep",
                "maxDepth": 1,
                "additionalParameters": {"maxNodeDepth": 0, "includeShadowTree": "none"},
            },
        });
        let mut told = self.call_on(&session, Connection::USUAL, "Runtime.callFunctionOn", params).await?;
        if let Some(exception) = told.get("exceptionDetails") {
            return Err(PageError::Script(evaluate::exception_words(exception)));
        }
        Ok(told["result"]["deepSerializedValue"].take())
    }

    /// The frame that is shown in an element, which `function` of the kit gives.
    pub(super) async fn child_of(
        &self,
        frame: &str,
        function: &str,
        argument: &Value,
    ) -> Result<Option<String>, PageError> {
        let node = self.node_of(frame, function, argument).await?;
        let child = node["frameId"].as_str().unwrap_or_default();
        self.tab(|tab| tab.frames.get(child).map(|frame| frame.id.clone()))
    }

    /// What the browser knows of an element, which `function` of the kit gives.
    async fn node_of(&self, frame: &str, function: &str, argument: &Value) -> Result<Value, PageError> {
        let Some((session, object)) = self.object(frame, function, argument).await? else {
            return Ok(Value::Null);
        };
        let node = json!({"objectId": object});
        let mut told = self.call_on(&session, Connection::USUAL, "DOM.describeNode", node).await?;
        Ok(told["node"].take())
    }

    fn seen(&self, found: Found, is_hidden: bool) -> Result<Seen, PageError> {
        let host = self.tab(|tab| {
            // An empty frame has what the one around it wrote into it.
            let mut at = tab.frames.get(&found.frame);
            while let Some(frame) = at {
                let host = url::Url::parse(&frame.url).ok().and_then(|url| url.host_str().map(str::to_owned));
                if host.is_some() {
                    return host;
                }
                at = frame.parent.as_ref().and_then(|parent| tab.frames.get(parent));
            }
            None
        })?;
        Ok(Seen { answer: found.answer, host, is_hidden })
    }
}

/// An element, with what a click on it goes to.
fn merged(mut element: Value, hit: &Value) -> Value {
    if hit["submits"].is_object() {
        element["submits"] = hit["submits"].clone();
    }
    if hit["untold"] == true {
        element["untold"] = true.into();
    }
    element
}

/// What a frame says; `None` where it says nothing.
fn told(answer: Result<Value, PageError>) -> Result<Option<Value>, PageError> {
    match answer {
        Ok(answer) if answer["error"].is_null() => Ok(Some(answer)),
        Err(PageError::Cancelled) => Err(PageError::Cancelled),
        _ => Ok(None),
    }
}
