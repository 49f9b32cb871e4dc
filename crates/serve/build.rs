//! The web page is built into the program from `web/dist`. Where it was not built yet there is an empty folder, and the
//! server says so to whoever asks for the page.

use std::{fs, io, path::Path};

fn main() -> io::Result<()> {
    let dist = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/dist");
    fs::create_dir_all(&dist)?;
    println!("cargo::rerun-if-changed={}", dist.display());
    Ok(())
}
