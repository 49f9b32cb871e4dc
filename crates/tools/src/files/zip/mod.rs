//! ZIP archives: making them (`compress_files`) and taking them apart (`decompress_file`).
//!
//! An archive comes from anywhere, so nothing in it is believed: its names are read by [`names`], its
//! directory is checked as a whole by [`contents`] before anything is written, what it says of sizes is held
//! against [`limits`] then and once more while it is unpacked, and links in it are never made.

mod archive;
mod compress;
mod contents;
mod decompress;
mod gather;
mod limits;
mod names;
mod pack;
mod settle;
mod survey;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests;
mod times;
mod unpack;

pub(super) use self::{compress::CompressFiles, decompress::DecompressFile};

/// How many lines of a preview, and names in a result, are worth reading.
const SHOWN: usize = 50;

/// The first lines, and how many there are besides.
fn first_lines(lines: impl ExactSizeIterator<Item = String>) -> String {
    let total = lines.len();
    let mut text: String = lines.take(SHOWN).map(|line| line + "\n").collect();
    if total > SHOWN {
        text += &format!("… and {} more\n", total - SHOWN);
    }
    text
}
