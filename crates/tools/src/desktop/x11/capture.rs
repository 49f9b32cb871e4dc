//! Reading the screen.

use std::{fs::File, os::unix::fs::FileExt};

use deskhand_core::ToolError;
use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
use x11rb::{
    connection::{Connection, RequestConnection},
    protocol::{
        randr::{self, ConnectionExt as _},
        shm::{self, ConnectionExt as _},
        xproto::{ConnectionExt, ImageFormat, ImageOrder, Screen, Visualtype},
    },
};

use super::{
    X,
    trouble::{Trouble, Xr, if_there},
};
use crate::desktop::{backend::Monitor, picture::Picture, window::Rect};

const ALL_PLANES: u32 = u32::MAX;

impl X {
    /// The screens that make up the desktop, the first one first.
    pub fn monitors(&self) -> Xr<Vec<Monitor>> {
        let mut monitors = Vec::new();
        if self.connection.extension_information(randr::X11_EXTENSION_NAME)?.is_some() {
            let reply = if_there(self.connection.randr_get_monitors(self.root, true)?.reply())?;
            for info in reply.map(|reply| reply.monitors).unwrap_or_default() {
                let name = if_there(self.connection.get_atom_name(info.name)?.reply())?;
                let name =
                    name.map(|reply| String::from_utf8_lossy(&reply.name).into_owned()).unwrap_or_default();
                let (x, y) = (info.x.into(), info.y.into());
                let place = Rect { x, y, width: info.width.into(), height: info.height.into() };
                monitors.push(Monitor { name, primary: info.primary, place });
            }
        }
        if monitors.is_empty() {
            monitors.push(Monitor { name: "screen".to_owned(), primary: true, place: self.screen() });
        }
        Ok(monitors)
    }

    /// The pixels of a part of the screen, all of which must be on it.
    pub fn capture(&self, part: Rect) -> Xr<Picture> {
        let outside = || ToolError::invalid("region_outside", format!("{part} is not on the screen."));
        let (Ok(x), Ok(y)) = (i16::try_from(part.x), i16::try_from(part.y)) else {
            return Err(outside().into());
        };
        let (Ok(width), Ok(height)) = (u16::try_from(part.width), u16::try_from(part.height)) else {
            return Err(outside().into());
        };
        let pixels = if let Some(pixels) = self.shared(x, y, width, height)? {
            pixels
        } else {
            let format = ImageFormat::Z_PIXMAP;
            self.connection.get_image(format, self.root, x, y, width, height, ALL_PLANES)?.reply()?.data
        };
        let rgb = self.colours()?.rgb(&pixels, part)?;
        Ok(Picture { width: part.width, height: part.height, rgb })
    }

    /// By memory that the server writes into and we read as a file: what goes through the connection costs more. `None`
    /// where the server is elsewhere or does not do that.
    fn shared(&self, x: i16, y: i16, width: u16, height: u16) -> Xr<Option<Vec<u8>>> {
        if self.connection.extension_information(shm::X11_EXTENSION_NAME)?.is_none() {
            return Ok(None);
        }
        let bytes = usize::from(width) * usize::from(height) * 4;
        let Ok(memory) = memfd_create("deskhand-screen", MemfdFlags::CLOEXEC) else { return Ok(None) };
        let (Ok(()), Ok(theirs)) = (ftruncate(&memory, bytes as u64), memory.try_clone()) else {
            return Ok(None);
        };
        let segment = self.connection.generate_id()?;
        let c = &self.connection;
        if if_there(c.shm_attach_fd(segment, theirs, false)?.check())?.is_none() {
            return Ok(None);
        }
        let format = u8::from(ImageFormat::Z_PIXMAP);
        let image = c.shm_get_image(self.root, x, y, width, height, ALL_PLANES, format, segment, 0)?;
        let got = if_there(image.reply())?;
        c.shm_detach(segment)?.check()?;
        let Some(got) = got else { return Ok(None) };
        let mut pixels = vec![0; bytes.min(got.size as usize)];
        let read = File::from(memory).read_exact_at(&mut pixels, 0);
        Ok(read.is_ok().then_some(pixels))
    }

    /// How pixels of the root window are laid out.
    fn colours(&self) -> Xr<Layout> {
        let setup = self.connection.setup();
        let unknown =
            || {
                let error =
                    ToolError::new("display_cannot", "The display has pixels of a kind that is not known.");
                Trouble(error.hint(
                    "It takes a display of 16, 24 or 32 bits per pixel (`Xvfb -screen 0 1280x800x24`).",
                ))
            };
        let screen = setup.roots.iter().find(|screen| screen.root == self.root).ok_or_else(unknown)?;
        let format = setup
            .pixmap_formats
            .iter()
            .find(|format| format.depth == screen.root_depth)
            .ok_or_else(unknown)?;
        let visual = visual_of(screen).ok_or_else(unknown)?;
        let bits = usize::from(format.bits_per_pixel);
        if !matches!(bits, 16 | 24 | 32) {
            return Err(unknown());
        }
        Ok(Layout {
            bytes: bits / 8,
            pad: usize::from(format.scanline_pad) / 8,
            low_first: setup.image_byte_order == ImageOrder::LSB_FIRST,
            masks: [visual.red_mask, visual.green_mask, visual.blue_mask],
        })
    }
}

fn visual_of(screen: &Screen) -> Option<Visualtype> {
    let visuals = screen.allowed_depths.iter().flat_map(|depth| &depth.visuals);
    visuals.copied().find(|visual| visual.visual_id == screen.root_visual)
}

/// How a pixel is written.
struct Layout {
    /// Of one pixel.
    bytes: usize,
    /// Rows begin at multiples of this.
    pad: usize,
    low_first: bool,
    masks: [u32; 3],
}

impl Layout {
    fn rgb(&self, pixels: &[u8], part: Rect) -> Xr<Vec<u8>> {
        let (width, height) = (part.width as usize, part.height as usize);
        let row = (width * self.bytes).next_multiple_of(self.pad.max(1));
        if pixels.len() < row * height {
            return Err(ToolError::new(
                "display_refused",
                "The display gave less of the picture than was asked for.",
            )
            .into());
        }
        let mut rgb = Vec::with_capacity(width * height * 3);
        let usual =
            self.bytes == 4 && self.low_first && self.masks == [0x00FF_0000, 0x0000_FF00, 0x0000_00FF];
        for line in pixels.chunks_exact(row).take(height) {
            let line = &line[..width * self.bytes];
            if usual {
                for pixel in line.chunks_exact(4) {
                    rgb.extend_from_slice(&[pixel[2], pixel[1], pixel[0]]);
                }
            } else {
                line.chunks_exact(self.bytes).for_each(|pixel| rgb.extend(self.colour(pixel)));
            }
        }
        Ok(rgb)
    }

    fn colour(&self, pixel: &[u8]) -> [u8; 3] {
        let add = |value: u32, byte: &u8| value << 8 | u32::from(*byte);
        let value = if self.low_first { pixel.iter().rev().fold(0, add) } else { pixel.iter().fold(0, add) };
        self.masks.map(|mask| {
            let most = mask >> mask.trailing_zeros().min(31);
            let part = (value & mask) >> mask.trailing_zeros().min(31);
            u8::try_from(u64::from(part) * 255 / u64::from(most.max(1))).unwrap_or(u8::MAX)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_of_every_layout_are_read() {
        let part = Rect { x: 0, y: 0, width: 1, height: 2 };
        let usual = [0x00FF_0000, 0x0000_FF00, 0x0000_00FF];
        for (bytes, low_first, masks, pixels) in [
            (4, true, usual, vec![3, 2, 1, 0, 6, 5, 4, 0]),
            (4, false, usual, vec![0, 1, 2, 3, 0, 4, 5, 6]),
            (4, true, [0xFF, 0xFF00, 0x00FF_0000], vec![1, 2, 3, 0, 4, 5, 6, 0]),
            (3, true, usual, vec![3, 2, 1, 0, 6, 5, 4, 0]),
        ] {
            let layout = Layout { bytes, pad: 4, low_first, masks };
            assert_eq!(layout.rgb(&pixels, part).unwrap(), [1, 2, 3, 4, 5, 6], "{bytes} {low_first}");
        }
        let short = Layout { bytes: 2, pad: 4, low_first: true, masks: [0xF800, 0x07E0, 0x001F] };
        assert_eq!(short.rgb(&[0x00, 0xF8, 0, 0, 0x1F, 0, 0, 0], part).unwrap(), [255, 0, 0, 0, 0, 255]);
        assert!(short.rgb(&[0; 4], part).is_err());
    }
}
