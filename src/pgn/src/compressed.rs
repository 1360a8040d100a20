//! Zstandard input: one frame after another, as `cat`, `zstd` and seekable writers make them, in constant memory.
// CITE: Collet and Kucherawy, RFC 8878 (2021), 3.1: a file is any number of frames, some of which are skipped.

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Error, Read};
use std::path::Path;

/// The content of a file, decompressed if its name ends in `.zst`. It has no buffer.
///
/// # Errors
/// If the file cannot be opened.
pub fn open(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    let file = File::open(path)?;
    let compressed = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("zst"));
    Ok(if compressed { Box::new(Frames::new(BufReader::new(file))) } else { Box::new(file) })
}

/// The content of all frames of `source`.
pub(crate) struct Frames<R> {
    source: R,
    decoder: FrameDecoder,
    inside: bool,
}

impl<R: BufRead> Frames<R> {
    pub(crate) fn new(source: R) -> Self {
        Self { source, decoder: FrameDecoder::new(), inside: false }
    }

    /// Goes to the next frame with content; `false` at the end.
    fn begin_frame(&mut self) -> io::Result<bool> {
        while !self.source.fill_buf()?.is_empty() {
            match self.decoder.init(&mut self.source) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                    io::copy(&mut self.source.by_ref().take(u64::from(length)), &mut io::sink())?;
                }
                Err(error) => return Err(Error::other(error.to_string())),
            }
        }
        Ok(false)
    }
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            if !self.inside && !self.begin_frame()? {
                return Ok(0);
            }
            self.inside = true;
            while self.decoder.can_collect() < buffer.len() && !self.decoder.is_finished() {
                let wanted = BlockDecodingStrategy::UptoBytes(buffer.len() - self.decoder.can_collect());
                self.decoder
                    .decode_blocks(&mut self.source, wanted)
                    .map_err(|error| Error::other(error.to_string()))?;
            }
            match self.decoder.read(buffer)? {
                0 => self.inside = false,
                bytes => return Ok(bytes),
            }
        }
    }
}
