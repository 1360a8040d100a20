//! Whether this CPU has what the whole program was built for, as with `-C target-cpu=native` on another machine.
//!
//! Such a program would die of an illegal instruction, so it checks first, with the instruction CPUID: for a feature of
//! the build, `is_x86_feature_detected!` is true without a check. Only features that a stable compiler knows are in
//! the table; a build that has others as well (AMX, APX, XOP) is not found out by those.
//!
//! The check is compiled for the same features. So it is made of tests of single bits, with nothing to sum, shift or
//! copy that a compiler would like to do with vectors.

/// A feature that a program was built for and this CPU lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this CPU lacks {0}, which the program was built for: build it on this machine, or without target-cpu flags")]
pub struct BuiltForAnother(&'static str);

/// Must be called before anything else.
///
/// # Errors
/// If the program was built for a feature that this CPU, or its operating system, does not have.
#[inline(never)]
pub fn check() -> Result<(), BuiltForAnother> {
    #[cfg(target_arch = "x86_64")]
    x86::demand(|feature| feature.built_for, x86::this_cpu, x86::saved_here)?;
    Ok(())
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::BuiltForAnother;
    use core::arch::x86_64::{__cpuid_count, _xgetbv, CpuidResult};

    /// A word in which a CPU tells its features: leaf, subleaf and register of the instruction CPUID.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Word {
        /// Leaf 1, ecx.
        Basic,
        /// Leaf 7, ebx.
        ExtendedB,
        /// Leaf 7, ecx.
        ExtendedC,
        /// Leaf 7, edx.
        ExtendedD,
        /// Leaf 7, subleaf 1, eax.
        LaterA,
        /// Leaf 7, subleaf 1, edx.
        LaterD,
        /// Leaf 0x8000_0001, ecx.
        Amd,
    }
    use Word::{Amd, Basic, ExtendedB, ExtendedC, ExtendedD, LaterA, LaterD};

    /// What has to be saved of a thread by the operating system: the last needed bit of XCR0, without which the others
    /// do not help, and which cannot be set without them.
    type State = u64;
    const NONE: State = 0;
    const ANY: State = 1;
    const YMM: State = 1 << 2;
    const ZMM: State = 1 << 5;

    /// A feature, and how a CPU tells that it has it.
    #[derive(Debug)]
    pub struct Feature {
        name: &'static str,
        /// Whether this build uses it wherever it likes.
        pub built_for: bool,
        word: Word,
        /// The bit of the word.
        mask: u32,
        state: State,
    }

    /// The table of these features; the test sees it beside what the standard library detects.
    macro_rules! features {
        ($($name:tt $word:ident $bit:literal $state:ident;)*) => {
            const FEATURES: &[Feature] = &[$(Feature {
                name: $name,
                built_for: cfg!(target_feature = $name),
                word: $word,
                mask: 1 << $bit,
                state: $state,
            }),*];

            #[cfg(test)]
            fn detected_by_the_standard_library() -> Vec<bool> {
                vec![$(is_x86_feature_detected!($name)),*]
            }
        };
    }

    // CITE: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, CPUID; AMD64 Architecture
    // Programmer's Manual, volume 3, appendix E.
    features! {
        "sse3" Basic 0 NONE;
        "pclmulqdq" Basic 1 NONE;
        "ssse3" Basic 9 NONE;
        "fma" Basic 12 YMM;
        "cmpxchg16b" Basic 13 NONE;
        "sse4.1" Basic 19 NONE;
        "sse4.2" Basic 20 NONE;
        "movbe" Basic 22 NONE;
        "popcnt" Basic 23 NONE;
        "aes" Basic 25 NONE;
        "xsave" Basic 26 ANY;
        "avx" Basic 28 YMM;
        "f16c" Basic 29 YMM;
        "rdrand" Basic 30 NONE;
        "bmi1" ExtendedB 3 NONE;
        "avx2" ExtendedB 5 YMM;
        "bmi2" ExtendedB 8 NONE;
        "avx512f" ExtendedB 16 ZMM;
        "avx512dq" ExtendedB 17 ZMM;
        "rdseed" ExtendedB 18 NONE;
        "adx" ExtendedB 19 NONE;
        "avx512ifma" ExtendedB 21 ZMM;
        "avx512cd" ExtendedB 28 ZMM;
        "sha" ExtendedB 29 NONE;
        "avx512bw" ExtendedB 30 ZMM;
        "avx512vl" ExtendedB 31 ZMM;
        "avx512vbmi" ExtendedC 1 ZMM;
        "avx512vbmi2" ExtendedC 6 ZMM;
        "gfni" ExtendedC 8 NONE;
        "vaes" ExtendedC 9 YMM;
        "vpclmulqdq" ExtendedC 10 YMM;
        "avx512vnni" ExtendedC 11 ZMM;
        "avx512bitalg" ExtendedC 12 ZMM;
        "avx512vpopcntdq" ExtendedC 14 ZMM;
        "avx512vp2intersect" ExtendedD 8 ZMM;
        "avx512fp16" ExtendedD 23 ZMM;
        "sha512" LaterA 0 YMM;
        "sm3" LaterA 1 YMM;
        "sm4" LaterA 2 YMM;
        "avxvnni" LaterA 4 YMM;
        "avx512bf16" LaterA 5 ZMM;
        "avxifma" LaterA 23 YMM;
        "avxvnniint8" LaterD 4 YMM;
        "avxneconvert" LaterD 5 YMM;
        "avxvnniint16" LaterD 10 YMM;
        "lzcnt" Amd 5 NONE;
        "sse4a" Amd 6 NONE;
        "tbm" Amd 21 NONE;
    }

    /// What the CPU that this program runs on tells.
    pub fn this_cpu(word: Word) -> u32 {
        let seven = cpuid(0, 0).eax >= 7;
        match word {
            Basic => cpuid(1, 0).ecx,
            ExtendedB if seven => cpuid(7, 0).ebx,
            ExtendedC if seven => cpuid(7, 0).ecx,
            ExtendedD if seven => cpuid(7, 0).edx,
            LaterA if seven && cpuid(7, 0).eax >= 1 => cpuid(7, 1).eax,
            LaterD if seven && cpuid(7, 0).eax >= 1 => cpuid(7, 1).edx,
            Amd if cpuid(0x8000_0000, 0).eax >= 0x8000_0001 => cpuid(0x8000_0001, 0).ecx,
            _ => 0,
        }
    }

    /// What the operating system saves of a thread: XCR0, or 0 without it.
    pub fn saved_here() -> State {
        const OSXSAVE: u32 = 1 << 27;
        if cpuid(1, 0).ecx & OSXSAVE == 0 {
            return 0;
        }
        // SAFETY: the CPU has just said that the operating system switched XGETBV on, and there is always a register 0.
        unsafe { xcr0() }
    }

    fn cpuid(leaf: u32, subleaf: u32) -> CpuidResult {
        // SAFETY: every x86-64 CPU has the instruction. (Newer compilers know that, and the call is safe there.)
        #[allow(unused_unsafe)]
        unsafe {
            __cpuid_count(leaf, subleaf)
        }
    }

    /// # Safety
    /// The operating system must have switched XGETBV on.
    #[target_feature(enable = "xsave")]
    unsafe fn xcr0() -> State {
        // SAFETY: the caller promises that the instruction works; register 0 always exists.
        unsafe { _xgetbv(0) }
    }

    /// The first feature that a program was built for and that is missing is an error.
    #[inline(always)]
    pub fn demand(
        built_for: impl Fn(&Feature) -> bool,
        cpu: impl Fn(Word) -> u32,
        saved: impl Fn() -> State,
    ) -> Result<(), BuiltForAnother> {
        for feature in FEATURES {
            if built_for(feature) && !has(feature, &cpu, &saved) {
                return Err(BuiltForAnother(feature.name));
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn has(feature: &Feature, cpu: impl Fn(Word) -> u32, saved: impl Fn() -> State) -> bool {
        cpu(feature.word) & feature.mask != 0 && (feature.state == NONE || saved() & feature.state != 0)
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        /// The first missing feature of a program that was built for these, on a CPU with all features but some, whose
        /// operating system saves this.
        fn missing(built_for: &[&str], lacking: &[(Word, u32)], saved: State) -> Option<&'static str> {
            let cpu = |word| lacking.iter().filter(|one| one.0 == word).fold(u32::MAX, |all, one| all & !(1 << one.1));
            demand(|feature| built_for.contains(&feature.name), cpu, || saved).err().map(|error| error.0)
        }

        #[test]
        fn the_table_agrees_with_the_standard_library() {
            for (feature, detected) in FEATURES.iter().zip(detected_by_the_standard_library()) {
                assert_eq!(has(feature, this_cpu, saved_here), detected, "{}", feature.name);
            }
        }

        #[test]
        fn this_program_may_run_here() {
            assert_eq!(super::super::check(), Ok(()));
        }

        #[test]
        fn what_is_missing_is_named() {
            let build = ["avx2", "bmi2", "avx512f", "lzcnt"];
            assert_eq!(missing(&build, &[], 0b1110_0111), None);
            assert_eq!(missing(&build, &[(ExtendedB, 8), (Amd, 5)], 0b1110_0111), Some("bmi2"));
            assert_eq!(missing(&build, &[(Amd, 5)], 0b1110_0111), Some("lzcnt"));
            assert_eq!(missing(&build, &[(ExtendedC, 8), (Basic, 5)], 0b1110_0111), None);
            let sentence = "this CPU lacks bmi2, which the program was built for: build it on this machine, or without \
                            target-cpu flags";
            assert_eq!(BuiltForAnother("bmi2").to_string(), sentence);
        }

        #[test]
        fn registers_that_are_not_saved_are_missing() {
            let build = ["sse4.2", "avx", "bmi1", "avx512vl"];
            assert_eq!(missing(&build, &[], 0b1110_0111), None);
            assert_eq!(missing(&build, &[], 0b111), Some("avx512vl"));
            assert_eq!(missing(&build, &[], 0b011), Some("avx"));
            assert_eq!(missing(&["sse3", "popcnt"], &[], 0), None);
        }
    }
}
