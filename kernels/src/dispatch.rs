//! The choice of an instruction set, made once, when the program runs.
//!
//! A kernel set is a table of functions, each compiled whole for its instruction set, so one build is fast everywhere.
//! `OKAPI_ISA=naive|wide|avx2` in the environment forces a set.

use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

use wide::f32x8;

use crate::backend::{OfLanes, Scalar, Task};
use crate::dense;
use crate::naive;

/// The environment variable that forces an instruction set.
const VARIABLE: &str = "OKAPI_ISA";

/// A backend of the kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isa {
    /// The scalar reference.
    Naive,
    /// The vectors of the build's target (on a plain x86-64: SSE2).
    Wide,
    /// 256-bit vectors, for x86-64 with AVX2 and what came with it: FMA, BMI and population counts.
    Avx2,
}

impl Isa {
    /// All backends, the slowest first.
    pub const ALL: [Isa; 3] = [Isa::Naive, Isa::Wide, Isa::Avx2];

    /// Whether this CPU and this build have it.
    pub fn is_available(self) -> bool {
        match self {
            Isa::Naive | Isa::Wide => true,
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => {
                is_x86_feature_detected!("avx2")
                    && is_x86_feature_detected!("fma")
                    && is_x86_feature_detected!("bmi1")
                    && is_x86_feature_detected!("bmi2")
                    && is_x86_feature_detected!("lzcnt")
                    && is_x86_feature_detected!("popcnt")
            }
            #[cfg(not(target_arch = "x86_64"))]
            Isa::Avx2 => false,
        }
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Isa::Naive => "naive",
            Isa::Wide => "wide",
            Isa::Avx2 => "avx2",
        })
    }
}

impl FromStr for Isa {
    type Err = IsaError;

    fn from_str(name: &str) -> Result<Self, IsaError> {
        let named = Isa::ALL.into_iter().find(|isa| isa.to_string() == name);
        named.ok_or_else(|| IsaError::Unknown { name: name.to_owned() })
    }
}

/// Why there are no kernels for an instruction set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IsaError {
    /// No backend has this name.
    #[error("the instruction set {name:?} is unknown: OKAPI_ISA may be naive, wide or avx2")]
    Unknown {
        /// The requested set.
        name: String,
    },
    /// The backend exists, but not for this CPU.
    #[error("this machine does not have the instruction set {isa}, which OKAPI_ISA or the caller asks for")]
    Unavailable {
        /// The requested set.
        isa: Isa,
    },
}

/// A layer forward: its inputs (inputs), weights (inputs, outputs), bias (outputs) and where its outputs go (outputs).
pub type Forward = fn(&[f32], &[f32], &[f32], &mut [f32]);

/// The kernels of one instruction set. All sets give the same bits. Only [`for_isa`](Kernels::for_isa) hands them
/// out, so that a holder is on a machine that has the set.
#[derive(Debug)]
#[non_exhaustive]
pub struct Kernels {
    /// The instruction set.
    pub isa: Isa,
    /// The dot product of two slices of one length, in [`naive::dot`]'s order.
    pub dot: fn(&[f32], &[f32]) -> f32,
    /// `y = b + x W` for any sizes: `x` (inputs), `W` (inputs, outputs), `b`, `y` (outputs, at least one).
    pub affine: Forward,
}

impl Kernels {
    /// The kernels for `isa`, if this machine can run them.
    ///
    /// # Errors
    /// [`IsaError::Unavailable`] if it cannot.
    pub fn for_isa(isa: Isa) -> Result<&'static Kernels, IsaError> {
        if !isa.is_available() {
            return Err(IsaError::Unavailable { isa });
        }
        match isa {
            Isa::Naive => Ok(&NAIVE),
            Isa::Wide => Ok(&WIDE),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => Ok(&avx2::KERNELS),
            #[cfg(not(target_arch = "x86_64"))]
            Isa::Avx2 => Err(IsaError::Unavailable { isa }),
        }
    }
}

impl Kernels {
    /// Runs a task compiled for this instruction set.
    #[inline]
    pub fn run<T: Task>(&self, task: T) -> T::Output {
        match self.isa {
            Isa::Naive => task.run::<Scalar>(),
            Isa::Wide => task.run::<OfLanes<wide::f32x8, wide::i16x16>>(),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => avx2::run(task),
            #[cfg(not(target_arch = "x86_64"))]
            Isa::Avx2 => unreachable!("no table of kernels names an instruction set of another architecture"),
        }
    }
}

/// The kernels that this process uses: what `OKAPI_ISA` names, otherwise the fastest set of this machine. Chosen at the
/// first call.
///
/// # Errors
/// If `OKAPI_ISA` names an instruction set that is unknown or that this machine does not have.
pub fn active() -> Result<&'static Kernels, IsaError> {
    static ACTIVE: OnceLock<Result<&'static Kernels, IsaError>> = OnceLock::new();
    ACTIVE.get_or_init(|| choose(std::env::var_os(VARIABLE).map(|name| name.to_string_lossy().into_owned()))).clone()
}

/// The set of this name, or the last available one.
fn choose(forced: Option<String>) -> Result<&'static Kernels, IsaError> {
    let isa = match forced {
        Some(name) => name.parse()?,
        None => Isa::ALL.into_iter().rfind(|isa| isa.is_available()).unwrap_or(Isa::Naive),
    };
    Kernels::for_isa(isa)
}

static NAIVE: Kernels = Kernels { isa: Isa::Naive, dot: naive::dot, affine: dense::affine };

static WIDE: Kernels = Kernels { isa: Isa::Wide, dot: dense::dot::<f32x8>, affine: dense::affine };

#[cfg(target_arch = "x86_64")]
mod avx2 {
    //! The kernels compiled for AVX2. Only [`KERNELS`] leaves this module, and only `for_isa` hands it out.

    use super::{Isa, Kernels, OfLanes, Task, dense};
    use crate::arch::avx2::M256;
    use crate::arch::avx2_words::W256;

    /// Runs a task compiled for AVX2 and what comes with it.
    #[inline]
    pub fn run<T: Task>(task: T) -> T::Output {
        #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
        fn inner<T: Task>(task: T) -> T::Output {
            task.run::<OfLanes<M256, W256>>()
        }
        // SAFETY: this function is reached only through a table that names this instruction set, which
        // `Kernels::for_isa` hands out after it has found all of these on this CPU.
        unsafe { inner(task) }
    }

    pub static KERNELS: Kernels = Kernels { isa: Isa::Avx2, dot, affine };

    /// A safe function of this name around the kernel, compiled for AVX2 and FMA.
    macro_rules! compiled {
        ($name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?, $kernel:expr) => {
            fn $name($($argument: $type),*) $(-> $result)? {
                #[target_feature(enable = "avx2,fma")]
                fn inner($($argument: $type),*) $(-> $result)? {
                    $kernel($($argument),*)
                }
                // SAFETY: this function is reached only through the table, which `Kernels::for_isa` hands out after it
                // has found AVX2 and FMA on this CPU.
                unsafe { inner($($argument),*) }
            }
        };
    }

    compiled!(dot(a: &[f32], b: &[f32]) -> f32, dense::dot::<M256>);
    compiled!(affine(x: &[f32], weights: &[f32], bias: &[f32], y: &mut [f32]), dense::affine);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_there_and_back() {
        for isa in Isa::ALL {
            assert_eq!(isa.to_string().parse(), Ok(isa));
        }
    }

    #[test]
    fn a_name_forces_its_set() {
        for isa in [Isa::Naive, Isa::Wide] {
            assert_eq!(choose(Some(isa.to_string())).map(|kernels| kernels.isa), Ok(isa));
        }
        for name in ["avx512", "AVX2", ""] {
            let error = choose(Some(name.to_owned())).expect_err("no such set");
            assert_eq!(error, IsaError::Unknown { name: name.to_owned() });
        }
    }

    #[test]
    fn the_fastest_available_set_is_the_default() {
        let expected = if Isa::Avx2.is_available() { Isa::Avx2 } else { Isa::Wide };
        assert_eq!(choose(None).map(|kernels| kernels.isa), Ok(expected));
        let avx2 = Kernels::for_isa(Isa::Avx2).map(|kernels| kernels.isa);
        let unavailable = Err(IsaError::Unavailable { isa: Isa::Avx2 });
        assert_eq!(avx2, if Isa::Avx2.is_available() { Ok(Isa::Avx2) } else { unavailable });
    }
}
