#include <cstdio>
#include <sycl/sycl.hpp>

int main() {
    sycl::queue queue;  // the best device there is: NVIDIA, AMD, Intel, or the CPU
    int n = 1000;
    float* x = sycl::malloc_shared<float>(n, queue);
    float* y = sycl::malloc_shared<float>(n, queue);
    for (int i = 0; i < n; ++i) x[i] = i, y[i] = 1;
    queue.parallel_for(n, [=](sycl::id<1> i) { y[i] = 2 * x[i] + y[i]; }).wait();
    printf("y[999] = %g\n", y[999]);
    sycl::free(x, queue), sycl::free(y, queue);
}
