//! Pictures of a page.

use base64::Engine;
use serde_json::{Value, json};

use super::{Page, PageError, Target};

/// What is to be in the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum What {
    /// What a person would see.
    Viewport,
    FullPage,
    /// A part of the page, in its own coordinates.
    Part {
        x: f64,
        y: f64,
        width: f64,
        height: f64,
    },
}

/// A picture, as PNG.
pub struct Picture {
    pub png: Vec<u8>,
    pub width: u32,
    pub height: u32,
    /// How large it would be, where that is larger than can be drawn at once.
    pub cut_from: Option<(u32, u32)>,
}

/// Chromium draws no more than this in one direction.
const LONGEST: f64 = 16_384.0;

impl Page {
    pub async fn screenshot(&self, what: What) -> Result<Picture, PageError> {
        let mut params = json!({"format": "png", "optimizeForSpeed": true});
        let mut whole = (0.0, 0.0);
        let clip = |x: f64, y: f64, width: f64, height: f64| json!({"x": x, "y": y, "width": width.clamp(1.0, LONGEST), "height": height.clamp(1.0, LONGEST), "scale": 1});
        match what {
            What::Viewport => {}
            What::FullPage => {
                let metrics = self.call("Page.getLayoutMetrics", json!({})).await?;
                let size = &metrics["cssContentSize"];
                let side = |key: &str| size[key].as_f64().unwrap_or(1.0);
                whole = (side("width"), side("height"));
                params["clip"] = clip(0.0, 0.0, whole.0, whole.1);
                params["captureBeyondViewport"] = true.into();
            }
            What::Part { x, y, width, height } => {
                whole = (width, height);
                params["clip"] = clip(x, y, width, height);
                params["captureBeyondViewport"] = true.into();
            }
        }
        let answer = self.call("Page.captureScreenshot", params).await?;
        let picture = picture(&answer["data"])?;
        let is_cut = whole.0 > LONGEST || whole.1 > LONGEST;
        // A page is no longer than a number of this size has room for.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let cut_from = is_cut.then_some((whole.0.ceil() as u32, whole.1.ceil() as u32));
        Ok(Picture { cut_from, ..picture })
    }

    /// A picture of one element, scrolled into view.
    pub async fn screenshot_of(&self, target: &Target) -> Result<Picture, PageError> {
        let (point, found) = self.action_point(target, "look").await?;
        let metrics = self.call("Page.getLayoutMetrics", json!({})).await?;
        let scrolled = |key: &str| metrics["cssVisualViewport"][key].as_f64().unwrap_or_default();
        let number = |value: &Value| value.as_f64().unwrap_or_default();
        let (shown, found_box) = ((number(&found["x"]), number(&found["y"])), &found["box"]);
        // The box is one of the frame's viewport; the point is known in both.
        let x = number(&found_box["x"]) - shown.0 + point.x + scrolled("pageX");
        let y = number(&found_box["y"]) - shown.1 + point.y + scrolled("pageY");
        let (width, height) = (number(&found_box["width"]), number(&found_box["height"]));
        self.screenshot(What::Part { x, y, width, height }).await
    }
}

fn picture(data: &Value) -> Result<Picture, PageError> {
    let broken = || PageError::Refused("the picture cannot be read".to_owned());
    let png = base64::engine::general_purpose::STANDARD.decode(data.as_str().unwrap_or_default());
    let png = png.map_err(|_| broken())?;
    // The size stands at a fixed place, in the first chunk.
    let number = |at: usize| png.get(at..at + 4).map(|b| u32::from_be_bytes([b[0], b[1], b[2], b[3]]));
    let (Some(width), Some(height)) = (number(16), number(20)) else { return Err(broken()) };
    Ok(Picture { png, width, height, cut_from: None })
}
