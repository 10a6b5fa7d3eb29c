#include <cstddef>

extern "C" void mix(float gain, const float *x, const float *y, float *out, size_t n) {
    for (size_t i = 0; i < n; ++i)
        out[i] = gain * x[i] + y[i];
}

extern "C" float energy(const float *x, size_t n) {
    float total = 0;
    for (size_t i = 0; i < n; ++i)
        total += x[i] * x[i];
    return total;
}

extern "C" void limit(float top, const float *x, float *out, size_t n) {
    for (size_t i = 0; i < n; ++i)
        out[i] = x[i] > top ? top : x[i];
}

extern "C" void echo(float decay, const float *x, float *out, size_t n) {
    for (size_t i = 1; i < n; ++i)
        out[i] = decay * out[i - 1] + x[i];
}
