//! Archives made byte by byte, so that they can lie.

/// An entry, and what its headers say of it.
#[derive(Clone)]
pub struct Raw {
    pub name: Vec<u8>,
    pub data: Vec<u8>,
    /// The size that it is said to have.
    pub size: u32,
    /// The size that its data is said to have in the archive.
    pub packed: u32,
    pub sum: u32,
    pub method: u16,
    pub flags: u16,
    /// 3 for Unix, 0 for DOS.
    pub system: u8,
    pub attributes: u32,
    pub extra: Vec<u8>,
    /// Where its header is said to be, if not where it is.
    pub at: Option<u32>,
}

impl Raw {
    /// A file that is as it says.
    pub fn file(name: impl AsRef<[u8]>, data: &[u8]) -> Self {
        let size = u32::try_from(data.len()).unwrap();
        Self {
            name: name.as_ref().to_vec(),
            data: data.to_vec(),
            size,
            packed: size,
            sum: crc32(data),
            method: 0,
            flags: 0,
            system: 3,
            attributes: 0o100_644 << 16,
            extra: Vec::new(),
            at: None,
        }
    }

    fn header(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for field in [20, self.flags, self.method, 0x6000, 0x5a21] {
            out.extend(field.to_le_bytes());
        }
        for field in [self.sum, self.packed, self.size] {
            out.extend(field.to_le_bytes());
        }
        out.extend(u16::try_from(self.name.len()).unwrap().to_le_bytes());
        out.extend(u16::try_from(self.extra.len()).unwrap().to_le_bytes());
        out
    }
}

pub fn archive(entries: &[Raw]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for entry in entries {
        let at = entry.at.unwrap_or(u32::try_from(out.len()).unwrap());
        out.extend(b"PK\x03\x04");
        out.extend(entry.header());
        out.extend(&entry.name);
        out.extend(&entry.extra);
        out.extend(&entry.data);
        directory.extend(b"PK\x01\x02");
        directory.extend([20, entry.system]);
        directory.extend(entry.header());
        // No comment, no other disk, no inner attributes.
        directory.extend([0; 6]);
        directory.extend(entry.attributes.to_le_bytes());
        directory.extend(at.to_le_bytes());
        directory.extend(&entry.name);
        directory.extend(&entry.extra);
    }
    let count = u16::try_from(entries.len()).unwrap().to_le_bytes();
    let (start, size) = (u32::try_from(out.len()).unwrap(), u32::try_from(directory.len()).unwrap());
    out.extend(directory);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend(count);
    out.extend(count);
    out.extend(size.to_le_bytes());
    out.extend(start.to_le_bytes());
    out.extend([0; 2]);
    out
}

pub fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, byte| {
        (0..8)
            .fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (0xedb8_8320 & (!(crc & 1)).wrapping_add(1)))
    })
}
