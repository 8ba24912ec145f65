//! More records than memory should hold, in order.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};

/// A record of fixed length that sorts by its bytes.
pub(super) trait Fixed: Copy + Ord {
    /// How many bytes it has.
    const WIDTH: usize;
    fn put(&self, to: &mut Vec<u8>);
    fn get(bytes: &[u8]) -> Self;
}

/// Sorts in memory up to a limit, and beyond that in files that have no name and vanish with the process.
pub(super) struct Sorter<T> {
    held: Vec<T>,
    most: usize,
    runs: Vec<std::fs::File>,
}

impl<T: Fixed> Sorter<T> {
    pub(super) fn new(most: usize) -> Self {
        Self { held: Vec::new(), most: most.max(1), runs: Vec::new() }
    }

    pub(super) fn push(&mut self, record: T) -> io::Result<()> {
        if self.held.len() == self.most {
            self.spill()?;
        }
        self.held.push(record);
        Ok(())
    }

    fn spill(&mut self) -> io::Result<()> {
        self.held.sort_unstable();
        let mut file = BufWriter::with_capacity(1 << 18, tempfile::tempfile()?);
        let mut bytes = Vec::with_capacity(T::WIDTH);
        for record in self.held.drain(..) {
            bytes.clear();
            record.put(&mut bytes);
            file.write_all(&bytes)?;
        }
        self.runs.push(file.into_inner().map_err(io::IntoInnerError::into_error)?);
        Ok(())
    }

    /// Returns every record in order.
    pub(super) fn sorted(mut self) -> io::Result<Sorted<T>> {
        self.held.sort_unstable();
        let mut sources: Vec<Source<T>> = vec![Source::Memory(self.held.into_iter())];
        for mut file in self.runs {
            file.seek(SeekFrom::Start(0))?;
            sources.push(Source::File(BufReader::with_capacity(1 << 17, file)));
        }
        let mut heads = BinaryHeap::new();
        for (at, source) in sources.iter_mut().enumerate() {
            heads.extend(source.next()?.map(|record| Reverse((record, at))));
        }
        Ok(Sorted { sources, heads })
    }
}

enum Source<T> {
    Memory(std::vec::IntoIter<T>),
    File(BufReader<std::fs::File>),
}

impl<T: Fixed> Source<T> {
    fn next(&mut self) -> io::Result<Option<T>> {
        let file = match self {
            Self::Memory(held) => return Ok(held.next()),
            Self::File(file) => file,
        };
        let mut bytes = vec![0; T::WIDTH];
        match file.read_exact(&mut bytes) {
            Ok(()) => Ok(Some(T::get(&bytes))),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Records in order.
pub(super) struct Sorted<T> {
    sources: Vec<Source<T>>,
    heads: BinaryHeap<Reverse<(T, usize)>>,
}

impl<T: Fixed> Iterator for Sorted<T> {
    type Item = io::Result<T>;

    fn next(&mut self) -> Option<io::Result<T>> {
        let Reverse((record, at)) = self.heads.pop()?;
        match self.sources[at].next() {
            Ok(next) => self.heads.extend(next.map(|record| Reverse((record, at)))),
            Err(error) => return Some(Err(error)),
        }
        Some(Ok(record))
    }
}
