//! What are the next bytes of a file, if it has any left?

/// A place in a file; no length in the file is believed before it is compared with what is there.
pub(super) struct Bytes<'a> {
    all: &'a [u8],
    at: usize,
}

impl<'a> Bytes<'a> {
    pub(super) fn new(all: &'a [u8]) -> Self {
        Self { all, at: 0 }
    }

    /// How many bytes are behind us.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// Everything that is left.
    pub(super) fn rest(&self) -> &'a [u8] {
        &self.all[self.at..]
    }

    /// The next `count` bytes.
    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], String> {
        let rest = self.rest();
        let taken = rest.get(..count).ok_or_else(|| {
            let (at, left) = (self.at, rest.len());
            format!(
                "byte {at}: {count} bytes should follow, {left} do; the file is damaged or truncated: download it again"
            )
        })?;
        self.at += count;
        Ok(taken)
    }

    /// The next `N` bytes.
    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], String> {
        self.take(N)?.try_into().map_err(|_| format!("byte {}: {N} bytes should follow", self.at))
    }

    /// As many bytes as a length of `N` bytes says, smallest first.
    pub(super) fn counted<const N: usize>(&mut self) -> Result<&'a [u8], String> {
        let length = self.array::<N>()?.iter().rev().fold(0, |length, byte| length << 8 | u64::from(*byte));
        self.take(usize::try_from(length).unwrap_or(usize::MAX))
    }

    /// The bytes up to the end of the line, and past it.
    pub(super) fn line(&mut self) -> Result<&'a [u8], String> {
        let rest = self.rest();
        let end = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        let line = self.take(end)?;
        self.take(1)?;
        Ok(line)
    }
}
