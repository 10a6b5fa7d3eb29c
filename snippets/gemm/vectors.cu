// A block of 16 x 16 threads computes 128 x 128 results, a thread 8 x 8 of them.
constexpr int ROWS = 128, COLUMNS = 128, DEPTH = 8, HIGH = 8, WIDE = 8;
constexpr int THREADS_X = COLUMNS / WIDE, THREADS_Y = ROWS / HIGH, THREADS = THREADS_X * THREADS_Y;

// Return four neighbors of a matrix of any width, zeros from outside.
__device__ float4 read4(const float* source, int rows, int columns, int row, int column)
{
    const float* from = source + (size_t)row * columns + column;
    if (columns % 4 == 0)  // each row starts at a multiple of 16 bytes: all are inside, or none
        return row < rows && column < columns ? *(const float4*)from : float4{0, 0, 0, 0};
    float four[4];
    #pragma unroll
    for (int i = 0; i < 4; ++i)
        four[i] = row < rows && column + i < columns ? from[i] : 0;
    return {four[0], four[1], four[2], four[3]};
}

// Read a thread's values of one step: four neighbors at a time, ``step`` apart.
template <int SIZE>
__device__ void fetch(float (&values)[SIZE], const float* line, int step)
{
    #pragma unroll
    for (int i = 0; i < SIZE; i += 4)
        *(float4*)(values + i) = *(const float4*)(line + i / 4 * step);
}

// The tile of a is turned, and each of its rows has PAD unused elements behind it.
template <int PAD>
__device__ void multiply(const float* a, const float* b, float* c, int m, int n, int k)
{
    __shared__ __align__(16) float tile_a[DEPTH][ROWS + PAD], tile_b[DEPTH][COLUMNS];
    float totals[HIGH][WIDE] = {}, some_a[HIGH], some_b[WIDE];
    int tx = threadIdx.x, ty = threadIdx.y, me = ty * THREADS_X + tx;
    int row0 = blockIdx.y * ROWS, column0 = blockIdx.x * COLUMNS;
    for (int start = 0; start < k; start += DEPTH) {
        #pragma unroll
        for (int at = 4 * me; at < ROWS * DEPTH; at += 4 * THREADS) {
            int y = at / DEPTH, x = at % DEPTH;
            float4 four = read4(a, m, k, row0 + y, start + x);
            tile_a[x][y] = four.x, tile_a[x + 1][y] = four.y;
            tile_a[x + 2][y] = four.z, tile_a[x + 3][y] = four.w;
        }
        #pragma unroll
        for (int at = 4 * me; at < DEPTH * COLUMNS; at += 4 * THREADS) {
            int y = at / COLUMNS, x = at % COLUMNS;
            *(float4*)&tile_b[y][x] = read4(b, k, n, start + y, column0 + x);
        }
        __syncthreads();
        #pragma unroll
        for (int step = 0; step < DEPTH; ++step) {
            fetch(some_a, &tile_a[step][4 * ty], 4 * THREADS_Y);
            fetch(some_b, &tile_b[step][4 * tx], 4 * THREADS_X);
            #pragma unroll
            for (int i = 0; i < HIGH; ++i)
                #pragma unroll
                for (int to_and_fro = 0; to_and_fro < WIDE; ++to_and_fro) {
                    int j = i % 2 ? WIDE - 1 - to_and_fro : to_and_fro;
                    totals[i][j] += some_a[i] * some_b[j];
                }
        }
        __syncthreads();
    }
    #pragma unroll
    for (int i = 0; i < HIGH; ++i) {
        int row = row0 + 4 * ty + i / 4 * 4 * THREADS_Y + i % 4;
        #pragma unroll
        for (int j = 0; j < WIDE; j += 4) {
            int column = column0 + 4 * tx + j / 4 * 4 * THREADS_X;
            float* place = c + (size_t)row * n + column;
            if (n % 4 == 0 && row < m && column < n)
                *(float4*)place = *(float4*)&totals[i][j];
            for (int more = 0; n % 4 != 0 && more < 4; ++more)
                if (row < m && column + more < n)
                    place[more] = totals[i][j + more];
        }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, 2)
vectors(const float* a, const float* b, float* c, int m, int n, int k)
{
    multiply<0>(a, b, c, m, n, k);
}

extern "C" __global__ void __launch_bounds__(THREADS, 2)
padded(const float* a, const float* b, float* c, int m, int n, int k)
{
    multiply<4>(a, b, c, m, n, k);
}
