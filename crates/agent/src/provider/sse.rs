//! Server-sent events, read from bytes as they arrive.
//!
//! A line is decoded when it is whole, so a character may be split over chunks. A line, or an event of many lines, that
//! is longer than the limit is an error as soon as it is: nothing more of it is kept.

use super::{ErrorClass, ProviderError};

/// The longest event that is taken. A picture in an answer fits; a stream without line ends does not.
const MOST_BYTES: usize = 4 << 20;

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SseEvent {
    /// What stood after `event:`; empty where nothing did.
    pub name: String,
    /// What stood after `data:`, lines joined by line ends.
    pub data: String,
}

/// Takes chunks, gives events.
#[derive(Debug)]
pub(crate) struct SseReader {
    line: Vec<u8>,
    event: SseEvent,
    has_data: bool,
    /// The last chunk ended in a carriage return, whose line feed may come.
    after_return: bool,
    at_start: bool,
    most: usize,
}

impl Default for SseReader {
    fn default() -> Self {
        Self::with_limit(MOST_BYTES)
    }
}

impl SseReader {
    pub fn with_limit(most: usize) -> Self {
        Self {
            line: Vec::new(),
            event: SseEvent::default(),
            has_data: false,
            after_return: false,
            at_start: true,
            most,
        }
    }

    /// Adds to `out` the events that end in this chunk.
    pub fn push(&mut self, mut chunk: &[u8], out: &mut Vec<SseEvent>) -> Result<(), ProviderError> {
        if self.after_return && !chunk.is_empty() {
            self.after_return = false;
            chunk = chunk.strip_prefix(b"\n").unwrap_or(chunk);
        }
        while let Some(end) = chunk.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            self.extend_line(&chunk[..end])?;
            self.end_line(out)?;
            let is_return = chunk[end] == b'\r';
            chunk = &chunk[end + 1..];
            if is_return {
                match chunk.first() {
                    None => self.after_return = true,
                    Some(b'\n') => chunk = &chunk[1..],
                    Some(_) => {}
                }
            }
        }
        self.extend_line(chunk)
    }

    /// What is left when the stream has ended without the blank line that should end the last event.
    pub fn finish(mut self) -> Result<Option<SseEvent>, ProviderError> {
        let mut out = Vec::new();
        self.end_line(&mut out)?;
        self.dispatch(&mut out);
        Ok(out.pop())
    }

    fn extend_line(&mut self, bytes: &[u8]) -> Result<(), ProviderError> {
        if self.line.len() + self.event.data.len() + bytes.len() > self.most {
            self.line = Vec::new();
            return Err(ProviderError::new(
                ErrorClass::Malformed,
                format!(
                    "The server sent one event of more than {} bytes; nothing of this answer is used.",
                    self.most
                ),
            ));
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn end_line(&mut self, out: &mut Vec<SseEvent>) -> Result<(), ProviderError> {
        let bytes = std::mem::take(&mut self.line);
        let mark: &[u8] = if std::mem::take(&mut self.at_start) { b"\xEF\xBB\xBF" } else { b"" };
        let bytes = bytes.strip_prefix(mark).unwrap_or(&bytes);
        let line = std::str::from_utf8(bytes).map_err(|_| {
            ProviderError::new(
                ErrorClass::Malformed,
                "The server sent a line that is no UTF-8; nothing of this answer is used.",
            )
        })?;
        if line.is_empty() {
            self.dispatch(out);
            return Ok(());
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => {
                if self.has_data {
                    self.event.data.push('\n');
                }
                self.has_data = true;
                self.event.data.push_str(value);
            }
            "event" => value.clone_into(&mut self.event.name),
            // `:` begins a comment; `id`, `retry` and what nobody knows do not concern us.
            _ => {}
        }
        Ok(())
    }

    fn dispatch(&mut self, out: &mut Vec<SseEvent>) {
        let event = std::mem::take(&mut self.event);
        if std::mem::take(&mut self.has_data) {
            out.push(event);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(chunks: &[&[u8]]) -> Vec<SseEvent> {
        let mut reader = SseReader::default();
        let mut out = Vec::new();
        for chunk in chunks {
            reader.push(chunk, &mut out).unwrap();
        }
        out.extend(reader.finish().unwrap());
        out
    }

    fn data(chunks: &[&[u8]]) -> Vec<String> {
        read(chunks).into_iter().map(|event| event.data).collect()
    }

    #[test]
    fn events_in_every_spelling() {
        let cases: &[(&[&[u8]], &[&str])] = &[
            (&[b"data: a\n\ndata:b\n\n"], &["a", "b"]),
            (&[b"data:  two blanks\n\n"], &[" two blanks"]),
            (&[b"data: a\r\n\r\ndata: b\r\n\r\n"], &["a", "b"]),
            (&[b"data: a\r", b"\n\r", b"\ndata: b\r\n\r\n"], &["a", "b"]),
            (&[b"data: a\r\rdata: b\r\r"], &["a", "b"]),
            (&[b": comment\n\n:\n\ndata: a\n\n"], &["a"]),
            (&[b"data: a\ndata: b\ndata\n\n"], &["a\nb\n"]),
            (&[b"id: 7\nretry: 10\ndata: a\nunknown\n\n"], &["a"]),
            (&["data: 中".as_bytes()[..7].as_ref(), "data: 中".as_bytes()[7..].as_ref()], &["中"]),
            (&[b"\xEF\xBB\xBFdata: a\n\n"], &["a"]),
            (&[b"data: no blank line"], &["no blank line"]),
            (&[b"data: no line end\n"], &["no line end"]),
            (&[b"data:\n\n"], &[""]),
            (&[b"event: ping\n\n"], &[]),
            (&[b""], &[]),
        ];
        for (chunks, want) in cases {
            assert_eq!(data(chunks), *want, "{chunks:?}");
        }
        assert_eq!(
            read(&[b"event: message_start\ndata: {}\n\ndata: x\n\n"])[0],
            SseEvent { name: "message_start".into(), data: "{}".into() }
        );
    }

    #[test]
    fn what_is_too_long_is_an_error_and_is_not_kept() {
        for bytes in [vec![b'x'; 2000], b"data: 0123456789\n".repeat(200)] {
            let mut reader = SseReader::with_limit(1000);
            let error =
                bytes.chunks(100).find_map(|chunk| reader.push(chunk, &mut Vec::new()).err()).unwrap();
            assert_eq!(error.class, ErrorClass::Malformed);
            assert!(error.message.contains("1000 bytes"), "{error}");
            assert!(reader.line.capacity() + reader.event.data.capacity() <= 4000);
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_an_error() {
        let error = SseReader::default().push(b"data: \xFF\n", &mut Vec::new()).unwrap_err();
        assert_eq!(error.class, ErrorClass::Malformed);
    }

    proptest! {
        #[test]
        fn any_chunking_gives_the_same_events(
            parts in prop::collection::vec("(data:|data: |event: |: )?[a-z中é ]{0,6}(\n|\r\n|\r|\n\n|\r\n\r\n)", 0..12),
            sizes in prop::collection::vec(1usize..5, 1..40),
        ) {
            let text = parts.concat();
            let whole = read(&[text.as_bytes()]);
            let mut rest = text.as_bytes();
            let mut chunks = Vec::new();
            for size in sizes.iter().cycle() {
                if rest.is_empty() {
                    break;
                }
                let (chunk, after) = rest.split_at((*size).min(rest.len()));
                chunks.push(chunk);
                rest = after;
            }
            prop_assert_eq!(read(&chunks), whole);
        }
    }
}
