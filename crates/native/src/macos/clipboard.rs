//! The pasteboard. What is put there is the system's from then on, and stays.
#![allow(unsafe_code)] // names of forms are statics of the system

use objc2::rc::{Retained, autoreleasepool};
use objc2_app_kit::{
    NSBitmapImageFileType, NSBitmapImageRep, NSPasteboard, NSPasteboardTypePNG, NSPasteboardTypeString,
    NSPasteboardTypeTIFF,
};
use objc2_foundation::{NSData, NSDictionary, NSString};

use crate::{Clip, Copied, MOST, Result, Trouble};

// SAFETY, for all names of forms here: they are constants of a framework that this program is linked with.

pub fn read_clipboard() -> Result<Clip> {
    autoreleasepool(|_| {
        let board = NSPasteboard::generalPasteboard();
        if let Some(text) = board.stringForType(unsafe { NSPasteboardTypeString }) {
            return if text.len() > MOST {
                Err(Trouble::TooLarge(MOST))
            } else {
                Ok(Clip::Text(text.to_string()))
            };
        }
        if let Some(png) = board.dataForType(unsafe { NSPasteboardTypePNG }) {
            return bytes(&png).map(Clip::Png);
        }
        if let Some(tiff) = board.dataForType(unsafe { NSPasteboardTypeTIFF }) {
            return bytes(&*png_of(&tiff).ok_or(Trouble::Refused("read the picture on the clipboard"))?)
                .map(Clip::Png);
        }
        let forms = board.types().map(|types| types.iter().take(50).map(|form| form.to_string()).collect());
        Ok(match forms {
            Some(forms) if !Vec::is_empty(&forms) => Clip::Other(forms),
            _ => Clip::Empty,
        })
    })
}

fn bytes(data: &NSData) -> Result<Vec<u8>> {
    if data.len() > MOST { Err(Trouble::TooLarge(MOST)) } else { Ok(data.to_vec()) }
}

/// What macOS itself copies is TIFF.
fn png_of(tiff: &NSData) -> Option<Retained<NSData>> {
    let picture = NSBitmapImageRep::imageRepWithData(tiff)?;
    // SAFETY: no properties are given.
    unsafe { picture.representationUsingType_properties(NSBitmapImageFileType::PNG, &NSDictionary::new()) }
}

pub fn write_text(text: &str) -> Result<()> {
    autoreleasepool(|_| {
        let board = NSPasteboard::generalPasteboard();
        board.clearContents();
        let taken = board.setString_forType(&NSString::from_str(text), unsafe { NSPasteboardTypeString });
        if taken { Ok(()) } else { Err(Trouble::Refused("take the text")) }
    })
}

/// As a PNG file, which programs here take.
pub fn write_picture(copied: Copied<'_>) -> Result<()> {
    autoreleasepool(|_| {
        let board = NSPasteboard::generalPasteboard();
        board.clearContents();
        let file = NSData::with_bytes(copied.png);
        let taken = board.setData_forType(Some(&file), unsafe { NSPasteboardTypePNG });
        if taken { Ok(()) } else { Err(Trouble::Refused("take the picture")) }
    })
}

pub fn clear_clipboard() -> Result<()> {
    autoreleasepool(|_| NSPasteboard::generalPasteboard().clearContents());
    Ok(())
}
