// A block of 2 x 4 warps computes 128 x 256 results, each thread 8 x 16 of them.
constexpr int BM = 128, BN = 256, BK = 16, STAGES = 3, GROUP = 8;
constexpr int WARPS_X = 4, THREADS = 256, TM = 8, TN = 16, BLOCKS = 1;  // BLOCKS: at least
constexpr int PITCH = BM + 4;  // of the transposed tile of a
constexpr int TILE_A = BK * PITCH, TILE_B = BK * BN, STAGE = TILE_A + TILE_B;

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
__device__ void start_tiles(float* tiles, const float* a, const float* b, int m, int n, int k,
                            int row0, int column0, int k0)
{
    int y = threadIdx.x / BK, x = threadIdx.x % BK;
    constexpr int ROW_STRIDE_A = THREADS / BK;  // rows from one copy of a thread to its next
    #pragma unroll
    for (int i = 0; i < BM / ROW_STRIDE_A; ++i) {
        int row = row0 + y + i * ROW_STRIDE_A;
        const float* from = a + (size_t)row * k + k0 + x;
        copy<4>(tiles + x * PITCH + y + i * ROW_STRIDE_A, from, row < m && k0 + x < k);
    }
    y = threadIdx.x / (BN / VECTOR_WIDTH), x = threadIdx.x % (BN / VECTOR_WIDTH) * VECTOR_WIDTH;
    constexpr int ROW_STRIDE_B = THREADS / (BN / VECTOR_WIDTH);
    #pragma unroll
    for (int i = 0; i < BK / ROW_STRIDE_B; ++i) {
        int step = y + i * ROW_STRIDE_B;
        const float* from = b + (size_t)(k0 + step) * n + column0 + x;
        bool inside = k0 + step < k && column0 + x < n;
        copy<4 * VECTOR_WIDTH>(tiles + TILE_A + step * BN + x, from, inside);
    }
    asm volatile("cp.async.commit_group;");
}

// Read a thread's values of one step: 4 neighbors at a time, ``step`` apart.
template <int SIZE>
__device__ void fetch(float (&values)[SIZE], const float* line, int step)
{
    #pragma unroll
    for (int i = 0; i < SIZE; i += 4)
        *(float4*)(values + i) = *(const float4*)(line + i / 4 * step);
}

template <int VECTOR_WIDTH>
__device__ void multiply(const float* __restrict__ a, const float* __restrict__ b,
                         float* __restrict__ c, int m, int n, int k)
{
    extern __shared__ __align__(16) float tiles[];  // STAGES x STAGE
    float acc[TM][TN] = {}, a_frag[2][TM], b_frag[2][TN];

    // Neighboring blocks work on GROUP rows of blocks, so that they share reads in the L2.
    int blocks_y = (m + BM - 1) / BM, blocks_x = (n + BN - 1) / BN;
    int first = blockIdx.x / (GROUP * blocks_x) * GROUP, in_group = blockIdx.x % (GROUP * blocks_x);
    int group_rows = min(blocks_y - first, GROUP);
    int row0 = (first + in_group % group_rows) * BM, column0 = in_group / group_rows * BN;

    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;  // lanes 8 by 4
    int y = warp / WARPS_X * 8 * TM + lane / 4 * 4, x = warp % WARPS_X * 4 * TN + lane % 4 * 4;

    #pragma unroll
    for (int stage = 0; stage < STAGES - 1; ++stage)
        start_tiles<VECTOR_WIDTH>(tiles + stage * STAGE, a, b, m, n, k, row0, column0, stage * BK);
    float *use = tiles, *fill = tiles + (STAGES - 1) * STAGE;
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2));
    __syncthreads();
    fetch(a_frag[0], use + y, 32);
    fetch(b_frag[0], use + TILE_A + x, 16);

    for (int k0 = 0; k0 < k; k0 += BK) {
        #pragma unroll
        for (int step = 0; step < BK; ++step) {
            if (step == BK - 1) {  // the next values come from the next tiles
                fill = use;
                use = use == tiles + (STAGES - 1) * STAGE ? tiles : use + STAGE;
                asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2));
                __syncthreads();
            }
            int next = (step + 1) % BK;
            fetch(a_frag[next % 2], use + next * PITCH + y, 32);
            fetch(b_frag[next % 2], use + TILE_A + next * BN + x, 16);
            if (step == 0)
                start_tiles<VECTOR_WIDTH>(fill, a, b, m, n, k, row0, column0,
                                          k0 + (STAGES - 1) * BK);
            #pragma unroll
            for (int i = 0; i < TM; ++i)
                #pragma unroll
                for (int j = 0; j < TN; ++j) {
                    int j_serpentine = i % 2 ? TN - 1 - j : j;
                    acc[i][j_serpentine] += a_frag[step % 2][i] * b_frag[step % 2][j_serpentine];
                }
        }
    }

    #pragma unroll
    for (int i = 0; i < TM; ++i) {
        int row = row0 + y + i / 4 * 32 + i % 4;
        #pragma unroll
        for (int j = 0; j < TN; j += 4) {
            int column = column0 + x + j / 4 * 16;
            float* place = c + (size_t)row * n + column;
            if (VECTOR_WIDTH == 4 && row < m && column < n)
                *(float4*)place = *(float4*)&acc[i][j];
            for (int more = 0; VECTOR_WIDTH == 1 && more < 4; ++more)
                if (row < m && column + more < n)
                    place[more] = acc[i][j + more];
        }
    }
}

// For an n that is a multiple of four: each row of b and c then starts at a multiple of 16 bytes.
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
sgemm(const float* a, const float* b, float* c, int m, int n, int k)
{
    multiply<4>(a, b, c, m, n, k);
}

// For any n.
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
sgemm_any(const float* a, const float* b, float* c, int m, int n, int k)
{
    multiply<1>(a, b, c, m, n, k);
}
