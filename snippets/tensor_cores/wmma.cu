// c = a @ b with WMMA: bfloat16 in, float32 out. a is (m, k), b is (k, n), all row-major.
#include <mma.h>
#include <cuda_bf16.h>
using namespace nvcuda;

constexpr int BM = 128, BN = 128, BK = 32, PAD = 8;  // 8 warps of 32 x 64

extern "C" __global__ __launch_bounds__(256)
void wmma(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int m, int n, int k)
{
    __shared__ __align__(32) __nv_bfloat16 tile_a[BM][BK + PAD], tile_b[BK][BN + PAD];
    __shared__ __align__(32) float part[8][16][16];
    int row = blockIdx.y * BM, column = blockIdx.x * BN;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int warp_row = warp / 2 * 32, warp_column = warp % 2 * 64;
    __nv_bfloat16 zero = __float2bfloat16(0.0f);

    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[2][4];
    for (auto& line : sum)
        for (auto& piece : line)
            wmma::fill_fragment(piece, 0.0f);

    for (int k0 = 0; k0 < k; k0 += BK) {
        for (int i = threadIdx.x; i < BM * BK; i += 256) {
            int r = i / BK, x = i % BK;
            tile_a[r][x] = row + r < m && k0 + x < k ? a[(size_t)(row + r) * k + k0 + x] : zero;
        }
        for (int i = threadIdx.x; i < BK * BN; i += 256) {
            int r = i / BN, x = i % BN;
            tile_b[r][x] = k0 + r < k && column + x < n ? b[(size_t)(k0 + r) * n + column + x] : zero;
        }
        __syncthreads();
        for (int j = 0; j < BK; j += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> fa[2];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::row_major> fb[4];
            for (int x = 0; x < 2; ++x)
                wmma::load_matrix_sync(fa[x], &tile_a[warp_row + x * 16][j], BK + PAD);
            for (int y = 0; y < 4; ++y)
                wmma::load_matrix_sync(fb[y], &tile_b[j][warp_column + y * 16], BN + PAD);
            for (int x = 0; x < 2; ++x)
                for (int y = 0; y < 4; ++y)
                    wmma::mma_sync(sum[x][y], fa[x], fb[y], sum[x][y]);
        }
        __syncthreads();
    }
    for (int x = 0; x < 2; ++x)
        for (int y = 0; y < 4; ++y) {  // through shared memory, to guard the edge
            wmma::store_matrix_sync(&part[warp][0][0], sum[x][y], 16, wmma::mem_row_major);
            __syncwarp();
            for (int i = lane; i < 256; i += 32) {
                int r = row + warp_row + x * 16 + i / 16, col = column + warp_column + y * 16 + i % 16;
                if (r < m && col < n)
                    c[(size_t)r * n + col] = part[warp][i / 16][i % 16];
            }
            __syncwarp();
        }
}
