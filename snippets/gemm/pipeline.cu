// A block of 256 threads computes 128 x 128 results, a thread 8 x 8 of them.
constexpr int BM = 128, BN = 128, BK = 8, TM = 8, TN = 8, STAGES = 2;
constexpr int THREADS = 256, PITCH = BM + 4;  // PITCH: of the transposed tile of a

// Start a copy of 4 or 16 bytes to shared memory. What is not inside becomes zeros.
template <int BYTES>
__device__ void copy(float* to, const float* from, bool inside)
{
    unsigned place = (unsigned)__cvta_generic_to_shared(to);
    int size = inside ? BYTES : 0;
    if constexpr (BYTES == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(place), "l"(from),
                     "r"(size));
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(place), "l"(from),
                     "r"(size));
}

// Start the copies of the tiles of a and b whose first step is k0, those of b in pieces.
template <int VECTOR_WIDTH>
__device__ void start_tiles(float (&tile_a)[BK][PITCH], float (&tile_b)[BK][BN],
                            const float* a, const float* b, int m, int n, int k, int row0,
                            int column0, int k0, int tid)
{
    int y = tid / BK, x = tid % BK;
    constexpr int ROW_STRIDE_A = THREADS / BK;  // rows from one copy of a thread to its next
    #pragma unroll
    for (int i = 0; i < BM; i += ROW_STRIDE_A) {
        int row = row0 + y + i;
        copy<4>(&tile_a[x][y + i], a + (size_t)row * k + k0 + x, row < m && k0 + x < k);
    }
    y = tid / (BN / VECTOR_WIDTH), x = tid % (BN / VECTOR_WIDTH) * VECTOR_WIDTH;
    constexpr int ROW_STRIDE_B = THREADS / (BN / VECTOR_WIDTH);
    #pragma unroll
    for (int i = 0; i < BK; i += ROW_STRIDE_B) {
        int step = k0 + y + i;
        bool inside = step < k && column0 + x < n;
        copy<4 * VECTOR_WIDTH>(&tile_b[y + i][x], b + (size_t)step * n + column0 + x, inside);
    }
    asm volatile("cp.async.commit_group;");
}

// Read a thread's values of one step: four neighbors at a time, ``step`` apart.
template <int SIZE>
__device__ void fetch(float (&values)[SIZE], const float* line, int step)
{
    #pragma unroll
    for (int i = 0; i < SIZE; i += 4)
        *(float4*)(values + i) = *(const float4*)(line + i / 4 * step);
}

// y, x: a thread's first result in the block. It has squares of 4 x 4, step_y and step_x apart.
template <int VECTOR_WIDTH>
__device__ void multiply(const float* a, const float* b, float* c, int m, int n, int k, int tid,
                         int y, int x, int step_y, int step_x)
{
    __shared__ __align__(16) float tiles_a[STAGES][BK][PITCH], tiles_b[STAGES][BK][BN];
    float acc[TM][TN] = {}, a_frag[TM], b_frag[TN];
    int row0 = blockIdx.y * BM, column0 = blockIdx.x * BN;
    #pragma unroll
    for (int stage = 0; stage < STAGES - 1; ++stage)
        start_tiles<VECTOR_WIDTH>(tiles_a[stage], tiles_b[stage], a, b, m, n, k, row0, column0,
                                  stage * BK, tid);
    int use = 0, fill = STAGES - 1;
    for (int k0 = 0; k0 < k; k0 += BK) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2));  // until this thread's came
        __syncthreads();  // until all came, and nobody needs the tiles to fill
        start_tiles<VECTOR_WIDTH>(tiles_a[fill], tiles_b[fill], a, b, m, n, k, row0, column0,
                                  k0 + (STAGES - 1) * BK, tid);
        #pragma unroll
        for (int step = 0; step < BK; ++step) {
            fetch(a_frag, &tiles_a[use][step][y], step_y);
            fetch(b_frag, &tiles_b[use][step][x], step_x);
            #pragma unroll
            for (int i = 0; i < TM; ++i)
                #pragma unroll
                for (int j = 0; j < TN; ++j) {
                    int j_serpentine = i % 2 ? TN - 1 - j : j;
                    acc[i][j_serpentine] += a_frag[i] * b_frag[j_serpentine];
                }
        }
        use = use + 1 < STAGES ? use + 1 : 0;
        fill = fill + 1 < STAGES ? fill + 1 : 0;
    }
    #pragma unroll
    for (int i = 0; i < TM; ++i) {
        int row = row0 + y + i / 4 * step_y + i % 4;
        #pragma unroll
        for (int j = 0; j < TN; j += 4) {
            int column = column0 + x + j / 4 * step_x;
            float* place = c + (size_t)row * n + column;
            if (VECTOR_WIDTH == 4 && row < m && column < n)
                *(float4*)place = *(float4*)&acc[i][j];
            for (int more = 0; VECTOR_WIDTH == 1 && more < 4; ++more)
                if (row < m && column + more < n)
                    place[more] = acc[i][j + more];
        }
    }
}

// 16 x 16 threads: a warp is two rows of 16.
template <int VECTOR_WIDTH>
__device__ void in_rows(const float* a, const float* b, float* c, int m, int n, int k)
{
    int tx = threadIdx.x, ty = threadIdx.y;
    multiply<VECTOR_WIDTH>(a, b, c, m, n, k, ty * 16 + tx, 4 * ty, 4 * tx, 64, 64);
}

// 2 x 4 warps, and the lanes of each stand 8 by 4.
template <int VECTOR_WIDTH>
__device__ void in_warps(const float* a, const float* b, float* c, int m, int n, int k)
{
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int y = warp / 4 * 64 + lane / 4 * 4, x = warp % 4 * 32 + lane % 4 * 4;
    multiply<VECTOR_WIDTH>(a, b, c, m, n, k, threadIdx.x, y, x, 32, 16);
}

// For an n that is a multiple of four: each row of b and c then starts at a multiple of 16 bytes.
extern "C" __global__ void __launch_bounds__(THREADS, 2)
pipeline(const float* a, const float* b, float* c, int m, int n, int k)
{
    in_rows<4>(a, b, c, m, n, k);
}

extern "C" __global__ void __launch_bounds__(THREADS, 2)
warps(const float* a, const float* b, float* c, int m, int n, int k)
{
    in_warps<4>(a, b, c, m, n, k);
}

// For any n.
extern "C" __global__ void __launch_bounds__(THREADS, 2)
pipeline_any(const float* a, const float* b, float* c, int m, int n, int k)
{
    in_rows<1>(a, b, c, m, n, k);
}

extern "C" __global__ void __launch_bounds__(THREADS, 2)
warps_any(const float* a, const float* b, float* c, int m, int n, int k)
{
    in_warps<1>(a, b, c, m, n, k);
}
