// c = a @ b in bfloat16 with float32 sums: ldmatrix and mma.sync, fed by cp.async.
// a is (m, k), b is (k, n), c is (m, n), all row-major; k and n are multiples of 8.
constexpr int BM = 128, BN = 256, BK = 64;  // a block's tile of c, and one step along k
constexpr int STAGES = 3;                   // tiles of a and b in flight
constexpr int BAND = 16;                    // tile rows that run at about the same time
constexpr int A_BYTES = BM * BK * 2, B_BYTES = BK * BN * 2, BOX = 64 * 64 * 2;
constexpr int STAGE = A_BYTES + B_BYTES;

typedef unsigned int u32;
typedef unsigned short u16;

// 16 bytes to shared memory; past the end of the matrix, zeros.
__device__ void copy_16(u32 to, const u16* from, bool inside)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                 :: "r"(to), "l"(from), "r"(inside ? 16 : 0) : "memory");
}

// What one of 256 threads copies. A box of 64 x 64 lies in shared memory as 64 rows of 128 bytes.
// Its pieces of 16 bytes are swizzled: piece p of row r is at place p ^ (r % 8).
struct Copies {
    const u16 *a, *b;  // the first piece that is this thread's
    u32 to_a, to_b;    // and where it goes
    int rows, columns; // how many are left from there
    int deep_a, deep_b;
    size_t k, n;

    __device__ Copies(const u16* a, const u16* b, int row, int column, int m, int n, int k)
        : k(k), n(n)
    {
        int ra = threadIdx.x / 8, pa = threadIdx.x % 8;   // a: 32 rows of 8 pieces at a time
        int rb = threadIdx.x / 32, pb = threadIdx.x % 32;  // b: 8 rows of 4 x 8 pieces
        this->a = a + (size_t)(row + ra) * k + pa * 8;
        this->b = b + (size_t)rb * n + column + pb * 8;
        to_a = ra * 128 + ((pa ^ ra % 8) << 4);
        to_b = A_BYTES + pb / 8 * BOX + rb * 128 + ((pb % 8 ^ rb) << 4);
        rows = m - row - ra;
        columns = n - column - pb * 8;
        deep_a = pa * 8;
        deep_b = rb;
    }

    __device__ void ask(u32 slot, int k0)  // for both tiles at depth k0
    {
        for (int i = 0; i < 4; ++i)
            copy_16(slot + to_a + i * 32 * 128, a + k0 + i * 32 * k,
                    i * 32 < rows && k0 + deep_a < k);
        for (int i = 0; i < 8; ++i)
            copy_16(slot + to_b + i * 8 * 128, b + (k0 + i * 8) * n,
                    columns > 0 && k0 + i * 8 + deep_b < k);
    }
};

__device__ void load_a(u32 (&f)[4][4], u32 from)  // 64 x 16: four pieces of 16 x 16
{
    for (int i = 0; i < 4; ++i)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(f[i][0]), "=r"(f[i][1]), "=r"(f[i][2]), "=r"(f[i][3])
                     : "r"(from + i * 16 * 128));
}

__device__ void load_b(u32 (&f)[8][2], u32 from)  // 16 x 64: eight pieces of 16 x 8
{
    for (int j = 0; j < 4; ++j)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(f[2 * j][0]), "=r"(f[2 * j][1]), "=r"(f[2 * j + 1][0]),
                       "=r"(f[2 * j + 1][1])
                     : "r"(from ^ (j << 5)));
}

__device__ void mma(float (&d)[4], const u32 (&a)[4], const u32 (&b)[2])
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ u32 pack(float low, float high)  // two bfloat16 in 32 bits
{
    u32 both;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
    return both;
}

extern "C" __global__ __launch_bounds__(256, 1)
void mma_sync(const u16* a, const u16* b, u16* c, int m, int n, int k)
{
    extern __shared__ __align__(1024) unsigned char memory[];
    u32 tiles = (u32)__cvta_generic_to_shared(memory);
    int rows = (m + BM - 1) / BM, columns = (n + BN - 1) / BN;
    int band = blockIdx.x / (BAND * columns), first = band * BAND;
    int height = min(BAND, rows - first), inside = blockIdx.x - band * BAND * columns;
    int row = (first + inside % height) * BM, column = inside / height * BN;

    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, steps = (k + BK - 1) / BK;
    int warp_row = warp / 4 * 64, warp_box = warp % 4;  // 2 x 4 warps of 64 x 64
    u32 at_a = tiles + (warp_row + lane % 16) * 128 + ((lane / 16 ^ lane % 8) << 4);
    u32 at_b = tiles + A_BYTES + warp_box * BOX + lane % 16 * 128 + ((lane / 16 ^ lane % 8) << 4);

    Copies copies(a, b, row, column, m, n, k);
    for (int s = 0; s < STAGES - 1; ++s) {
        if (s < steps)
            copies.ask(tiles + s * STAGE, s * BK);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    float sum[4][8][4] = {};
    u32 fa[2][4][4], fb[2][8][2];  // the fragments in use, and the next ones
    asm volatile("cp.async.wait_group %0;" :: "n"(STAGES - 2) : "memory");
    __syncthreads();
    load_a(fa[0], at_a);
    load_b(fb[0], at_b);
    int slot = 0;
    for (int step = 0; step < steps; ++step) {
        int here = slot * STAGE;
        u32 free = tiles + (slot == 0 ? STAGES - 1 : slot - 1) * STAGE;  // all are done with it
        slot = slot == STAGES - 1 ? 0 : slot + 1;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            if (j < 3) {
                load_a(fa[(j + 1) % 2], (at_a + here) ^ ((j + 1) << 5));
                load_b(fb[(j + 1) % 2], at_b + here + (j + 1) * 16 * 128);
            } else {  // the next stage is there, and nobody reads this one any more
                asm volatile("cp.async.wait_group %0;" :: "n"(STAGES - 2) : "memory");
                __syncthreads();
                load_a(fa[0], at_a + slot * STAGE);
                load_b(fb[0], at_b + slot * STAGE);
            }
            if (j == 0) {  // while the tensor cores are busy
                if (step + STAGES - 1 < steps)
                    copies.ask(free, (step + STAGES - 1) * BK);
                asm volatile("cp.async.commit_group;" ::: "memory");
            }
            for (int x = 0; x < 4; ++x)
                for (int y = 0; y < 8; ++y)
                    mma(sum[x][y], fa[j % 2][x], fb[j % 2][y]);
        }
    }
    for (int x = 0; x < 4; ++x)
        for (int y = 0; y < 8; ++y) {
            int r = row + warp_row + x * 16 + lane / 4;
            int col = column + warp_box * 64 + y * 8 + lane % 4 * 2;
            if (r < m && col < n)
                *(u32*)(c + (size_t)r * n + col) = pack(sum[x][y][0], sum[x][y][1]);
            if (r + 8 < m && col < n)
                *(u32*)(c + (size_t)(r + 8) * n + col) = pack(sum[x][y][2], sum[x][y][3]);
        }
}
