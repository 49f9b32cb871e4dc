//! Writing an archive, entry by entry, with never more of a file in memory than a piece.

use std::{
    cell::Cell,
    fs::File,
    io::{self, Read, Seek, SeekFrom, Write},
    rc::Rc,
};

use ::zip::{
    CompressionMethod, System, ZIP64_BYTES_THR, ZipWriter, result::ZipError, write::FullFileOptions,
};
use deskhand_core::{ToolError, ToolResult};
use deskhand_guard::Place;

use super::{
    gather::{Gathered, Item, Source, What},
    limits::Meter,
    names, times,
};

/// How much is packed between two looks at whether to stop.
const PIECE: usize = 256 * 1024;

/// Writes everything that was gathered into `file`.
pub fn pack(gathered: &Gathered, file: &mut File, output: &Place, meter: Meter<'_>) -> ToolResult<()> {
    let given_up = Rc::new(Cell::new(false));
    let zip = ZipWriter::new(Sink { file, given_up: Rc::clone(&given_up) });
    let mut packing = Packing { zip, output, meter, buffer: vec![0; PIECE] };
    let packed = gathered.items.iter().try_for_each(|item| packing.add(item, &gathered.sources));
    if let Err(error) = packed {
        given_up.set(true);
        return Err(error);
    }
    packing.zip.finish().map_err(|error| cannot_write(output, error)).map(|_| ())
}

/// What an archive is written to. A writer of archives that is dropped tries to finish; once something went
/// wrong, that comes to nothing, and is not complained about.
struct Sink<'f> {
    file: &'f mut File,
    given_up: Rc<Cell<bool>>,
}

impl Write for Sink<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.given_up.get() {
            return Ok(bytes.len());
        }
        let written = self.file.write(bytes);
        if written.as_ref().is_err_and(|error| error.kind() != io::ErrorKind::Interrupted) {
            self.given_up.set(true);
        }
        written
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for Sink<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

struct Packing<'a, 'f> {
    zip: ZipWriter<Sink<'f>>,
    output: &'a Place,
    meter: Meter<'a>,
    buffer: Vec<u8>,
}

impl Packing<'_, '_> {
    fn add(&mut self, item: &Item, sources: &[Source]) -> ToolResult<()> {
        let shown = names::shown(&String::from_utf8_lossy(&item.name));
        self.meter.add(0, &shown)?;
        match &item.what {
            What::Folder => self.start(item, 0),
            What::Link(target) => {
                self.start(item, 0)?;
                self.zip.write_all(target.as_bytes()).map_err(|error| self.output.io("write", &error))
            }
            What::File => {
                let mut file = open(item, sources)?;
                let size = file.metadata().map_err(|error| cannot_read(item, &error))?.len();
                self.start(item, size)?;
                self.content(item, &mut file, size, &shown)
            }
        }
    }

    /// Begins an entry. What is written next is its content.
    fn start(&mut self, item: &Item, size: u64) -> ToolResult<()> {
        let (kind, method, usual) = match item.what {
            What::File => (0o100_000, CompressionMethod::Deflated, 0o644),
            What::Folder => (0o040_000, CompressionMethod::Stored, 0o755),
            What::Link(_) => (0o120_000, CompressionMethod::Stored, 0o777),
        };
        let mode = item.mode.unwrap_or(usual) & 0o777;
        let mut options = FullFileOptions::default()
            .name(&item.name)
            .system(System::Unix)
            .external_attributes((kind | mode) << 16)
            .compression_method(method)
            // Sizes of more than 32 bits, with some room for what cannot be compressed.
            .large_file(size >= ZIP64_BYTES_THR / 2);
        if let Some(time) = item.modified {
            options = options.last_modified_time(times::to_dos(time));
            if let Some(times) = times::to_unix(time) {
                options
                    .add_extra_field(times::UNIX_TIMES, times, false)
                    .map_err(|e| cannot_write(self.output, e))?;
            }
        }
        self.zip.start_file_with_options(options).map_err(|error| cannot_write(self.output, error))
    }

    fn content(&mut self, item: &Item, file: &mut File, size: u64, shown: &str) -> ToolResult<()> {
        let mut left = size;
        while left > 0 {
            let most = usize::try_from(left).map_or(PIECE, |left| left.min(PIECE));
            let count = match file.read(&mut self.buffer[..most]) {
                Ok(0) => {
                    let message = format!("{} became shorter while it was read.", item.path.display());
                    return Err(
                        ToolError::new("file_changed", message).hint("Try again when nobody writes it.")
                    );
                }
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(cannot_read(item, &error)),
            };
            self.zip.write_all(&self.buffer[..count]).map_err(|error| self.output.io("write", &error))?;
            left -= count as u64;
            self.meter.add(count, shown)?;
        }
        Ok(())
    }
}

/// Opens a file through no link. What became something else since is an error.
fn open(item: &Item, sources: &[Source]) -> ToolResult<File> {
    let file = match sources.get(item.source) {
        Some(Source { tree: Some(tree), .. }) => {
            tree.open(&item.path).map_err(|error| cannot_read(item, &error))?
        }
        Some(Source { place, .. }) => place.open()?,
        None => return Err(cannot_read(item, &io::ErrorKind::NotFound.into())),
    };
    if file.metadata().is_ok_and(|meta| meta.is_file()) {
        return Ok(file);
    }
    Err(ToolError::plan_changed(format!("{} is not a file any more.", item.path.display())))
}

fn cannot_read(item: &Item, error: &io::Error) -> ToolError {
    ToolError::io("read", &item.path, error)
}

fn cannot_write(output: &Place, error: ZipError) -> ToolError {
    output.io("write", &error.into())
}
