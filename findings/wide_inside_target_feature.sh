#!/usr/bin/env bash
# Guess: a kernel written with `wide::f32x8` and inlined into a function with `#[target_feature(enable = "avx2")]` uses 256-bit
#        registers, as a plain loop there does; so that one binary can choose its kernels at run time.
# True:  wide chooses its representation by `cfg(target_feature)` when it is compiled: in a build without flags f32x8 is two SSE halves
#        for ever. The plain loop in the same function attribute has ymm registers, the kernel has none. With -C target-feature=+avx2
#        for the whole build it has them.
# So:    run-time dispatch needs a lane trait with one's own AVX2 backend (or a crate that dispatches); wide serves builds for one
#        machine.
# Seen:  wide 1.7.1 (crates.io), x86-64; 2026-11-27. The disassembly is read, nothing of AVX2 runs.
source "$(dirname "$0")/common.bash"
[ "$(uname -m)" = x86_64 ] || { echo "needs x86-64"; exit 2; }
crate wide==1.7.1

cat > src/main.rs <<'RUST'
use std::hint::black_box;
use wide::f32x8;

#[inline(always)]
fn dot(a: &[[f32; 8]], b: &[[f32; 8]]) -> f32 {
    let mut sum = f32x8::ZERO;
    for (&x, &y) in a.iter().zip(b) {
        sum += f32x8::from(x) * f32x8::from(y);
    }
    sum.reduce_add()
}

#[unsafe(no_mangle)]
#[target_feature(enable = "avx2")]
fn kernel_of_wide(a: &[[f32; 8]], b: &[[f32; 8]]) -> f32 {
    dot(a, b)
}

#[unsafe(no_mangle)]
#[target_feature(enable = "avx2")]
fn plain_loop(a: &[f32], b: &mut [f32]) {
    a.iter().zip(b).for_each(|(x, y)| *y += *x);
}

fn main() {
    // Both must be in the program; neither runs.
    black_box((kernel_of_wide as unsafe fn(&[[f32; 8]], &[[f32; 8]]) -> f32, plain_loop as unsafe fn(&[f32], &mut [f32])));
}
RUST
# ymm FUNCTION: does its code name a 256-bit register?
ymm() {
    objdump -d --no-show-raw-insn target/release/finding | awk -v name="<$1>:" '$2 == name { inside = 1 } /^$/ { inside = 0 } inside' > code
    [ -s code ] || { echo "no code of $1"; exit 1; }
    if grep -q ymm code; then echo yes; else echo no; fi
}
for flags in "" "-Ctarget-feature=+avx2"; do
    RUSTFLAGS="$flags" cargo build --quiet --release
    echo "flags '$flags': ymm in the plain loop $(ymm plain_loop), in the kernel of wide $(ymm kernel_of_wide)"
done | tee seen
same "wide stays SSE2 inside a function with avx2" "$(cat <<'SEEN'
flags '': ymm in the plain loop yes, in the kernel of wide no
flags '-Ctarget-feature=+avx2': ymm in the plain loop yes, in the kernel of wide yes
SEEN
)" "$(cat seen)"
