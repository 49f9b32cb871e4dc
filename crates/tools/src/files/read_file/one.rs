//! Reading one file: what it is, the part that was asked for, as text.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    time::SystemTime,
};

use base64::{Engine, engine::general_purpose::STANDARD};
use deskhand_core::{Cx, Image, ToolError, ToolResult};
use deskhand_guard::{PathArg, PathsOf, Place};

use super::{
    FileRead, bytes, image,
    lines::{self, Blocks, Stop, Wanted},
    newline::Newline,
    part::{MOST, PAGE_CHARS, PAGE_LINES, Part, Request},
    tail,
};
use crate::files::encoding::{self, Format, SAMPLE, Sample};

/// The largest image that is handed over.
const MOST_IMAGE: u64 = 8 << 20;
/// What a line number takes in front of a line.
const NUMBER_CHARS: usize = 7;

pub(super) fn read(path: &PathArg, request: &Request, cx: &Cx) -> ToolResult<FileRead> {
    let place = cx.paths()?.readable(path)?;
    let file = place.open().map_err(|error| match error.code {
        "is_a_directory" => error.hint("list_dir lists a folder."),
        _ => error,
    })?;
    let failed = |error: io::Error| {
        cx.check().err().unwrap_or_else(|| match error.kind() {
            io::ErrorKind::UnexpectedEof => shrank(&place),
            _ => place.io("read", &error),
        })
    };
    let before = state(&file).map_err(failed)?;
    let sample = sample(&file, before.size).map_err(failed)?;
    cx.check()?;
    // Files of /proc say that they are empty; what was read of them is what there is.
    let size = before.size.max(sample.len() as u64);
    let reading = Reading { place: &place, file: &file, sample: &sample, size, request, cx };
    if request.whole
        && let Some(mime) = image::mime(&sample)
    {
        return reading.image(mime).map_err(|error| error.into_tool_error(failed));
    }
    let format = reading.format()?;
    let mut read = reading.text(format).map_err(|error| error.into_tool_error(failed))?;
    read.notes.extend(changed(before, state(&file).map_err(failed)?));
    Ok(read)
}

/// What can be wrong: with the disk, or with what was asked for.
enum Trouble {
    Io(io::Error),
    Tool(ToolError),
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl Trouble {
    fn into_tool_error(self, io: impl FnOnce(io::Error) -> ToolError) -> ToolError {
        match self {
            Self::Io(error) => io(error),
            Self::Tool(error) => error,
        }
    }
}

fn shrank(place: &Place) -> ToolError {
    let message = format!("{} became shorter while it was read.", place.shown());
    ToolError::new("changed_while_read", message).hint("Read it again.")
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct State {
    size: u64,
    modified: Option<SystemTime>,
}

fn state(file: &File) -> io::Result<State> {
    let meta = file.metadata()?;
    Ok(State { size: meta.len(), modified: meta.modified().ok() })
}

/// Growing at the end is what logs do; anything else may have mixed old and new.
fn changed(before: State, after: State) -> Option<String> {
    let State { size, .. } = before;
    if after.size < size {
        return Some(format!(
            "The file shrank from {size} to {} bytes while it was read: read it again.",
            after.size
        ));
    }
    (after.size == size && after != before)
        .then(|| "The file changed while it was read: read it again.".to_owned())
}

/// The start of the file, to guess by. One that does not tell its size (in /proc) is read all the same.
fn sample(mut file: &File, size: u64) -> io::Result<Vec<u8>> {
    // With room for one byte more, it is seen in one go that this was all.
    let room = usize::try_from(size).map_or(SAMPLE, |size| size.saturating_add(1)).min(SAMPLE);
    let mut sample = Vec::with_capacity(room);
    file.take(SAMPLE as u64).read_to_end(&mut sample)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(sample)
}

struct Reading<'a> {
    place: &'a Place,
    file: &'a File,
    /// Its start, or all of it.
    sample: &'a [u8],
    size: u64,
    request: &'a Request,
    cx: &'a Cx,
}

impl Reading<'_> {
    fn new_result(&self, mime: &str) -> FileRead {
        FileRead {
            path: self.place.text(),
            size: self.size,
            mime: mime.to_owned(),
            numbered: self.request.line_numbers,
            ..FileRead::default()
        }
    }

    fn image(&self, mime: &'static str) -> Result<FileRead, Trouble> {
        let shown = self.place.shown();
        if self.size > MOST_IMAGE {
            let message =
                format!("{shown} is an image ({mime}) of {} bytes; {MOST_IMAGE} is the most.", self.size);
            return Err(Trouble::Tool(
                ToolError::new("image_too_large", message).hint("Make a smaller copy of it, and read that."),
            ));
        }
        let mut bytes = Vec::new();
        self.file.take(MOST_IMAGE).read_to_end(&mut bytes)?;
        let mut result = self.new_result(mime);
        let size =
            image::dimensions(mime, &bytes).map(|(width, height)| format!(", {width} × {height} pixels"));
        result.notes.push(format!("{shown}: {mime}{}, {} bytes.", size.unwrap_or_default(), bytes.len()));
        result.image = Some(Image { mime: mime.to_owned(), base64: STANDARD.encode(&bytes) });
        Ok(result)
    }

    fn is_read_whole(&self) -> bool {
        self.sample.len() < SAMPLE
    }

    /// The file in blocks, from `position` on. One that was read whole is not read again.
    fn blocks(&self, position: usize) -> io::Result<Blocks<'_>> {
        if self.is_read_whole() {
            return Ok(Blocks::of_whole(self.sample.to_vec(), position, self.file, self.cx));
        }
        let (mut file, position) = (self.file, position as u64);
        file.seek(SeekFrom::Start(position))?;
        Ok(Blocks::new(file, position, self.size, self.cx))
    }

    /// The encoding that was asked for or found; an error if the file is not text.
    fn format(&self) -> ToolResult<Format> {
        let sample = self.sample;
        if let Some(format) = self.request.format {
            // A mark is no part of the text, whether it was asked for or not.
            let marked = Format { bom: true, ..format };
            let bom = !marked.mark().is_empty() && sample.starts_with(marked.mark());
            return Ok(Format { bom, ..format });
        }
        let extent = if self.is_read_whole() { Sample::Whole } else { Sample::Start };
        encoding::detect(sample, extent).ok_or_else(|| self.binary())
    }

    fn binary(&self) -> ToolError {
        let kind = infer::get(self.sample).map_or("unknown type", |kind| kind.mime_type());
        let message =
            format!("{} is a binary file ({kind}, {} bytes), not text.", self.place.shown(), self.size);
        ToolError::new("binary_file", message)
            .hint("file_stat tells more of it; decompress_file unpacks a ZIP; with encoding it is read as text all the same.")
    }

    fn text(&self, format: Format) -> Result<FileRead, Trouble> {
        let mut result = self.new_result("text/plain");
        let content = match self.request.part {
            Part::Lines { start, end } => self.lines(format, start, end, &mut result)?,
            Part::Bytes { offset, limit } => self.bytes(format, offset, limit, &mut result)?,
            Part::Tail { lines } => self.tail(format, lines, &mut result)?,
        };
        let (format, decoded) = decode(format, &content, self.request.format.is_none());
        if decoded.malformed {
            let name = format.name();
            result.notes.push(format!("Some bytes are no {name} text; \u{FFFD} stands for them."));
        }
        result.encoding = Some(format.name());
        result.content = decoded.text;
        Ok(result)
    }

    fn lines(
        &self,
        format: Format,
        start: u64,
        end: Option<u64>,
        result: &mut FileRead,
    ) -> Result<Vec<u8>, Trouble> {
        let wanted = Wanted {
            start,
            lines: end.map_or(u64::MAX, |end| end - start + 1),
            most_lines: if end.is_some() { u64::MAX } else { PAGE_LINES },
            most_chars: if end.is_some() { MOST } else { PAGE_CHARS },
            extra: if self.request.line_numbers { NUMBER_CHARS } else { 0 },
        };
        let found = lines::collect(&mut self.blocks(format.mark().len())?, format, &wanted)?;
        if found.count == 0 && start > 1 {
            return Err(Trouble::Tool(self.too_few_lines(start, found.total.unwrap_or(0))));
        }
        result.total_lines = found.total;
        if found.count > 0 {
            result.start_line = Some(start);
            result.end_line = Some(start + found.count - 1);
        }
        match found.stop {
            Stop::Done => {}
            Stop::Full => {
                result.truncated = true;
                result.next_start_line = Some(start + found.count);
            }
            Stop::InLine(offset) => {
                result.truncated = true;
                result.next_offset = Some(offset);
                result.notes.push(format!("Line {start} is too long to be read at once."));
            }
        }
        Ok(found.content)
    }

    fn too_few_lines(&self, start: u64, total: u64) -> ToolError {
        let message =
            format!("{} has {total} lines; start_line {start} is beyond its end.", self.place.shown());
        ToolError::new("beyond_the_end", message).hint("tail reads the last lines.")
    }

    fn bytes(
        &self,
        format: Format,
        offset: u64,
        limit: Option<u64>,
        result: &mut FileRead,
    ) -> Result<Vec<u8>, Trouble> {
        if offset > self.size {
            let (shown, size) = (self.place.shown(), self.size);
            let message = format!("{shown} has {size} bytes; offset {offset} is beyond its end.");
            return Err(Trouble::Tool(ToolError::new("beyond_the_end", message)));
        }
        let asked = limit.map_or(PAGE_CHARS, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
        let read = bytes::read(self.file, format.encoding, offset, asked.min(MOST))?;
        result.offset = Some(read.offset);
        if !read.at_end {
            result.next_offset = Some(read.offset + read.content.len() as u64);
            result.truncated = limit.is_none() || asked > MOST;
        }
        let content = if read.offset == 0 { without_mark(format, read.content) } else { read.content };
        Ok(content)
    }

    fn tail(&self, format: Format, lines: u64, result: &mut FileRead) -> Result<Vec<u8>, Trouble> {
        let start = format.mark().len() as u64;
        let newline = Newline::of(format.encoding);
        let found = tail::read(self.file, newline, (start, self.size), lines, MOST, self.cx)?;
        result.truncated = found.cut;
        if found.cut {
            result
                .notes
                .push(format!("Only the last {} lines were read: there is no room for more.", found.lines));
        }
        let before = if found.offset <= start {
            Some(0)
        } else if self.request.line_numbers {
            Some(self.count_lines(newline, format.mark().len(), found.offset)?)
        } else {
            None
        };
        if let Some(before) = before.filter(|_| found.lines > 0) {
            result.start_line = Some(before + 1);
            result.end_line = Some(before + found.lines);
            result.total_lines = Some(before + found.lines);
        }
        Ok(found.content)
    }

    /// How many lines end between two places.
    fn count_lines(&self, newline: Newline, from: usize, to: u64) -> io::Result<u64> {
        let mut blocks = self.blocks(from)?;
        let mut lines = 0;
        loop {
            let left = usize::try_from(to - blocks.offset().min(to)).unwrap_or(usize::MAX);
            let block = blocks.rest()?;
            let block = &block[..block.len().min(left)];
            if block.is_empty() {
                return Ok(lines);
            }
            lines += newline.count(block);
            let length = block.len();
            blocks.consume(length);
        }
    }
}

fn without_mark(format: Format, mut content: Vec<u8>) -> Vec<u8> {
    if content.starts_with(format.mark()) {
        content.drain(..format.mark().len());
    }
    content
}

/// The text of a part without its mark. Where the start of the file was plain and this part is not, what is in
/// this part tells more of the encoding than the guess.
fn decode(guess: Format, content: &[u8], may_guess: bool) -> (Format, encoding::Decoded) {
    let unmarked = Format { bom: false, ..guess };
    let decoded = unmarked.decode(content);
    if decoded.malformed
        && may_guess
        && guess == Format::UTF_8
        && let Some(better) = encoding::detect(content, Sample::Start)
        && Newline::of(better.encoding) == Newline::Byte
        && better != guess
    {
        let again = better.decode(content);
        if !again.malformed {
            return (better, again);
        }
    }
    (guess, decoded)
}
