//! The memory of the table: buckets of four entries, each as large as a cache line.

#[cfg(not(loom))]
use crate::shared_memory::SharedMemory;
use crate::shared_memory::atomic::AtomicU64;

/// Entries of a bucket.
pub const ENTRIES: usize = 4;
/// Bytes of a bucket.
pub const BUCKET_BYTES: usize = 64;

/// Four entries of two words.
#[repr(C, align(64))]
#[derive(Default)]
pub struct Bucket(pub [[AtomicU64; 2]; ENTRIES]);

#[cfg(not(loom))]
const _: () = assert!(size_of::<Bucket>() == BUCKET_BYTES);

/// The buckets of a table.
#[cfg(not(loom))]
pub struct Buckets {
    memory: SharedMemory,
    count: usize,
}

#[cfg(not(loom))]
impl Buckets {
    pub fn new(count: usize) -> std::io::Result<Self> {
        Ok(Self { memory: SharedMemory::new(count * BUCKET_BYTES)?, count })
    }

    #[inline]
    pub fn count(&self) -> usize {
        self.count
    }

    #[inline]
    pub fn of(&self, key: u64) -> &Bucket {
        let index = index_of(key, self.count);
        debug_assert!(index < self.count);
        // SAFETY: the memory is page-aligned, lives as long as self, and holds `count` buckets; index < count because
        // key < 2^64. Any bit pattern is a valid AtomicU64, and all shared access is through these atomics, from a raw
        // pointer that no slice is made of.
        unsafe { &*self.memory.start().cast::<Bucket>().add(index) }
    }

    pub fn clear(&mut self) {
        self.memory.clear();
    }
}

/// The buckets of a table of the models.
#[cfg(loom)]
pub struct Buckets(Vec<Bucket>);

#[cfg(loom)]
impl Buckets {
    pub fn new(count: usize) -> std::io::Result<Self> {
        Ok(Self((0..count).map(|_| Bucket::default()).collect()))
    }

    pub fn count(&self) -> usize {
        self.0.len()
    }

    pub fn of(&self, key: u64) -> &Bucket {
        &self.0[index_of(key, self.0.len())]
    }

    pub fn clear(&mut self) {
        self.0.iter_mut().for_each(|bucket| *bucket = Bucket::default());
    }
}

/// The bucket of a key.
#[inline]
fn index_of(key: u64, buckets: usize) -> usize {
    ((u128::from(key) * buckets as u128) >> 64) as usize
}
