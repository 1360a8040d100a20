//! The memory and processors that this process may use: those of the machine, limited by control groups.
//!
//! A container sees the memory of its host, but is killed if it uses more than its control group allows. The limit of a
//! group holds for all groups inside it, so the smallest limit along the path counts. Both versions of control groups are
//! supported. What cannot be read is unknown, and does not limit the options.
//!
//! CITE: Linux kernel documentation, "Control Group v2" (memory.max, cpu.max) and "cgroup-v1" (memory.limit_in_bytes,
//! cpu.cfs_quota_us); proc(5) for mountinfo.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

/// The largest table leaves 1/8 of the memory to the rest of the program and to the system.
const MEMORY_FOR_THE_REST: u64 = 8;
/// The maximum number of search threads per processor.
const THREADS_A_PROCESSOR: usize = 32;
/// This many search threads are allowed on any machine.
const THREADS_ANYWHERE: usize = 64;

/// The resources of this process.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Machine {
    /// In bytes; `None` if unknown.
    memory: Option<u64>,
    /// Rounded up; `None` if unknown.
    processors: Option<usize>,
}

impl Machine {
    /// This machine, as this process sees it.
    pub fn here() -> Self {
        let groups = Self::under(Path::new("/"));
        let of_system = available_parallelism().ok().map(usize::from);
        Self { processors: least([groups.processors, of_system]), ..groups }
    }

    /// The resources according to the files below this root folder.
    fn under(root: &Path) -> Self {
        let number = |text: &str| text.trim().parse::<u64>().ok();
        let physical = read(&root.join("proc/meminfo")).and_then(|text| {
            let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:")?.strip_suffix("kB"))?;
            number(total)?.checked_mul(1024)
        });
        let of_groups = groups(root, "memory").into_iter().filter_map(|group| {
            let file = if group.is_unified { "memory.max" } else { "memory.limit_in_bytes" };
            number(&read(&group.folder.join(file))?)
        });
        let quotas = groups(root, "cpu").into_iter().filter_map(|group| {
            let file = |name| read(&group.folder.join(name));
            let (quota, period) = if group.is_unified {
                let text = file("cpu.max")?;
                let (quota, period) = text.trim().split_once(' ')?;
                (number(quota)?, number(period)?)
            } else {
                (number(&file("cpu.cfs_quota_us")?)?, number(&file("cpu.cfs_period_us")?)?)
            };
            (period > 0).then(|| quota.div_ceil(period).max(1) as usize)
        });
        Self { memory: physical.into_iter().chain(of_groups).min(), processors: quotas.min() }
    }

    /// The size of the largest transposition table that fits, in MB, from 1 to `most`.
    pub fn largest_table(&self, most: usize) -> usize {
        let megabytes = |bytes: u64| (bytes - bytes / MEMORY_FOR_THE_REST) >> 20;
        self.memory.map_or(most, |bytes| usize::try_from(megabytes(bytes)).unwrap_or(most)).clamp(1, most)
    }

    /// The maximum number of search threads, at most `most`.
    pub fn most_threads(&self, most: usize) -> usize {
        let threads = |processors: usize| processors.saturating_mul(THREADS_A_PROCESSOR).max(THREADS_ANYWHERE);
        self.processors.map_or(most, threads).min(most)
    }
}

fn least<T: Ord>(values: [Option<T>; 2]) -> Option<T> {
    values.into_iter().flatten().min()
}

fn read(path: &Path) -> Option<String> {
    fs::read_to_string(path).ok()
}

/// A control group of this process, or one that contains it.
struct Group {
    folder: PathBuf,
    /// Whether it is of version 2, which has one tree for all controllers.
    is_unified: bool,
}

/// The groups that limit this process for a controller, innermost first within each tree.
fn groups(root: &Path, controller: &str) -> Vec<Group> {
    let (Some(mounts), Some(memberships)) =
        (read(&root.join("proc/self/mountinfo")), read(&root.join("proc/self/cgroup")))
    else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for mount in mounts.lines().filter_map(Mount::parse) {
        let is_unified = mount.kind == "cgroup2";
        let is_in = |all: &str| all.split(',').any(|one| one == controller);
        if !is_unified && (mount.kind != "cgroup" || !is_in(mount.options)) {
            continue;
        }
        let path = memberships.lines().find_map(|line| {
            let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
            (if is_unified { controllers.is_empty() } else { is_in(controllers) }).then_some(path)
        });
        // A path that does not begin with the mount's root is not visible here; the mount itself is.
        let inside = path.and_then(|path| Path::new(path).strip_prefix(mount.root).ok()).unwrap_or(Path::new(""));
        let folder = |path: &Path| root.join(mount.point.trim_start_matches('/')).join(path);
        found.extend(inside.ancestors().map(|path| Group { folder: folder(path), is_unified }));
    }
    found
}

/// A line of mountinfo.
struct Mount<'a> {
    /// The mounted part of the file system.
    root: &'a str,
    /// The mount point.
    point: &'a str,
    kind: &'a str,
    options: &'a str,
}

impl<'a> Mount<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let (place, system) = line.split_once(" - ")?;
        let (mut place, mut system) = (place.split(' ').skip(3), system.split(' '));
        let (root, point) = (place.next()?, place.next()?);
        Some(Self { root, point, kind: system.next()?, options: system.nth(1)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    const MB: u64 = 1 << 20;

    /// A system with these files.
    fn system(files: &[(&str, &str)]) -> TempDir {
        let root = TempDir::new().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        root
    }

    fn machine(files: &[(&str, &str)]) -> Machine {
        Machine::under(system(files).path())
    }

    const MEMINFO: (&str, &str) = ("proc/meminfo", "MemTotal:        8388608 kB\nMemFree:  1 kB\n");
    const UNIFIED: (&str, &str) = (
        "proc/self/mountinfo",
        "30 20 0:5 / /proc rw - proc proc rw\n31 23 0:28 / /sys/fs/cgroup rw - cgroup2 none rw\n",
    );
    const OLD: (&str, &str) = (
        "proc/self/mountinfo",
        "32 31 0:29 /docker/7 /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n\
         35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n\
         41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n",
    );

    #[test]
    fn the_least_limit_along_the_path_counts_in_version_2() {
        let files = [
            MEMINFO,
            UNIFIED,
            ("proc/self/cgroup", "0::/user.slice/game/engine\n"),
            ("sys/fs/cgroup/user.slice/memory.max", "2147483648\n"),
            ("sys/fs/cgroup/user.slice/game/memory.max", "1073741824\n"),
            ("sys/fs/cgroup/user.slice/game/engine/memory.max", "max\n"),
            ("sys/fs/cgroup/user.slice/other/memory.max", "1\n"),
            ("sys/fs/cgroup/user.slice/cpu.max", "150000 100000\n"),
            ("sys/fs/cgroup/user.slice/game/cpu.max", "max 100000\n"),
            ("sys/fs/cgroup/user.slice/game/engine/cpu.max", "800000 100000\n"),
        ];
        assert_eq!(machine(&files), Machine { memory: Some(1024 * MB), processors: Some(2) });
    }

    #[test]
    fn the_least_limit_along_the_path_counts_in_version_1() {
        let files = [
            MEMINFO,
            OLD,
            ("proc/self/cgroup", "4:memory:/a/b\n2:cpu,cpuacct:/docker/7/c\n0::/\n"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
            ("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "3145728\n"),
            ("sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "4194304\n"),
            ("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "50000\n"),
            ("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n"),
            ("sys/fs/cgroup/cpu,cpuacct/c/cpu.cfs_quota_us", "-1\n"),
            ("sys/fs/cgroup/cpu,cpuacct/c/cpu.cfs_period_us", "100000\n"),
        ];
        assert_eq!(machine(&files), Machine { memory: Some(3 * MB), processors: Some(1) });
    }

    #[test]
    fn a_group_that_is_not_visible_leaves_the_mount() {
        let files = [
            OLD,
            ("proc/self/cgroup", "4:memory:/../gone\n2:cpu,cpuacct:/elsewhere\n"),
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "1048576\n"),
            ("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "300000\n"),
            ("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n"),
        ];
        assert_eq!(machine(&files), Machine { memory: Some(MB), processors: Some(3) });
    }

    #[test]
    fn without_groups_the_physical_memory_counts_and_without_files_nothing_does() {
        assert_eq!(machine(&[MEMINFO]), Machine { memory: Some(8192 * MB), processors: None });
        let unreadable = [
            UNIFIED,
            ("proc/meminfo", "MemTotal: much\n"),
            ("proc/self/cgroup", "0::/\nnonsense\n"),
            ("sys/fs/cgroup/memory.max", "\n"),
            ("sys/fs/cgroup/cpu.max", "100000 0\n"),
        ];
        for nothing in [machine(&[]), machine(&unreadable)] {
            assert_eq!(nothing, Machine::default());
            assert_eq!((nothing.largest_table(1 << 20), nothing.most_threads(1_024)), (1 << 20, 1_024));
        }
    }

    #[test]
    fn maxima_follow_from_memory_and_processors() {
        let of = |megabytes: u64, processors| Machine { memory: Some(megabytes * MB), processors: Some(processors) };
        for (machine, table, threads) in
            [(of(0, 1), 1, 64), (of(1024, 2), 896, 64), (of(8 << 20, 8), 1 << 20, 256), (of(64, 500), 56, 1_024)]
        {
            assert_eq!((machine.largest_table(1 << 20), machine.most_threads(1_024)), (table, threads), "{machine:?}");
        }
    }

    #[test]
    fn this_machine_has_a_processor_and_some_memory() {
        let here = Machine::here();
        assert!(here.processors > Some(0));
        assert!(!cfg!(target_os = "linux") || here.memory > Some(MB), "{here:?}");
    }
}
