// What one instruction costs: its latency, in a chain where each needs the one before, and its
// throughput, with 32 warps on a multiprocessor and four chains in each thread.

typedef unsigned u32;
typedef long long s64;

// STEP changes x and may read a and b. Sixteen stand in a row, so that the loop itself is cheap.
#define FOUR(STEP, x) STEP(x) STEP(x) STEP(x) STEP(x)
#define SIXTEEN(STEP, x) FOUR(STEP, x) FOUR(STEP, x) FOUR(STEP, x) FOUR(STEP, x)
#define EACH(STEP) STEP(x0) STEP(x1) STEP(x2) STEP(x3)

#define OPERATION(name, T, A, B, STEP)                                                          \
    extern "C" __global__ void latency_##name(int rounds, s64* cycles, T* out) {                \
        T a = A + T(out[0] == T(12345)), b = B, x = T(threadIdx.x + 1);                         \
        s64 began = clock64();                                                                  \
        for (int i = 0; i < rounds; i++) { SIXTEEN(STEP, x) }                                   \
        out[threadIdx.x] = x;                                                                   \
        __threadfence_block();                                                                  \
        cycles[0] = clock64() - began;                                                          \
    }                                                                                           \
    extern "C" __global__ void throughput_##name(int rounds, s64* cycles, T* out) {             \
        T a = A + T(out[0] == T(12345)), b = B;                                                 \
        T x0 = T(threadIdx.x + 1), x1 = T(threadIdx.x + 2), x2 = T(threadIdx.x + 3);            \
        T x3 = T(threadIdx.x + 4);                                                              \
        __syncthreads();                                                                        \
        s64 began = clock64();                                                                  \
        for (int i = 0; i < rounds; i++) { EACH(STEP) EACH(STEP) EACH(STEP) EACH(STEP) }        \
        __syncthreads();                                                                        \
        if (threadIdx.x == 0) cycles[blockIdx.x] = clock64() - began;                           \
        out[blockIdx.x * blockDim.x + threadIdx.x] = x0 + x1 + x2 + x3;                         \
    }

#define FMA32(x) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x) : "f"(a), "f"(b));
#define ADD32(x) asm volatile("add.rn.f32 %0, %0, %1;" : "+f"(x) : "f"(a));
#define FMA64(x) asm volatile("fma.rn.f64 %0, %0, %1, %2;" : "+d"(x) : "d"(a), "d"(b));
#define HFMA2(x) asm volatile("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b));
#define BFMA2(x) asm volatile("fma.rn.bf16x2 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b));
#define IMAD(x) asm volatile("mad.lo.s32 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b));
#define MAD64(x) asm volatile("mad.lo.s64 %0, %0, %1, %2;" : "+l"(x) : "l"(a), "l"(b));
#define LOP3(x) asm volatile("lop3.b32 %0, %0, %1, %2, 0x96;" : "+r"(x) : "r"(a), "r"(b));
#define SHIFT(x) asm volatile("shf.l.wrap.b32 %0, %0, %1, %2;" : "+r"(x) : "r"(a), "r"(b));
#define POPC(x) asm volatile("popc.b32 %0, %0;" : "+r"(x));
#define EX2(x) asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x));
#define RSQRT(x) asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(x));
#define SINE(x) asm volatile("sin.approx.ftz.f32 %0, %0;" : "+f"(x));
#define TANH(x) asm volatile("tanh.approx.f32 %0, %0;" : "+f"(x));
#define DIV32(x) asm volatile("div.rn.f32 %0, %1, %0;" : "+f"(x) : "f"(a));
#define SQRT32(x) asm volatile("sqrt.rn.f32 %0, %0;" : "+f"(x));
#define SINF(x) x = sinf(x);
#define IDIV(x) asm volatile("div.s32 %0, %1, %0;\n\tor.b32 %0, %0, 1;" : "+r"(x) : "r"(a));
#define DIV64(x) asm volatile("div.rn.f64 %0, %1, %0;" : "+d"(x) : "d"(a));
#define SHFL(x) x = __shfl_xor_sync(0xffffffffu, x, 1);
#define REDUX(x) x = __reduce_add_sync(0xffffffffu, x);
#define BALLOT(x) x = __ballot_sync(0xffffffffu, x & 1) + a;
#define MATCH(x) x = __match_any_sync(0xffffffffu, x) + a;

OPERATION(fma32, float, 0.999f, 0.5f, FMA32)
OPERATION(add32, float, 0.5f, 0.5f, ADD32)
OPERATION(fma64, double, 0.999, 0.5, FMA64)
OPERATION(fma16, u32, 0x3bff3bffu, 0x38003800u, HFMA2)
OPERATION(fmabf16, u32, 0x3f7f3f7fu, 0x3f003f00u, BFMA2)
OPERATION(imad, int, 3, 7, IMAD)
OPERATION(mad64, s64, 3, 7, MAD64)
OPERATION(lop3, int, 0x5555, 0x1234, LOP3)
OPERATION(shift, int, 0x5555, 5, SHIFT)
OPERATION(popc, int, 3, 7, POPC)
OPERATION(exp2, float, 0.5f, 0.5f, EX2)
OPERATION(rsqrt, float, 0.5f, 0.5f, RSQRT)
OPERATION(sin, float, 0.5f, 0.5f, SINE)
OPERATION(tanh, float, 0.5f, 0.5f, TANH)
OPERATION(div32, float, 3.0f, 0.5f, DIV32)
OPERATION(sqrt32, float, 0.5f, 0.5f, SQRT32)
OPERATION(sinf, float, 0.5f, 0.5f, SINF)
OPERATION(idiv, int, 1234567, 1, IDIV)
OPERATION(div64, double, 3.0, 0.5, DIV64)
OPERATION(shuffle, int, 3, 7, SHFL)
OPERATION(redux, int, 3, 7, REDUX)
OPERATION(ballot, int, 3, 7, BALLOT)
OPERATION(match, int, 3, 7, MATCH)

// The tensor cores through mma.sync, from registers alone: 16 x 8 x 16 bf16 and fp16,
// 16 x 8 x 8 TF32, 16 x 8 x 16 fp64. Four accumulators a warp.
#define MMA16(type, c)                                                                          \
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." type "." type ".f32 "                 \
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"              \
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])                               \
                 : "r"(a), "r"(a), "r"(a), "r"(a), "r"(b), "r"(b));
#define MMATF32(c)                                                                              \
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "                          \
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"              \
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])                               \
                 : "r"(a), "r"(a), "r"(a), "r"(a), "r"(b), "r"(b));
#define MMABF16(c) MMA16("bf16", c)
#define MMAF16(c) MMA16("f16", c)
#define MMA64(c)                                                                                \
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, "         \
                 "{%4, %4, %4, %4, %4, %4, %4, %4}, {%5, %5, %5, %5}, {%0, %1, %2, %3};"        \
                 : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])                               \
                 : "d"(double(a)), "d"(double(b)));

#define TENSOR(name, T, STEP)                                                                   \
    extern "C" __global__ void tensor_##name(int rounds, s64* cycles, T* out) {                 \
        u32 a = __float_as_uint(out[0]) | 0x3c003c00u, b = a + threadIdx.x;                     \
        T c[4][4] = {};                                                                         \
        __syncthreads();                                                                        \
        s64 began = clock64();                                                                  \
        for (int i = 0; i < rounds; i++) {                                                      \
            STEP(c[0]) STEP(c[1]) STEP(c[2]) STEP(c[3])                                         \
            STEP(c[0]) STEP(c[1]) STEP(c[2]) STEP(c[3])                                         \
        }                                                                                       \
        __syncthreads();                                                                        \
        if (threadIdx.x == 0) cycles[blockIdx.x] = clock64() - began;                           \
        T sum = 0;                                                                              \
        for (int i = 0; i < 4; i++) sum += c[i][0] + c[i][1] + c[i][2] + c[i][3];               \
        out[blockIdx.x * blockDim.x + threadIdx.x] = sum;                                       \
    }

TENSOR(bf16, float, MMABF16)
TENSOR(f16, float, MMAF16)
TENSOR(tf32, float, MMATF32)
TENSOR(f64, double, MMA64)

// The clock of the multiprocessor against the clock on the wall, under a load of FMAs.
extern "C" __global__ void clock_rate(int rounds, s64* cycles, s64* nanoseconds, float* out) {
    float a = 0.999f, b = 0.5f, x0 = threadIdx.x, x1 = x0 + 1, x2 = x0 + 2, x3 = x0 + 3;
    s64 began, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(began));
    s64 first = clock64();
    for (int i = 0; i < rounds; i++) { EACH(FMA32) EACH(FMA32) EACH(FMA32) EACH(FMA32) }
    s64 last = clock64();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    out[blockIdx.x * blockDim.x + threadIdx.x] = x0 + x1 + x2 + x3;
    if (threadIdx.x == 0) {
        cycles[blockIdx.x] = last - first;
        nanoseconds[blockIdx.x] = now - began;
    }
}
