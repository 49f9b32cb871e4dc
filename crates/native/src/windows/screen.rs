//! Screens, and what is on them.
#![allow(unsafe_code)] // the calls of the system

use std::ptr;

use windows_sys::{
    Win32::{
        Foundation::{LPARAM, RECT},
        Graphics::Gdi::{
            BITMAPINFO, BITMAPINFOHEADER, BitBlt, CAPTUREBLT, CreateCompatibleBitmap, CreateCompatibleDC,
            DIB_RGB_COLORS, DeleteDC, DeleteObject, EnumDisplayMonitors, GetDC, GetDIBits, GetMonitorInfoW,
            HBITMAP, HDC, HMONITOR, MONITORINFO, MONITORINFOEXW, ReleaseDC, SRCCOPY, SelectObject,
        },
        UI::WindowsAndMessaging::MONITORINFOF_PRIMARY,
    },
    core::BOOL,
};

use super::{count_real_pixels, list::rect, text};
use crate::{Place, Result, Screen, Trouble, pixels::Pixels};

/// The first one first.
pub fn screens() -> Result<Vec<Screen>> {
    count_real_pixels();
    let mut monitors: Vec<HMONITOR> = Vec::new();
    let place = (&raw mut monitors) as LPARAM;
    // SAFETY: `add` is called only until this returns, with `place`, which is `monitors`, and no other use is made of it.
    if unsafe { EnumDisplayMonitors(ptr::null_mut(), ptr::null(), Some(add), place) } == 0 {
        return Err(Trouble::Refused("list the screens"));
    }
    let mut screens: Vec<Screen> = monitors.into_iter().filter_map(screen).collect();
    screens.sort_by_key(|screen| !screen.primary);
    Ok(screens)
}

/// Called for every screen.
unsafe extern "system" fn add(monitor: HMONITOR, _: HDC, _: *mut RECT, place: LPARAM) -> BOOL {
    // SAFETY: `place` is the list that `screens` passed, which waits until the last call is over.
    let monitors = unsafe { &mut *(place as *mut Vec<HMONITOR>) };
    monitors.push(monitor);
    1
}

fn screen(monitor: HMONITOR) -> Option<Screen> {
    let mut info = MONITORINFOEXW::default();
    info.monitorInfo.cbSize = u32::try_from(size_of::<MONITORINFOEXW>()).ok()?;
    let place: *mut MONITORINFO = (&raw mut info).cast();
    // SAFETY: the size says that it is the longer form, and so it is.
    if unsafe { GetMonitorInfoW(monitor, place) } == 0 {
        return None;
    }
    let length = info.szDevice.iter().position(|unit| *unit == 0).unwrap_or(info.szDevice.len());
    // `\\.\DISPLAY1`
    let name = text(&info.szDevice, length).trim_start_matches(['\\', '.']).to_owned();
    let primary = info.monitorInfo.dwFlags & MONITORINFOF_PRIMARY != 0;
    Some(Screen { name, primary, place: rect(info.monitorInfo.rcMonitor) })
}

/// What can be drawn on, and is let go of when this is dropped.
struct Canvas {
    screen: HDC,
    memory: HDC,
}

impl Canvas {
    fn new() -> Result<Self> {
        let refused = Trouble::Refused("read the screen");
        // SAFETY: they give something of ours or nothing, which is looked at.
        let screen = unsafe { GetDC(ptr::null_mut()) };
        if screen.is_null() {
            return Err(refused);
        }
        let memory = unsafe { CreateCompatibleDC(screen) };
        let canvas = Self { screen, memory };
        if memory.is_null() { Err(refused) } else { Ok(canvas) }
    }
}

impl Drop for Canvas {
    fn drop(&mut self) {
        // SAFETY: both are ours, and let go of once.
        unsafe {
            DeleteDC(self.memory);
            ReleaseDC(ptr::null_mut(), self.screen);
        }
    }
}

/// A bitmap of ours.
struct Bitmap(HBITMAP);

impl Drop for Bitmap {
    fn drop(&mut self) {
        // SAFETY: it is ours, and let go of once.
        unsafe { DeleteObject(self.0) };
    }
}

/// The pixels of a part of the desktop.
pub fn capture(part: Place) -> Result<Pixels> {
    count_real_pixels();
    let refused = || Trouble::Refused("read the screen");
    let size = |length: u32| i32::try_from(length).map_err(|_| refused());
    let (width, height) = (size(part.width)?, size(part.height)?);
    let canvas = Canvas::new()?;
    // SAFETY: the canvas is held until the end; the bitmap is looked at before it is used, and taken out of the canvas
    // again before anything reads it or lets go of it.
    let bitmap = Bitmap(unsafe { CreateCompatibleBitmap(canvas.screen, width, height) });
    if bitmap.0.is_null() {
        return Err(refused());
    }
    let drawn = unsafe {
        let before = SelectObject(canvas.memory, bitmap.0);
        let how = SRCCOPY | CAPTUREBLT;
        let drawn = BitBlt(canvas.memory, 0, 0, width, height, canvas.screen, part.x, part.y, how);
        SelectObject(canvas.memory, before);
        drawn
    };
    if drawn == 0 {
        return Err(refused());
    }
    read(&canvas, bitmap.0, width, height)
}

/// The pixels of a bitmap of any kind.
pub(super) fn pixels_of(bitmap: HBITMAP, width: i32, height: i32) -> Result<Pixels> {
    read(&Canvas::new()?, bitmap, width, height)
}

fn read(canvas: &Canvas, bitmap: HBITMAP, width: i32, height: i32) -> Result<Pixels> {
    let refused = || Trouble::Refused("give the pixels of a picture");
    let (columns, rows) = (width.cast_unsigned(), height.cast_unsigned());
    if width <= 0 || height <= 0 {
        return Err(refused());
    }
    let mut info = BITMAPINFO {
        bmiHeader: BITMAPINFOHEADER {
            biSize: u32::try_from(size_of::<BITMAPINFOHEADER>()).unwrap_or_default(),
            biWidth: width,
            // From the top.
            biHeight: -height,
            biPlanes: 1,
            biBitCount: 32,
            ..BITMAPINFOHEADER::default()
        },
        ..BITMAPINFO::default()
    };
    let stride = columns as usize * 4;
    let mut bytes = vec![0u8; stride * rows as usize];
    // SAFETY: `bytes` has room for as many rows of four bytes per pixel as are asked for.
    let read = unsafe {
        GetDIBits(canvas.screen, bitmap, 0, rows, bytes.as_mut_ptr().cast(), &raw mut info, DIB_RGB_COLORS)
    };
    if read != height {
        return Err(refused());
    }
    Pixels::from_bgrx(columns, rows, stride, &bytes).ok_or_else(refused)
}
