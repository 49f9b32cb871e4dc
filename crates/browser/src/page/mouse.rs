//! The mouse, as a person would use it: real events at a point of the viewport.

use serde_json::json;

use super::{Modifiers, Page, PageError};

/// A point of the tab's viewport, in CSS pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    pub x: f64,
    pub y: f64,
}

impl Page {
    /// Moves the mouse there.
    pub async fn move_to(&self, to: Point) -> Result<(), PageError> {
        self.mouse("mouseMoved", to, "none", 0, Modifiers::NONE).await
    }

    /// Clicks there, `count` times (2: a double click).
    pub async fn click_at(
        &self,
        at: Point,
        button: &str,
        count: u32,
        modifiers: Modifiers,
    ) -> Result<(), PageError> {
        self.move_to(at).await?;
        for click in 1..=count {
            self.mouse("mousePressed", at, button, click, modifiers).await?;
            self.mouse("mouseReleased", at, button, click, modifiers).await?;
        }
        Ok(())
    }

    /// Turns the wheel there: `dx` and `dy` in pixels.
    pub async fn wheel(&self, at: Point, dx: f64, dy: f64) -> Result<(), PageError> {
        let params = json!({"type": "mouseWheel", "x": at.x, "y": at.y, "deltaX": dx, "deltaY": dy});
        self.call("Input.dispatchMouseEvent", params).await.map(drop)
    }

    async fn mouse(
        &self,
        kind: &str,
        at: Point,
        button: &str,
        count: u32,
        modifiers: Modifiers,
    ) -> Result<(), PageError> {
        // What is down while this happens, and how hard, is not worked out from the button by the browser.
        let held = match (kind, button) {
            ("mousePressed", "left") => 1,
            ("mousePressed", "right") => 2,
            ("mousePressed", "middle") => 4,
            _ => 0,
        };
        let params = json!({
            "type": kind, "x": at.x, "y": at.y, "button": button, "clickCount": count, "modifiers": modifiers.bits(),
            "buttons": held, "force": if held == 0 { 0.0 } else { 0.5 },
        });
        self.call("Input.dispatchMouseEvent", params).await.map(drop)
    }
}
