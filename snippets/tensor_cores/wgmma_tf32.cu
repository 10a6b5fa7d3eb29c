// c = a @ bt.T in TF32 with float32 sums, for Hopper: the copy engine (TMA) feeds wgmma.
// a is (m, k), bt is (n, k), c is (m, n), all float32 and row-major; k is a multiple of 4, n of 2.
constexpr int BM = 128, BN = 256, BK = 32;  // a block's tile of c, and one step along k
constexpr int STAGES = 4;                   // tiles of a and bt in flight
constexpr int BAND = 16;                    // tile rows that run at about the same time
constexpr int A_BYTES = BM * BK * 4, B_BYTES = BN * BK * 4;

typedef unsigned int u32;
typedef unsigned long long u64;
struct alignas(64) TensorMap { char opaque[128]; };  // what cuTensorMapEncodeTiled fills in

__device__ u32 shared_address(const void* p) { return (u32)__cvta_generic_to_shared(p); }

// ---- barriers: count arrivals and bytes

__device__ void barrier_init(u32 barrier, u32 count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(barrier), "r"(count) : "memory");
}

__device__ void barrier_arrive(u32 barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(barrier) : "memory");
}

__device__ void barrier_expect(u32 barrier, u32 bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                 :: "r"(barrier), "r"(bytes) : "memory");
}

__device__ void barrier_wait(u32 barrier, u32 parity)
{
    u32 done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"(barrier), "r"(parity) : "memory");
}

// ---- TMA: one thread asks for a box of a matrix

__device__ void load_box(u32 to, const TensorMap* map, int x, int y, u32 barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%2, %3}], [%4];"
                 :: "r"(to), "l"(map), "r"(x), "r"(y), "r"(barrier) : "memory");
}

// ---- wgmma: 128 threads multiply 64 x 8 by 8 x 256, both with neighbors along k

// Where a swizzled matrix lies in shared memory: rows of 128 bytes, and 1024 bytes to the ninth.
__device__ u64 describe(u32 address)
{
    return (u64)((address & 0x3ffff) >> 4) | 1ull << 16 | (u64)(1024 >> 4) << 32 | 1ull << 62;
}

#define F4(d, i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define F16(d, i) F4(d, i), F4(d, i + 4), F4(d, i + 8), F4(d, i + 12)
#define F64(d, i) F16(d, i), F16(d, i + 16), F16(d, i + 32), F16(d, i + 48)

__device__ void multiply(float (&d)[128], u64 a, u64 b, int add)
{
    asm volatile(
        "{ .reg .pred p;\n"
        "setp.ne.b32 p, %130, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n256k8.f32.tf32.tf32 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
        "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
        "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
        "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, "
        "%110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, "
        "%124, %125, %126, %127}, %128, %129, p, 1, 1; }"
        : F64(d, 0), F64(d, 64) : "l"(a), "l"(b), "r"(add));
}

// The row and the column of a tile: down a band of rows, then to the next column.
__device__ void place(int tile, int rows, int columns, int& row, int& column)
{
    int band = tile / (BAND * columns), first = band * BAND;
    int height = min(BAND, rows - first), inside = tile - band * BAND * columns;
    row = first + inside % height;
    column = inside / height;
}

extern "C" __global__ __launch_bounds__(384, 1)
void wgmma_tf32(const __grid_constant__ TensorMap map_a, const __grid_constant__ TensorMap map_b,
                float* c, int m, int n, int k)
{
    extern __shared__ __align__(1024) unsigned char memory[];
    u32 tiles_a = shared_address(memory), tiles_b = tiles_a + STAGES * A_BYTES;
    u32 full = tiles_b + STAGES * B_BYTES;  // a barrier for each slot: its tiles are there
    u32 empty = full + 8 * STAGES;          // and one more: its tiles are used up
    int group = threadIdx.x / 128, thread = threadIdx.x % 128;  // 0 produces, 1 and 2 consume
    int rows = (m + BM - 1) / BM, columns = (n + BN - 1) / BN, steps = (k + BK - 1) / BK;

    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; ++s) {
            barrier_init(full + 8 * s, 1);
            barrier_init(empty + 8 * s, 2);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();

    int slot = 0, parity = 0;
    if (group == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (thread == 0)
            for (int tile = blockIdx.x; tile < rows * columns; tile += gridDim.x) {
                int row, column;
                place(tile, rows, columns, row, column);
                for (int i = 0; i < steps; ++i) {
                    barrier_wait(empty + 8 * slot, parity ^ 1);
                    barrier_expect(full + 8 * slot, A_BYTES + B_BYTES);
                    // The maps count in 16 bits: an element is two.
                    load_box(tiles_a + slot * A_BYTES, &map_a, 2 * i * BK, row * BM,
                             full + 8 * slot);
                    load_box(tiles_b + slot * B_BYTES, &map_b, 2 * i * BK, column * BN,
                             full + 8 * slot);
                    if (++slot == STAGES)
                        slot = 0, parity ^= 1;
                }
            }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        int half = group - 1, lane = threadIdx.x % 32;  // the upper or the lower 64 rows
        float sum[128];
        for (int tile = blockIdx.x; tile < rows * columns; tile += gridDim.x) {
            int row, column;
            place(tile, rows, columns, row, column);
            for (int i = 0; i < steps; ++i) {
                barrier_wait(full + 8 * slot, parity);
                u64 a = describe(tiles_a + slot * A_BYTES + half * A_BYTES / 2);
                u64 b = describe(tiles_b + slot * B_BYTES);
                asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
                for (int j = 0; j < 4; ++j)  // 32 bytes along the rows of both
                    multiply(sum, a + 2 * j, b + 2 * j, i + j > 0);
                asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
                asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
                if (thread == 0)
                    barrier_arrive(empty + 8 * slot);
                if (++slot == STAGES)
                    slot = 0, parity ^= 1;
            }
            int y = row * BM + half * 64 + thread / 32 * 16 + lane / 4;
            int x = column * BN + lane % 4 * 2;
            for (int j = 0; j < 32; ++j) {  // two neighbors, and two more eight rows below
                float2* to = (float2*)(c + (size_t)y * n + x + 8 * j);
                if (x + 8 * j < n && y < m)
                    to[0] = {sum[4 * j], sum[4 * j + 1]};
                if (x + 8 * j < n && y + 8 < m)
                    to[4 * (size_t)n] = {sum[4 * j + 2], sum[4 * j + 3]};
            }
        }
    }
}
