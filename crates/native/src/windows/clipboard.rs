//! The clipboard. What is put there is the system's from then on, and stays.

use std::num::NonZeroU32;

use clipboard_win::{Clipboard, EnumFormats, formats, raw};

use super::screen;
use crate::{Clip, Copied, MOST, Result, Trouble, pixels::Pixels};

/// How often is tried while another program has it open, a few milliseconds after each other.
const ATTEMPTS: usize = 20;

fn open() -> Result<Clipboard> {
    Clipboard::new_attempts(ATTEMPTS).map_err(|_| Trouble::ClipboardBusy)
}

/// The form in which programs pass PNG files around.
fn png() -> Option<u32> {
    raw::register_format("PNG").map(NonZeroU32::get)
}

pub fn read_clipboard() -> Result<Clip> {
    let _open = open()?;
    let has = raw::is_format_avail;
    if has(formats::CF_UNICODETEXT) {
        must_fit(formats::CF_UNICODETEXT)?;
        let mut text = Vec::new();
        raw::get_string(&mut text).map_err(|_| Trouble::Refused("give the text on the clipboard"))?;
        return Ok(Clip::Text(String::from_utf8_lossy(&text).into_owned()));
    }
    if let Some(png) = png().filter(|png| has(*png)) {
        must_fit(png)?;
        let mut file = Vec::new();
        raw::get_vec(png, &mut file).map_err(|_| Trouble::Refused("give the picture on the clipboard"))?;
        return Ok(Clip::Png(file));
    }
    if has(formats::CF_BITMAP) {
        return picture().map(Clip::Pixels);
    }
    let forms: Vec<String> = EnumFormats::new().take(50).map(name).collect();
    Ok(if forms.is_empty() { Clip::Empty } else { Clip::Other(forms) })
}

fn must_fit(format: u32) -> Result<()> {
    if raw::size(format).is_some_and(|size| size.get() > MOST) {
        Err(Trouble::TooLarge(MOST))
    } else {
        Ok(())
    }
}

fn name(format: u32) -> String {
    raw::format_name_big(format).unwrap_or_else(|| format!("format {format}"))
}

/// The system makes a bitmap of whatever picture there is, and we take its pixels.
#[allow(unsafe_code)]
fn picture() -> Result<Pixels> {
    use windows_sys::Win32::Graphics::Gdi::{BITMAP, GetObjectW};
    let refused = || Trouble::Refused("give the picture on the clipboard");
    let bitmap = raw::get_clipboard_data(formats::CF_BITMAP).map_err(|_| refused())?.as_ptr();
    let mut about = BITMAP::default();
    let size = i32::try_from(size_of::<BITMAP>()).unwrap_or_default();
    // SAFETY: the clipboard is open, so the bitmap stays; `about` has room for the `size` bytes that are written.
    let told = unsafe { GetObjectW(bitmap, size, (&raw mut about).cast()) };
    if told == 0 {
        return Err(refused());
    }
    let pixels = i64::from(about.bmWidth) * i64::from(about.bmHeight);
    if usize::try_from(pixels).is_ok_and(|pixels| pixels > MOST) {
        return Err(Trouble::TooLarge(MOST));
    }
    screen::pixels_of(bitmap, about.bmWidth, about.bmHeight)
}

pub fn write_text(text: &str) -> Result<()> {
    let _open = open()?;
    raw::set_string(text).map_err(|_| Trouble::Refused("take the text"))
}

/// As a PNG file, and as what every program takes.
pub fn write_picture(copied: Copied<'_>) -> Result<()> {
    let refused = || Trouble::Refused("take the picture");
    let dib = copied.pixels.dib().ok_or_else(refused)?;
    let _open = open()?;
    raw::set(formats::CF_DIB, &dib).map_err(|_| refused())?;
    if let Some(png) = png() {
        raw::set_without_clear(png, copied.png).map_err(|_| refused())?;
    }
    Ok(())
}

pub fn clear_clipboard() -> Result<()> {
    let _open = open()?;
    raw::empty().map_err(|_| Trouble::Refused("empty the clipboard"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[ignore = "it takes over the clipboard"]
    fn pictures_of_programs_that_know_no_png_are_read() {
        let rgb = (0..3 * 5 * 3).map(|n| n * 5).collect();
        let pixels = Pixels { width: 3, height: 5, rgb };
        {
            let _open = open().unwrap();
            raw::set(formats::CF_DIB, &pixels.dib().unwrap()).unwrap();
        }
        assert_eq!(read_clipboard().unwrap(), Clip::Pixels(pixels));
        let other = raw::register_format("Something of ours").unwrap().get();
        {
            let _open = open().unwrap();
            raw::set(other, b"bytes").unwrap();
        }
        assert_eq!(read_clipboard().unwrap(), Clip::Other(vec!["Something of ours".to_owned()]));
    }
}
