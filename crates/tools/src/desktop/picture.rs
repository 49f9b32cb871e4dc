//! A picture of the screen: its pixels, as a file, and small enough to show to a model.

use std::io::Cursor;

use base64::{Engine, engine::general_purpose::STANDARD};
use deskhand_core::{Image, ToolError, ToolResult};

/// Pixels, row by row from the top, three bytes each: red, green, blue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    pub width: u32,
    pub height: u32,
    pub rgb: Vec<u8>,
}

/// A preview is at most so wide, and a file of at most so many bytes.
const PREVIEW_WIDTH: u32 = 1280;
const PREVIEW_HEIGHT: u32 = 1600;
const PREVIEW_BYTES: usize = 200 * 1024;
/// A picture that is read has at most so many pixels: a small file can claim to be huge.
const MOST_PIXELS: u64 = 64 << 20;

impl Picture {
    /// As a PNG file; quickly made rather than small.
    pub fn png(&self) -> ToolResult<Vec<u8>> {
        self.encode(png::Compression::Fast)
    }

    fn encode(&self, compression: png::Compression) -> ToolResult<Vec<u8>> {
        let failed = |error: png::EncodingError| {
            ToolError::new("picture_not_written", format!("The picture cannot be written as PNG: {error}."))
        };
        let mut file = Vec::with_capacity(self.rgb.len() / 8);
        let mut encoder = png::Encoder::new(&mut file, self.width, self.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_compression(compression);
        let mut writer = encoder.write_header().map_err(failed)?;
        writer.write_image_data(&self.rgb).map_err(failed)?;
        writer.finish().map_err(failed)?;
        Ok(file)
    }

    /// Reads a PNG file.
    pub fn read(file: &[u8]) -> ToolResult<Self> {
        let failed = |error: png::DecodingError| {
            ToolError::new("picture_not_read", format!("That is no PNG picture that can be read: {error}."))
        };
        let mut decoder = png::Decoder::new(Cursor::new(file));
        decoder.set_transformations(png::Transformations::normalize_to_color8());
        let mut reader = decoder.read_info().map_err(failed)?;
        let (width, height) = reader.info().size();
        let size =
            reader.output_buffer_size().filter(|_| u64::from(width) * u64::from(height) <= MOST_PIXELS);
        let Some(size) = size else {
            return Err(ToolError::new(
                "picture_too_large",
                format!("A picture of {width}×{height} is too large."),
            ));
        };
        let mut pixels = vec![0; size];
        let frame = reader.next_frame(&mut pixels).map_err(failed)?;
        pixels.truncate(frame.buffer_size());
        let rgb = match frame.color_type {
            png::ColorType::Rgb => pixels,
            png::ColorType::Rgba => {
                pixels.chunks_exact(4).flat_map(|p| over_white(p[0], p[1], p[2], p[3])).collect()
            }
            png::ColorType::GrayscaleAlpha => {
                pixels.chunks_exact(2).flat_map(|p| over_white(p[0], p[0], p[0], p[1])).collect()
            }
            _ => pixels.iter().flat_map(|grey| [*grey; 3]).collect(),
        };
        Ok(Self { width, height, rgb })
    }

    /// What a model is shown: no wider than it looks at anyway, and in few bytes. What does not fit is made smaller.
    pub fn preview(&self) -> ToolResult<Image> {
        let fits = |picture: &Self| picture.width <= PREVIEW_WIDTH && picture.height <= PREVIEW_HEIGHT;
        let mut width = PREVIEW_WIDTH.min(self.width);
        if self.height > PREVIEW_HEIGHT {
            let scaled = u64::from(self.width) * u64::from(PREVIEW_HEIGHT) / u64::from(self.height);
            width = width.min(u32::try_from(scaled).unwrap_or(width).max(1));
        }
        let mut small = if fits(self) { self.clone() } else { self.shrunk(width) };
        loop {
            let file = small.encode(png::Compression::Fast)?;
            if file.len() <= PREVIEW_BYTES || small.width <= 64 {
                return Ok(Image { mime: "image/png".to_owned(), base64: STANDARD.encode(file) });
            }
            // Half again as many bytes are saved for every fifth of the width.
            width = (width * 3 / 4).max(64);
            small = self.shrunk(width);
        }
    }

    /// The same, so wide: every new pixel is the mean of those that it stands for.
    fn shrunk(&self, width: u32) -> Self {
        let height = u64::from(self.height) * u64::from(width) / u64::from(self.width.max(1));
        let height = u32::try_from(height).unwrap_or(u32::MAX).max(1);
        let (from, to) = ((self.width as usize, self.height as usize), (width as usize, height as usize));
        let columns: Vec<(usize, usize)> = (0..to.0).map(|x| share(x, to.0, from.0)).collect();
        let mut rgb = Vec::with_capacity(to.0 * to.1 * 3);
        for y in 0..to.1 {
            let (top, bottom) = share(y, to.1, from.1);
            for &(left, right) in &columns {
                let mut sums = [0u32; 3];
                for row in top..bottom {
                    let start = row * from.0;
                    for pixel in self.rgb[(start + left) * 3..(start + right) * 3].chunks_exact(3) {
                        sums[0] += u32::from(pixel[0]);
                        sums[1] += u32::from(pixel[1]);
                        sums[2] += u32::from(pixel[2]);
                    }
                }
                let count = u32::try_from((bottom - top) * (right - left)).unwrap_or(1).max(1);
                rgb.extend(sums.map(|sum| u8::try_from(sum / count).unwrap_or(u8::MAX)));
            }
        }
        Self { width, height, rgb }
    }
}

/// The old columns that the new one stands for: at least one.
fn share(at: usize, new: usize, old: usize) -> (usize, usize) {
    let start = at * old / new;
    (start, ((at + 1) * old / new).max(start + 1))
}

/// A pixel that lets something through, on white.
fn over_white(red: u8, green: u8, blue: u8, alpha: u8) -> [u8; 3] {
    let alpha = u16::from(alpha);
    [red, green, blue].map(|colour| {
        let mixed = (u16::from(colour) * alpha + 255 * (255 - alpha)) / 255;
        u8::try_from(mixed).unwrap_or(u8::MAX)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(width: u32, height: u32) -> Picture {
        let mut state = 1u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state.to_be_bytes()[0]
        };
        let rgb = (0..width * height * 3).map(|_| next()).collect();
        Picture { width, height, rgb }
    }

    #[test]
    fn what_is_written_is_read_again() {
        for (width, height) in [(1, 1), (3, 2), (64, 40)] {
            let picture = noise(width, height);
            assert_eq!(Picture::read(&picture.png().unwrap()).unwrap(), picture);
        }
        assert_eq!(Picture::read(b"no picture").unwrap_err().code, "picture_not_read");
    }

    #[test]
    fn a_preview_is_small_whatever_the_picture() {
        for picture in [noise(2000, 1000), noise(100, 4000), noise(10, 10)] {
            let image = picture.preview().unwrap();
            let file = STANDARD.decode(image.base64).unwrap();
            assert!(file.len() <= PREVIEW_BYTES, "{} bytes", file.len());
            let shown = Picture::read(&file).unwrap();
            assert!(shown.width <= PREVIEW_WIDTH.min(picture.width) && shown.height <= PREVIEW_HEIGHT);
        }
    }

    #[test]
    fn a_smaller_picture_has_the_mean_of_the_colours() {
        let rgb = [[0, 0, 0], [100, 200, 40], [10, 10, 10], [30, 30, 30]].concat();
        let picture = Picture { width: 4, height: 1, rgb };
        assert_eq!(picture.shrunk(2).rgb, [50, 100, 20, 20, 20, 20]);
    }
}
