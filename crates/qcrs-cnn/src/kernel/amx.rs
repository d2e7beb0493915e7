//! Intel's unit for blocks of bf16, AMX.
//!
//! Eight registers of 16 rows of 64 bytes: 0 to 3 hold sums, 4 and 5 pixels, 6 and 7 weights. The compiler
//! does not know them, so everything between `new` and `drop` happens on one thread, in one call of a kernel,
//! and no other code uses them.

use super::tiles::{BLOCK, DEPTH, Emulated, Rows, SIDE, Sums, TALL, Tiles, WIDEST};
use super::{Bf16, Buffer, ValueFormat};
use std::arch::asm;
use std::arch::x86_64::__cpuid_count;
use std::sync::OnceLock;

/// The unit of the processor.
pub(super) struct Amx(());

/// Every register as 16 rows of 64 bytes.
#[repr(align(64))]
struct Config([u8; 64]);

static CONFIG: Config = {
    let mut config = [0; 64];
    config[0] = 1;
    let mut tile = 0;
    while tile < 8 {
        config[16 + 2 * tile] = 64;
        config[48 + tile] = 16;
        tile += 1;
    }
    Config(config)
};

/// Bytes from one row of a block to the next.
const ROW: usize = 64;

impl Amx {
    /// Whether this processor has it, the system allows it, and it computes what its definition says.
    pub(super) fn is_here() -> bool {
        static HERE: OnceLock<bool> = OnceLock::new();
        // SAFETY: called only where the processor and the system say that it exists
        *HERE.get_or_init(|| is_usable() && unsafe { keeps_its_definition() })
    }
}

/// Whether this processor has it and the system allows it.
pub(super) fn is_usable() -> bool {
    is_promised() && is_granted()
}

fn is_promised() -> bool {
    let (bf16, tile) = (1 << 22, 1 << 24);
    let has = |flags: u32| __cpuid_count(7, 0).edx & flags == flags;
    is_x86_feature_detected!("avx512f") && has(bf16 | tile)
}

/// Asks Linux for the registers, once for all threads.
#[cfg(target_os = "linux")]
fn is_granted() -> bool {
    const ARCH_PRCTL: i64 = 158;
    const REQUEST_PERMISSION: u64 = 0x1023;
    const TILE_DATA: u64 = 18;
    let result: i64;
    // SAFETY: a system call that touches no memory of ours
    unsafe {
        asm!("syscall", inlateout("rax") ARCH_PRCTL => result, in("rdi") REQUEST_PERMISSION,
            in("rsi") TILE_DATA, out("rcx") _, out("r11") _, options(nostack));
    }
    result == 0
}

#[cfg(not(target_os = "linux"))]
fn is_granted() -> bool {
    false
}

/// Multiplies some numbers here and in software, with one and with two blocks of outputs: are all bits the
/// same?
unsafe fn keeps_its_definition() -> bool {
    unsafe {
        let one = products::<Amx, 1>() == products::<Emulated, 1>();
        one && products::<Amx, WIDEST>() == products::<Emulated, WIDEST>()
    }
}

/// The bits of some made-up products.
unsafe fn products<T: Tiles, const WIDE: usize>() -> Vec<u32> {
    let number = |at: usize| ((at * 2_654_435_761) >> 7 & 0xffff) as f32 / 32_768.0 - 1.0;
    let mut values = Buffer::<Bf16>::new(TALL * SIDE * DEPTH);
    let mut weights = Buffer::<Bf16>::new(WIDEST * BLOCK);
    let mut row = Buffer::<f32>::new(WIDEST * SIDE);
    values.iter_mut().enumerate().for_each(|(at, value)| *value = Bf16::narrow(number(at)));
    weights.iter_mut().enumerate().for_each(|(at, weight)| *weight = Bf16::narrow(number(at + 7777)));
    row.iter_mut().enumerate().for_each(|(at, sum)| *sum = number(at + 99_999));
    let rows = [0, 1].map(|tall| Rows { at: tall * SIDE * DEPTH, step: DEPTH });
    let mut sums = Sums([0.0; TALL * WIDEST * SIDE * SIDE]);
    unsafe {
        let mut unit = T::new();
        unit.start::<WIDE>(&row, 0);
        for _ in 0..3 {
            unit.add::<WIDE>(&values, rows, &weights, 0);
        }
        unit.put::<WIDE>(&mut sums);
    }
    sums.0.iter().map(|sum| sum.to_bits()).collect()
}

impl Tiles for Amx {
    #[inline(always)]
    unsafe fn new() -> Self {
        unsafe { asm!("ldtilecfg [{}]", in(reg) CONFIG.0.as_ptr(), options(nostack, preserves_flags)) };
        Self(())
    }

    #[inline(always)]
    unsafe fn start<const WIDE: usize>(&mut self, row: &Buffer<f32>, at: usize) {
        debug_assert!(at + WIDE * SIDE <= row.len(), "{at} of {}", row.len());
        // a step of 0: every row of the block is the same
        unsafe {
            let row = row.as_ptr().add(at);
            asm!("tileloadd tmm0, [{row} + {none}*1]", "tileloadd tmm2, [{row} + {none}*1]",
                row = in(reg) row, none = in(reg) 0usize, options(nostack, preserves_flags, readonly));
            if WIDE == 2 {
                asm!("tileloadd tmm1, [{row} + {none}*1 + 64]", "tileloadd tmm3, [{row} + {none}*1 + 64]",
                    row = in(reg) row, none = in(reg) 0usize, options(nostack, preserves_flags, readonly));
            }
        }
    }

    #[inline(always)]
    unsafe fn add<const WIDE: usize>(
        &mut self,
        values: &[Bf16],
        rows: [Rows; TALL],
        weights: &Buffer<Bf16>,
        at: usize,
    ) {
        for rows in rows {
            let end = rows.at + (SIDE - 1) * rows.step + DEPTH;
            debug_assert!(end <= values.len(), "{rows:?} of {}", values.len());
        }
        debug_assert!(at + WIDE * BLOCK <= weights.len(), "{at} of {}", weights.len());
        unsafe {
            let pixels = rows.map(|rows| values.as_ptr().add(rows.at));
            let steps = rows.map(|rows| rows.step * size_of::<Bf16>());
            let weights = weights.as_ptr().add(at);
            if WIDE == 2 {
                asm!(
                    "tileloadd tmm6, [{weights} + {row}*1]",
                    "tileloadd tmm4, [{p} + {s}*1]",
                    "tileloadd tmm7, [{weights} + {row}*1 + 1024]",
                    "tdpbf16ps tmm0, tmm4, tmm6",
                    "tileloadd tmm5, [{q} + {t}*1]",
                    "tdpbf16ps tmm1, tmm4, tmm7",
                    "tdpbf16ps tmm2, tmm5, tmm6",
                    "tdpbf16ps tmm3, tmm5, tmm7",
                    p = in(reg) pixels[0], s = in(reg) steps[0], q = in(reg) pixels[1], t = in(reg) steps[1],
                    weights = in(reg) weights, row = in(reg) ROW, options(nostack, preserves_flags, readonly)
                );
            } else {
                asm!(
                    "tileloadd tmm6, [{weights} + {row}*1]",
                    "tileloadd tmm4, [{p} + {s}*1]",
                    "tdpbf16ps tmm0, tmm4, tmm6",
                    "tileloadd tmm5, [{q} + {t}*1]",
                    "tdpbf16ps tmm2, tmm5, tmm6",
                    p = in(reg) pixels[0], s = in(reg) steps[0], q = in(reg) pixels[1], t = in(reg) steps[1],
                    weights = in(reg) weights, row = in(reg) ROW, options(nostack, preserves_flags, readonly)
                );
            }
        }
    }

    #[inline(always)]
    unsafe fn put<const WIDE: usize>(&mut self, sums: &mut Sums) {
        unsafe {
            let sums = sums.0.as_mut_ptr();
            asm!("tilestored [{sums} + {row}*1], tmm0", "tilestored [{sums} + {row}*1 + 2048], tmm2",
                sums = in(reg) sums, row = in(reg) ROW, options(nostack, preserves_flags));
            if WIDE == 2 {
                asm!("tilestored [{sums} + {row}*1 + 1024], tmm1", "tilestored [{sums} + {row}*1 + 3072], tmm3",
                    sums = in(reg) sums, row = in(reg) ROW, options(nostack, preserves_flags));
            }
        }
    }
}

impl Drop for Amx {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: made by `new`, so the registers exist
        unsafe { asm!("tilerelease", options(nostack, preserves_flags)) };
    }
}
