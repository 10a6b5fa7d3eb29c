#include <cstddef>
#include <immintrin.h>

// Eight floats a register, four registers of running sums.
extern "C" __attribute__((target("avx2,fma")))
float energy_avx2(const float *x, size_t n) {
    __m256 sum[4] = {};
    size_t i = 0;
    for (; i + 32 <= n; i += 32)
        for (int k = 0; k < 4; ++k) {
            __m256 v = _mm256_loadu_ps(x + i + 8 * k);
            sum[k] = _mm256_fmadd_ps(v, v, sum[k]);
        }
    __m256 all = _mm256_add_ps(_mm256_add_ps(sum[0], sum[1]), _mm256_add_ps(sum[2], sum[3]));
    float lanes[8], total = 0;
    _mm256_storeu_ps(lanes, all);
    for (float lane : lanes) total += lane;
    for (; i < n; ++i) total += x[i] * x[i]; // what is left over, one by one
    return total;
}

// Sixteen floats a register, and a mask for what is left over.
extern "C" __attribute__((target("avx512f")))
float energy_avx512(const float *x, size_t n) {
    __m512 sum[4] = {};
    size_t i = 0;
    for (; i + 64 <= n; i += 64)
        for (int k = 0; k < 4; ++k) {
            __m512 v = _mm512_loadu_ps(x + i + 16 * k);
            sum[k] = _mm512_fmadd_ps(v, v, sum[k]);
        }
    for (; i < n; i += 16) {
        size_t left = n - i;
        __mmask16 inside = left < 16 ? (1u << left) - 1 : 0xFFFF;
        __m512 v = _mm512_maskz_loadu_ps(inside, x + i); // lanes outside are 0
        sum[0] = _mm512_fmadd_ps(v, v, sum[0]);
    }
    return _mm512_reduce_add_ps(_mm512_add_ps(_mm512_add_ps(sum[0], sum[1]),
                                              _mm512_add_ps(sum[2], sum[3])));
}

// What this CPU can run.
extern "C" int widest() {
    if (__builtin_cpu_supports("avx512f")) return 512;
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? 256 : 128;
}
