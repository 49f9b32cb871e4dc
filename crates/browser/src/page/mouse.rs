//! The mouse, as a person would use it: real events at a point of the viewport.

use serde_json::json;

use super::{Page, PageError};

/// A point of the tab's viewport, in CSS pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    pub x: f64,
    pub y: f64,
}

impl Page {
    /// Moves the mouse there.
    pub async fn move_to(&self, to: Point) -> Result<(), PageError> {
        let params = json!({"type": "mouseMoved", "x": to.x, "y": to.y, "button": "none"});
        self.call("Input.dispatchMouseEvent", params).await.map(drop)
    }

    /// Clicks there.
    pub async fn click_at(&self, at: Point) -> Result<(), PageError> {
        self.move_to(at).await?;
        // What is down while this happens, and how hard, is not worked out from the button by the browser.
        for (kind, held, force) in [("mousePressed", 1, 0.5), ("mouseReleased", 0, 0.0)] {
            let params = json!({
                "type": kind, "x": at.x, "y": at.y, "button": "left", "clickCount": 1, "buttons": held, "force": force,
            });
            self.call("Input.dispatchMouseEvent", params).await?;
        }
        Ok(())
    }
}
