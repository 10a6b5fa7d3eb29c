// Copy a part of ``source`` into a tile, with zeros where it sticks out. All THREADS help.
template <int THREADS, int TILE_ROWS, int TILE_COLUMNS>
__device__ void load_tile(float (&tile)[TILE_ROWS][TILE_COLUMNS], const float* source,
                          int rows, int columns, int first_row, int first_column, int tid)
{
    #pragma unroll
    for (int i = 0; i < TILE_ROWS * TILE_COLUMNS / THREADS; ++i) {
        int at = tid + i * THREADS, y = at / TILE_COLUMNS, x = at % TILE_COLUMNS;
        int row = first_row + y, column = first_column + x;
        tile[y][x] = row < rows && column < columns ? source[(size_t)row * columns + column] : 0;
    }
}

// A block of 64 x 4 threads computes 64 x 64 results, a thread TM of a column.
extern "C" __global__ void __launch_bounds__(256)
column(const float* a, const float* b, float* c, int m, int n, int k)
{
    constexpr int BM = 64, BN = 64, BK = 16, TM = 16, THREADS_Y = BM / TM;
    __shared__ float tile_a[BM][BK], tile_b[BK][BN];
    float acc[TM] = {};
    int tx = threadIdx.x, ty = threadIdx.y, tid = ty * BN + tx;
    int first_row = blockIdx.y * BM, first_column = blockIdx.x * BN;
    for (int start = 0; start < k; start += BK) {
        load_tile<256>(tile_a, a, m, k, first_row, start, tid);
        load_tile<256>(tile_b, b, k, n, start, first_column, tid);
        __syncthreads();
        #pragma unroll
        for (int step = 0; step < BK; ++step) {
            float value = tile_b[step][tx];  // read once, used TM times
            #pragma unroll
            for (int i = 0; i < TM; ++i)
                acc[i] += tile_a[ty + i * THREADS_Y][step] * value;
        }
        __syncthreads();
    }
    #pragma unroll
    for (int i = 0; i < TM; ++i) {
        int row = first_row + ty + i * THREADS_Y;
        if (row < m && first_column + tx < n)
            c[(size_t)row * n + first_column + tx] = acc[i];
    }
}

// A block of 16 x 16 threads computes 128 x 128 results, a thread TM x TN of them.
extern "C" __global__ void __launch_bounds__(256)
rectangle(const float* a, const float* b, float* c, int m, int n, int k)
{
    constexpr int BM = 128, BN = 128, BK = 8, TM = 8, TN = 8, THREADS = 16;
    __shared__ float tile_a[BM][BK], tile_b[BK][BN];
    float acc[TM][TN] = {}, a_frag[TM], b_frag[TN];
    int tx = threadIdx.x, ty = threadIdx.y, tid = ty * THREADS + tx;
    int first_row = blockIdx.y * BM, first_column = blockIdx.x * BN;
    for (int start = 0; start < k; start += BK) {
        load_tile<256>(tile_a, a, m, k, first_row, start, tid);
        load_tile<256>(tile_b, b, k, n, start, first_column, tid);
        __syncthreads();
        #pragma unroll
        for (int step = 0; step < BK; ++step) {
            #pragma unroll
            for (int i = 0; i < TM; ++i)
                a_frag[i] = tile_a[ty + i * THREADS][step];
            #pragma unroll
            for (int j = 0; j < TN; ++j)
                b_frag[j] = tile_b[step][tx + j * THREADS];
            #pragma unroll
            for (int i = 0; i < TM; ++i)  // TM + TN values read, TM x TN products
                #pragma unroll
                for (int j = 0; j < TN; ++j)
                    acc[i][j] += a_frag[i] * b_frag[j];
        }
        __syncthreads();
    }
    #pragma unroll
    for (int i = 0; i < TM; ++i)
        #pragma unroll
        for (int j = 0; j < TN; ++j) {
            int row = first_row + ty + i * THREADS, column = first_column + tx + j * THREADS;
            if (row < m && column < n)
                c[(size_t)row * n + column] = acc[i][j];
        }
}
