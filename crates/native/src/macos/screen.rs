//! Screens, and what is on them.

use objc2_core_foundation::{CFRetained, CGPoint, CGRect, CGSize};
use objc2_core_graphics::{
    CGDataProvider, CGDisplayBounds, CGError, CGGetActiveDisplayList, CGImage, CGImageByteOrderInfo,
    CGMainDisplayID, CGWindowImageOption, CGWindowListOption, kCGNullWindowID,
};

use super::must_have;
use crate::{Permission, Place, Result, Screen, Trouble, pixels::Pixels};

/// The first one first. Places are in points, as all places are here.
#[allow(unsafe_code)]
pub fn screens() -> Result<Vec<Screen>> {
    const MOST: u32 = 32;
    let (mut ids, mut count) = ([0; MOST as usize], 0);
    // SAFETY: there is room for as many as are asked for.
    let told = unsafe { CGGetActiveDisplayList(MOST, ids.as_mut_ptr(), &raw mut count) };
    if told != CGError::Success {
        return Err(Trouble::Refused("list the screens"));
    }
    let main = CGMainDisplayID();
    let screen = |id: &u32| Screen {
        name: format!("display-{id}"),
        primary: *id == main,
        place: place(CGDisplayBounds(*id)),
    };
    let mut screens: Vec<Screen> = ids.iter().take(count as usize).map(screen).collect();
    screens.sort_by_key(|screen| !screen.primary);
    Ok(screens)
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // points, far below the limits
pub(super) fn place(rect: CGRect) -> Place {
    let (at, size) = (rect.origin, rect.size);
    let (x, y) = (at.x.round() as i32, at.y.round() as i32);
    Place { x, y, width: size.width.round() as u32, height: size.height.round() as u32 }
}

/// A part of the desktop, one pixel for each point: so places in the picture are places on the screen.
pub fn capture(part: Place) -> Result<Pixels> {
    must_have(Permission::ScreenRecording)?;
    let refused = || Trouble::Refused("read the screen");
    let rect = CGRect {
        origin: CGPoint { x: part.x.into(), y: part.y.into() },
        size: CGSize { width: part.width.into(), height: part.height.into() },
    };
    let image = image(rect).ok_or_else(refused)?;
    let image = Some(&*image);
    let is_known = CGImage::bits_per_pixel(image) == 32
        && CGImage::byte_order_info(image) == CGImageByteOrderInfo::Order32Little;
    if !is_known {
        return Err(Trouble::Refused("give pixels of a kind that is known"));
    }
    let data = CGDataProvider::data(CGImage::data_provider(image).as_deref()).ok_or_else(refused)?;
    let size = |length: usize| u32::try_from(length).map_err(|_| refused());
    let (width, height) = (size(CGImage::width(image))?, size(CGImage::height(image))?);
    Pixels::from_bgrx(width, height, CGImage::bytes_per_row(image), &data.to_vec()).ok_or_else(refused)
}

/// Apple wants programs to use ScreenCaptureKit, which has its own threads and callbacks; this is still there.
#[allow(deprecated)]
fn image(rect: CGRect) -> Option<CFRetained<CGImage>> {
    objc2_core_graphics::CGWindowListCreateImage(
        rect,
        CGWindowListOption::OptionOnScreenOnly,
        kCGNullWindowID,
        CGWindowImageOption::NominalResolution,
    )
}
