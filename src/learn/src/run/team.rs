//! A training by several processes. Rank 0 has the folder, decides what is done next and when it ends, and alone writes; the others
//! follow its commands. What must have the same bits for any number of ranks is cut by number and put together in the order of the
//! numbers, as it is among threads.

use crate::run::agreement::{Claim, Token, compare, sees};
use crate::run::ranks::{Alone, Ranks};
use anyhow::{anyhow, bail, ensure};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;
use support::interrupt::{Interrupt, nothing_to_save, something_to_save};

/// How long rank 0 waits for the others at the start: a file system may be slow, but a rank that does not come must end the job.
const PATIENCE: Duration = Duration::from_secs(60);

/// What rank 0 lets all ranks do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Command {
    /// Begin, or continue, from the state that follows, in the task's own form.
    Begin,
    /// Play and learn an iteration (`train tdleaf`).
    Iterate,
    /// Get this window of an epoch ready (`train values`).
    Window {
        /// The epoch, from 0.
        epoch: u64,
        /// The window of it, from 0.
        window: u64,
    },
    /// Take a step by these examples of the window.
    Step(Range<usize>),
    /// End with this exit status.
    End(u8),
}

/// The ranks of a training, as one of them sees them.
#[derive(Clone)]
pub struct Team {
    ranks: Arc<dyn Ranks>,
    /// What a signal to another rank raises.
    interrupt: Option<Interrupt>,
    /// Whether the others follow commands: between their agreement and their end.
    together: Arc<AtomicBool>,
    /// Whether the others have heard that they do not fit together, and leave.
    refused: Arc<AtomicBool>,
}

/// The end of a process that is not rank 0, which says what there is to say: its exit status is that of rank 0.
#[derive(Debug, thiserror::Error)]
#[error("rank 0 has ended the training with the exit status {status}")]
pub struct Followed {
    /// The exit status.
    pub status: u8,
}

/// A rank's part of something that is gathered: its own work, or a sentence about why there is none; and the signal that has reached it.
#[derive(Serialize, Deserialize)]
struct Said<T> {
    signal: usize,
    work: Result<T, String>,
}

impl Team {
    /// One process.
    pub fn alone() -> Self {
        Self::new(Arc::new(Alone::default()), None)
    }

    /// These ranks; a signal that reaches one of them interrupts rank 0.
    pub fn new(ranks: Arc<dyn Ranks>, interrupt: Option<Interrupt>) -> Self {
        Self { ranks, interrupt, together: Arc::default(), refused: Arc::default() }
    }

    /// Whether there is a single process.
    pub fn is_alone(&self) -> bool {
        self.ranks.size() == 1
    }

    /// Whether this is rank 0.
    pub fn is_first(&self) -> bool {
        self.ranks.rank() == 0
    }

    /// How many ranks there are.
    pub fn size(&self) -> usize {
        self.ranks.size()
    }

    /// Begins to share out the numbers from 0. All ranks call it, then their threads [take](Self::take) numbers until they come to the end of what is
    /// to be done: so a rank whose work takes long does less of it, and none waits for another longer than for one piece of work.
    pub fn deal(&self) {
        if self.is_first() {
            self.ranks.deal();
        }
        if !self.is_alone() {
            // Nobody takes a number before rank 0 has begun, which has heard from all that the last ones are done.
            self.broadcast(Vec::new());
        }
    }

    /// The next number, which no other thread of any rank gets. Any thread may take one.
    pub fn take(&self) -> usize {
        self.ranks.take()
    }

    /// The part of so many shards that a rank has: consecutive ones, in the order of the ranks.
    pub fn shards_of(&self, rank: usize, shards: usize) -> Range<usize> {
        rank * shards / self.ranks.size()..(rank + 1) * shards / self.ranks.size()
    }

    /// The same of this rank.
    pub fn shards(&self, shards: usize) -> Range<usize> {
        self.shards_of(self.ranks.rank(), shards)
    }

    /// Gives every rank the bytes of rank 0.
    pub fn broadcast(&self, bytes: Vec<u8>) -> Vec<u8> {
        self.ranks.broadcast(bytes, None)
    }

    /// Gives every rank the bytes of rank 0, of which all know how many there are.
    pub fn broadcast_into(&self, bytes: &mut [u8]) {
        self.ranks.broadcast_into(bytes);
    }

    /// Gives rank 0 the bytes of every rank, `(rank)`, the others none.
    pub fn gather(&self, mut bytes: Vec<u8>) -> Vec<Vec<u8>> {
        let signal = self.interrupt.as_ref().map_or(0, Interrupt::signal) as u8;
        bytes.push(signal);
        let mut said = self.ranks.gather(&bytes, None);
        for bytes in &mut said {
            self.heard(bytes.pop().map_or(0, usize::from));
        }
        said
    }

    /// Gives every rank the bytes of every rank, `(rank)`.
    pub fn gather_all(&self, bytes: Vec<u8>) -> Vec<Vec<u8>> {
        let said = self.gather(bytes);
        let mut framed = Vec::with_capacity(said.iter().map(|bytes| bytes.len() + 8).sum());
        for bytes in &said {
            framed.extend((bytes.len() as u64).to_le_bytes());
            framed.extend(bytes);
        }
        let (framed, mut at) = (self.broadcast(framed), 0);
        let next = |_| {
            let length = u64::from_le_bytes(framed[at..at + 8].try_into().expect("eight bytes")) as usize;
            at += 8 + length;
            framed[at - length..at].to_vec()
        };
        (0..self.size()).map(next).collect()
    }

    /// Whether every rank has done its work, on rank 0; the others hear of failures by the command that follows.
    ///
    /// # Errors
    /// Why a rank has not: this one's own error, or a sentence that names the other.
    pub fn all_done(&self, own: anyhow::Result<()>) -> anyhow::Result<()> {
        if self.is_alone() {
            return own;
        }
        let work = own.as_ref().map_err(|error| format!("{error:#}"));
        let said: Vec<Said<()>> = self.ranks.gather(&self.encode(&work), None).iter().map(decode).collect();
        said.iter().for_each(|said| self.heard(said.signal));
        own?;
        for (rank, said) in said.into_iter().enumerate() {
            said.work.map_err(|why| anyhow!("rank {rank}: {why}"))?;
        }
        Ok(())
    }

    /// Tells all ranks what to do next; on rank 0.
    pub fn command(&self, command: &Command) {
        if !self.is_alone() {
            self.ranks.broadcast(serde_json::to_vec(command).expect("numbers can be written"), None);
        }
    }

    /// What rank 0 wants; on the others.
    pub fn receive(&self) -> Command {
        decode(&self.ranks.broadcast(Vec::new(), None))
    }

    /// Compares what the ranks have: their claims, and whether each sees the folder of rank 0, which rank 0 creates.
    ///
    /// # Errors
    /// On rank 0 a sentence about the first difference, or about why a rank has no claims; on the others [`Followed`]. The others have
    /// left then, and rank 0 must [end](Self::end).
    pub fn agree(&self, claims: anyhow::Result<Vec<Claim>>, folder: &Path) -> anyhow::Result<()> {
        if self.is_alone() {
            return claims.map(drop);
        }
        let own = claims.as_ref().map(Clone::clone).map_err(|error| format!("{error:#}"));
        let said = self.ranks.gather(&self.encode(&own), Some(self.patience()));
        let said: Vec<_> = said.iter().map(|said| decode::<Said<Vec<Claim>>>(said).work).collect();
        self.verdict(compare(&said))?;
        let created = if self.is_first() {
            Token::create(folder).map_err(|error| format!("{error:#}"))
        } else {
            Err(String::new())
        };
        let sentence = created.as_ref().map(|token| token.text.clone());
        let token: Result<String, String> = decode(&self.hear(encode(&sentence.map_err(Clone::clone))));
        let seen = match &token {
            Ok(token) => sees(folder, token),
            // Rank 0 says it.
            Err(_) => Ok(()),
        };
        let said = self.ranks.gather(&self.encode(&seen), Some(self.patience()));
        let said: Vec<Said<()>> = said.iter().map(decode).collect();
        drop(created);
        let failed = said.into_iter().enumerate().find_map(|(rank, said)| Some((rank, said.work.err()?)));
        self.verdict(match (token, failed) {
            (Err(why), _) => Err(why),
            (_, Some((rank, why))) => Err(format!("rank {rank} {why}")),
            (Ok(_), None) => Ok(()),
        })?;
        self.together.store(true, Relaxed);
        if self.is_first() {
            something_to_save();
        }
        Ok(())
    }

    /// How long this rank waits at the start. Rank 0 may wait itself, so the others wait twice as long for it, also with what they send, and longer
    /// by a second for each rank before them: one speaks.
    fn patience(&self) -> Duration {
        if self.is_first() { PATIENCE } else { PATIENCE * 2 + Duration::from_secs(self.ranks.rank() as u64) }
    }

    /// What rank 0 says at the start.
    fn hear(&self, bytes: Vec<u8>) -> Vec<u8> {
        self.ranks.broadcast(bytes, Some(self.patience()))
    }

    /// Gives every rank the verdict of rank 0.
    fn verdict(&self, verdict: Result<(), String>) -> anyhow::Result<()> {
        let verdict: Result<(), String> = decode(&self.hear(encode(&verdict)));
        let Err(sentence) = verdict else { return Ok(()) };
        if self.is_first() {
            // It leaves when it has said so.
            self.refused.store(true, Relaxed);
            bail!(sentence)
        }
        self.part();
        bail!(Followed { status: 1 })
    }

    /// Ends the others with this exit status, if they follow, and leaves them; on rank 0, which has said why before: Open MPI ends a rank
    /// that still speaks when another has ended with a failure. If this one has failed before all have compared, `mpirun` ends them.
    pub fn end(&self, status: u8) {
        // The others end with a failure when they hear it, and mpirun asks this one to stop.
        nothing_to_save();
        if self.together.load(Relaxed) {
            self.command(&Command::End(status));
        }
        if self.together.load(Relaxed) || self.refused.load(Relaxed) {
            self.part();
        }
    }

    /// Ends with the exit status that rank 0 has sent; on the others.
    ///
    /// # Errors
    /// [`Followed`], if it is not 0.
    pub fn ended(&self, status: u8) -> anyhow::Result<()> {
        self.part();
        ensure!(status == 0, Followed { status });
        Ok(())
    }

    fn part(&self) {
        self.together.store(false, Relaxed);
        self.ranks.leave();
    }

    /// A signal has reached some rank.
    fn heard(&self, signal: usize) {
        if let Some(interrupt) = self.interrupt.as_ref().filter(|_| signal != 0) {
            interrupt.raise(signal);
        }
    }

    fn encode<T: Serialize + Clone>(&self, work: &Result<T, String>) -> Vec<u8> {
        let signal = self.interrupt.as_ref().map_or(0, Interrupt::signal);
        encode(&Said { signal, work: work.clone() })
    }
}

impl std::fmt::Debug for Team {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "rank {} of {}", self.ranks.rank(), self.ranks.size())
    }
}

fn encode<T: Serialize>(value: &T) -> Vec<u8> {
    serde_json::to_vec(value).expect("numbers and texts can be written")
}

fn decode<T: for<'a> Deserialize<'a>>(bytes: &(impl AsRef<[u8]> + ?Sized)) -> T {
    serde_json::from_slice(bytes.as_ref()).expect("ranks of one program understand each other")
}

#[cfg(test)]
mod tests;
