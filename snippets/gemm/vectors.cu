// A block of 16 x 16 threads computes 128 x 128 results, a thread 8 x 8 of them.
constexpr int BM = 128, BN = 128, BK = 8, TM = 8, TN = 8;
constexpr int THREADS_X = BN / TN, THREADS_Y = BM / TM, THREADS = THREADS_X * THREADS_Y;

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

// The tile of a is transposed, and each of its rows has PAD unused elements behind it.
template <int PAD>
__device__ void multiply(const float* a, const float* b, float* c, int m, int n, int k)
{
    __shared__ __align__(16) float tile_a[BK][BM + PAD], tile_b[BK][BN];
    float acc[TM][TN] = {}, a_frag[TM], b_frag[TN];
    int tx = threadIdx.x, ty = threadIdx.y, tid = ty * THREADS_X + tx;
    int row0 = blockIdx.y * BM, column0 = blockIdx.x * BN;
    for (int start = 0; start < k; start += BK) {
        #pragma unroll
        for (int at = 4 * tid; at < BM * BK; at += 4 * THREADS) {
            int y = at / BK, x = at % BK;
            float4 four = read4(a, m, k, row0 + y, start + x);
            tile_a[x][y] = four.x, tile_a[x + 1][y] = four.y;
            tile_a[x + 2][y] = four.z, tile_a[x + 3][y] = four.w;
        }
        #pragma unroll
        for (int at = 4 * tid; at < BK * BN; at += 4 * THREADS) {
            int y = at / BN, x = at % BN;
            *(float4*)&tile_b[y][x] = read4(b, k, n, start + y, column0 + x);
        }
        __syncthreads();
        #pragma unroll
        for (int step = 0; step < BK; ++step) {
            fetch(a_frag, &tile_a[step][4 * ty], 4 * THREADS_Y);
            fetch(b_frag, &tile_b[step][4 * tx], 4 * THREADS_X);
            #pragma unroll
            for (int i = 0; i < TM; ++i)
                #pragma unroll
                for (int j = 0; j < TN; ++j) {
                    int j_serpentine = i % 2 ? TN - 1 - j : j;
                    acc[i][j_serpentine] += a_frag[i] * b_frag[j_serpentine];
                }
        }
        __syncthreads();
    }
    #pragma unroll
    for (int i = 0; i < TM; ++i) {
        int row = row0 + 4 * ty + i / 4 * 4 * THREADS_Y + i % 4;
        #pragma unroll
        for (int j = 0; j < TN; j += 4) {
            int column = column0 + 4 * tx + j / 4 * 4 * THREADS_X;
            float* place = c + (size_t)row * n + column;
            if (n % 4 == 0 && row < m && column < n)
                *(float4*)place = *(float4*)&acc[i][j];
            for (int more = 0; n % 4 != 0 && more < 4; ++more)
                if (row < m && column + more < n)
                    place[more] = acc[i][j + more];
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
