//! Pixels as the systems lay them out.

/// Pixels, row by row from the top, three bytes each: red, green, blue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pixels {
    pub width: u32,
    pub height: u32,
    pub rgb: Vec<u8>,
}

impl Pixels {
    /// From rows of blue, green, red and a byte that counts for nothing, each row `stride` bytes after the last. `None`
    /// where there are fewer bytes than that.
    pub fn from_bgrx(width: u32, height: u32, stride: usize, bytes: &[u8]) -> Option<Self> {
        let (columns, rows) = (width as usize, height as usize);
        let line = columns.checked_mul(4)?;
        let last = stride.checked_mul(rows.checked_sub(1)?)?;
        if columns == 0 || stride < line || bytes.len() < last.checked_add(line)? {
            return None;
        }
        let mut rgb = Vec::with_capacity(columns * rows * 3);
        for row in 0..rows {
            for pixel in bytes[row * stride..][..line].chunks_exact(4) {
                rgb.extend_from_slice(&[pixel[2], pixel[1], pixel[0]]);
            }
        }
        Some(Self { width, height, rgb })
    }

    /// As Windows passes pictures around (`CF_DIB`): a header, then rows from the bottom, each a multiple of four bytes.
    /// `None` where it is no picture, or too large to be described.
    pub fn dib(&self) -> Option<Vec<u8>> {
        const HEADER: u32 = 40;
        let line = (self.width as usize).checked_mul(3).filter(|line| *line > 0)?;
        if self.rgb.len() != line.checked_mul(self.height as usize)? {
            return None;
        }
        let size = u32::try_from(line.next_multiple_of(4) * self.height as usize).ok()?;
        let mut dib = Vec::with_capacity((HEADER + size) as usize);
        dib.extend(HEADER.to_le_bytes());
        dib.extend(i32::try_from(self.width).ok()?.to_le_bytes());
        dib.extend(i32::try_from(self.height).ok()?.to_le_bytes());
        dib.extend(1u16.to_le_bytes());
        dib.extend(24u16.to_le_bytes());
        dib.extend(0u32.to_le_bytes());
        dib.extend(size.to_le_bytes());
        // Pixels per metre and the colours of a palette: not said.
        dib.extend([0; 16]);
        for row in self.rgb.chunks_exact(line).rev() {
            dib.extend(row.chunks_exact(3).flat_map(|pixel| [pixel[2], pixel[1], pixel[0]]));
            dib.resize(dib.len().next_multiple_of(4), 0);
        }
        Some(dib)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_whatever_lies_between_them() {
        let bytes = [3, 2, 1, 0, 9, 9, 9, 9, 6, 5, 4, 255];
        let read = Pixels::from_bgrx(1, 2, 8, &bytes);
        assert_eq!(read, Some(Pixels { width: 1, height: 2, rgb: vec![1, 2, 3, 4, 5, 6] }));
        for (width, height, stride, length) in [(1, 2, 8, 11), (2, 1, 4, 12), (0, 1, 4, 12), (1, 0, 4, 12)] {
            assert_eq!(Pixels::from_bgrx(width, height, stride, &bytes[..length]), None);
        }
        assert_eq!(Pixels::from_bgrx(u32::MAX, u32::MAX, usize::MAX, &bytes), None);
    }

    #[test]
    fn a_picture_for_windows_begins_at_the_bottom() {
        let pixels = Pixels { width: 1, height: 2, rgb: vec![1, 2, 3, 4, 5, 6] };
        let dib = pixels.dib().unwrap();
        assert_eq!(dib[..4], 40u32.to_le_bytes());
        assert_eq!(dib[14..16], 24u16.to_le_bytes());
        // After a header of 40 bytes, and rows of four.
        assert_eq!(dib[40..], [6, 5, 4, 0, 3, 2, 1, 0]);
        assert_eq!(Pixels { width: 2, ..pixels.clone() }.dib(), None);
        assert_eq!(Pixels { width: 0, height: 0, rgb: Vec::new() }.dib(), None);
    }
}
