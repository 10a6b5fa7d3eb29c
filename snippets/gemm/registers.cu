// Copy a part of ``source`` into a tile, with zeros where it sticks out. All THREADS help.
template <int THREADS, int ROWS, int COLUMNS>
__device__ void load_tile(float (&tile)[ROWS][COLUMNS], const float* source, int high, int wide,
                          int first_row, int first_column, int me)
{
    #pragma unroll
    for (int i = 0; i < ROWS * COLUMNS / THREADS; ++i) {
        int at = me + i * THREADS, y = at / COLUMNS, x = at % COLUMNS;
        int row = first_row + y, column = first_column + x;
        tile[y][x] = row < high && column < wide ? source[(size_t)row * wide + column] : 0;
    }
}

// A block of 64 x 4 threads computes 64 x 64 results, a thread HIGH of a column.
extern "C" __global__ void __launch_bounds__(256)
column(const float* a, const float* b, float* c, int m, int n, int k)
{
    constexpr int ROWS = 64, COLUMNS = 64, DEPTH = 16, HIGH = 16, THREADS_Y = ROWS / HIGH;
    __shared__ float tile_a[ROWS][DEPTH], tile_b[DEPTH][COLUMNS];
    float totals[HIGH] = {};
    int tx = threadIdx.x, ty = threadIdx.y, me = ty * COLUMNS + tx;
    int first_row = blockIdx.y * ROWS, first_column = blockIdx.x * COLUMNS;
    for (int start = 0; start < k; start += DEPTH) {
        load_tile<256>(tile_a, a, m, k, first_row, start, me);
        load_tile<256>(tile_b, b, k, n, start, first_column, me);
        __syncthreads();
        #pragma unroll
        for (int step = 0; step < DEPTH; ++step) {
            float value = tile_b[step][tx];  // read once, used HIGH times
            #pragma unroll
            for (int i = 0; i < HIGH; ++i)
                totals[i] += tile_a[ty + i * THREADS_Y][step] * value;
        }
        __syncthreads();
    }
    #pragma unroll
    for (int i = 0; i < HIGH; ++i) {
        int row = first_row + ty + i * THREADS_Y;
        if (row < m && first_column + tx < n)
            c[(size_t)row * n + first_column + tx] = totals[i];
    }
}

// A block of 16 x 16 threads computes 128 x 128 results, a thread HIGH x WIDE of them.
extern "C" __global__ void __launch_bounds__(256)
rectangle(const float* a, const float* b, float* c, int m, int n, int k)
{
    constexpr int ROWS = 128, COLUMNS = 128, DEPTH = 8, HIGH = 8, WIDE = 8, THREADS = 16;
    __shared__ float tile_a[ROWS][DEPTH], tile_b[DEPTH][COLUMNS];
    float totals[HIGH][WIDE] = {}, some_a[HIGH], some_b[WIDE];
    int tx = threadIdx.x, ty = threadIdx.y, me = ty * THREADS + tx;
    int first_row = blockIdx.y * ROWS, first_column = blockIdx.x * COLUMNS;
    for (int start = 0; start < k; start += DEPTH) {
        load_tile<256>(tile_a, a, m, k, first_row, start, me);
        load_tile<256>(tile_b, b, k, n, start, first_column, me);
        __syncthreads();
        #pragma unroll
        for (int step = 0; step < DEPTH; ++step) {
            #pragma unroll
            for (int i = 0; i < HIGH; ++i)
                some_a[i] = tile_a[ty + i * THREADS][step];
            #pragma unroll
            for (int j = 0; j < WIDE; ++j)
                some_b[j] = tile_b[step][tx + j * THREADS];
            #pragma unroll
            for (int i = 0; i < HIGH; ++i)  // HIGH + WIDE values read, HIGH x WIDE products
                #pragma unroll
                for (int j = 0; j < WIDE; ++j)
                    totals[i][j] += some_a[i] * some_b[j];
        }
        __syncthreads();
    }
    #pragma unroll
    for (int i = 0; i < HIGH; ++i)
        #pragma unroll
        for (int j = 0; j < WIDE; ++j) {
            int row = first_row + ty + i * THREADS, column = first_column + tx + j * THREADS;
            if (row < m && column < n)
                c[(size_t)row * n + column] = totals[i][j];
        }
}
