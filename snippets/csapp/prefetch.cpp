#include <cstddef>
#include <cstdint>

// Sum x in an order that no prefetcher can guess.
extern "C" int64_t visit(const int64_t *x, const int64_t *order, size_t n) {
    int64_t total = 0;
    for (size_t i = 0; i < n; ++i)
        total += x[order[i]];
    return total;
}

// The same, asking for the line that is needed `ahead` steps later.
extern "C" int64_t visit_ahead(const int64_t *x, const int64_t *order, size_t n, size_t ahead) {
    int64_t total = 0;
    size_t i = 0;
    for (; i + ahead < n; ++i) {
        __builtin_prefetch(&x[order[i + ahead]]);
        total += x[order[i]];
    }
    for (; i < n; ++i)
        total += x[order[i]];
    return total;
}
