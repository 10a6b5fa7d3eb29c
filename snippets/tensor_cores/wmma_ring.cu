// c = a @ b with WMMA, fed by a ring of asynchronous copies: bfloat16 in, float32 out.
// a is (m, k), b is (k, n), all row-major; k and n are multiples of 8.
#include <mma.h>
#include <cuda_bf16.h>
using namespace nvcuda;

constexpr int BM = 128, BN = 256, BK = 32, PAD = 8, STAGES = 4;  // 8 warps of 64 x 64
constexpr int PITCH_A = BK + PAD, PITCH_B = BN + PAD;
constexpr int TILE_A = BM * PITCH_A, STAGE = TILE_A + BK * PITCH_B;

// Start to copy 16 bytes to shared memory. What is not inside becomes zeros.
__device__ void copy_16(__nv_bfloat16* to, const __nv_bfloat16* from, bool inside)
{
    unsigned place = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(place), "l"(from),
                 "r"(inside ? 16 : 0) : "memory");
}

// Start the copies of the tiles whose first step is k0.
__device__ void start(__nv_bfloat16* tiles, const __nv_bfloat16* a, const __nv_bfloat16* b, int m,
                      int n, int k, int row, int column, int k0)
{
    #pragma unroll
    for (int i = threadIdx.x; i < BM * BK / 8; i += 256) {
        int r = i / (BK / 8), x = i % (BK / 8) * 8;
        bool inside = row + r < m && k0 + x < k;
        copy_16(tiles + r * PITCH_A + x, a + (size_t)(row + r) * k + k0 + x, inside);
    }
    #pragma unroll
    for (int i = threadIdx.x; i < BK * BN / 8; i += 256) {
        int r = i / (BN / 8), x = i % (BN / 8) * 8;
        bool inside = k0 + r < k && column + x < n;
        copy_16(tiles + TILE_A + r * PITCH_B + x, b + (size_t)(k0 + r) * n + column + x, inside);
    }
    asm volatile("cp.async.commit_group;");
}

extern "C" __global__ void __launch_bounds__(256)
wmma_ring(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int m, int n, int k)
{
    extern __shared__ __align__(128) __nv_bfloat16 ring[];  // STAGES x STAGE
    int row = blockIdx.y * BM, column = blockIdx.x * BN;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int warp_row = warp / 4 * 64, warp_column = warp % 4 * 64;

    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[4][4];
    for (auto& line : sum)
        for (auto& piece : line)
            wmma::fill_fragment(piece, 0.0f);

    for (int stage = 0; stage < STAGES - 1; ++stage)
        start(ring + stage * STAGE, a, b, m, n, k, row, column, stage * BK);
    int use = 0, fill = STAGES - 1;
    for (int k0 = 0; k0 < k; k0 += BK) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        __syncthreads();
        start(ring + fill * STAGE, a, b, m, n, k, row, column, k0 + (STAGES - 1) * BK);
        const __nv_bfloat16 *tile_a = ring + use * STAGE, *tile_b = tile_a + TILE_A;
        #pragma unroll
        for (int j = 0; j < BK; j += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> fa[4];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::row_major> fb[4];
            for (int x = 0; x < 4; ++x)
                wmma::load_matrix_sync(fa[x], tile_a + (warp_row + x * 16) * PITCH_A + j, PITCH_A);
            for (int y = 0; y < 4; ++y)
                wmma::load_matrix_sync(fb[y], tile_b + j * PITCH_B + warp_column + y * 16, PITCH_B);
            for (int x = 0; x < 4; ++x)
                for (int y = 0; y < 4; ++y)
                    wmma::mma_sync(sum[x][y], fa[x], fb[y], sum[x][y]);
        }
        use = use + 1 < STAGES ? use + 1 : 0;
        fill = fill + 1 < STAGES ? fill + 1 : 0;
    }

    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();  // from here on the ring is scratch
    float* part = (float*)ring + warp * 256;
    #pragma unroll
    for (int x = 0; x < 4; ++x)
        #pragma unroll
        for (int y = 0; y < 4; ++y) {
            int r = row + warp_row + x * 16, col = column + warp_column + y * 16;
            if (r + 16 <= m && col + 16 <= n) {
                wmma::store_matrix_sync(c + (size_t)r * n + col, sum[x][y], n, wmma::mem_row_major);
                continue;
            }
            wmma::store_matrix_sync(part, sum[x][y], 16, wmma::mem_row_major);  // guard the edge
            __syncwarp();
            for (int i = lane; i < 256; i += 32)
                if (r + i / 16 < m && col + i % 16 < n)
                    c[(size_t)(r + i / 16) * n + col + i % 16] = part[i];
            __syncwarp();
        }
}
