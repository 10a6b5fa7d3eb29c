// A block of TILE x TILE threads computes as many results.
constexpr int TILE = 16;

extern "C" __global__ void __launch_bounds__(TILE * TILE)
tiled(const float* a, const float* b, float* c, int m, int n, int k)
{
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int column = blockIdx.x * TILE + tx, row = blockIdx.y * TILE + ty;
    float total = 0;
    for (int start = 0; start < k; start += TILE) {
        // Each thread brings one element of either tile, or a zero from outside.
        bool inside = row < m && start + tx < k;
        tile_a[ty][tx] = inside ? a[(size_t)row * k + start + tx] : 0;
        inside = start + ty < k && column < n;
        tile_b[ty][tx] = inside ? b[(size_t)(start + ty) * n + column] : 0;
        __syncthreads();  // the tiles are full
        #pragma unroll
        for (int i = 0; i < TILE; ++i)
            total += tile_a[ty][i] * tile_b[i][tx];
        __syncthreads();  // nobody needs them any more
    }
    if (row < m && column < n)
        c[(size_t)row * n + column] = total;
}
