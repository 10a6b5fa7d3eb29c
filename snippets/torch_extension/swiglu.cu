// SwiGLU, the gate of most language models' layers: out = gate * sigmoid(gate) * up, and its
// gradient. No header of PyTorch: this file compiles in a second, and its functions are what the
// binding calls.
#ifndef __CUDACC_RTC__
#include <cuda_runtime.h>
#endif

template <typename T>
__device__ T sigmoid(T x) {
  return T(1) / (T(1) + exp(-x));
}

template <typename T>
__global__ void forward(const T* gate, const T* up, T* out, long long n) {
  long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) out[i] = gate[i] * sigmoid(gate[i]) * up[i];
}

template <typename T>
__global__ void backward(const T* grad, const T* gate, const T* up, T* d_gate, T* d_up,
                         long long n) {
  long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) {
    T s = sigmoid(gate[i]);
    d_gate[i] = grad[i] * up[i] * s * (T(1) + gate[i] * (T(1) - s));
    d_up[i] = grad[i] * gate[i] * s;
  }
}

#ifndef __CUDACC_RTC__  // the host's part: nvcc compiles it, NVRTC knows no host
template <typename T>
void swiglu_forward(const T* gate, const T* up, T* out, long long n, cudaStream_t stream) {
  if (n) forward<<<(n + 255) / 256, 256, 0, stream>>>(gate, up, out, n);
}

template <typename T>
void swiglu_backward(const T* grad, const T* gate, const T* up, T* d_gate, T* d_up, long long n,
                     cudaStream_t stream) {
  if (n) backward<<<(n + 255) / 256, 256, 0, stream>>>(grad, gate, up, d_gate, d_up, n);
}

template void swiglu_forward(const float*, const float*, float*, long long, cudaStream_t);
template void swiglu_forward(const double*, const double*, double*, long long, cudaStream_t);
template void swiglu_backward(const float*, const float*, const float*, float*, float*, long long,
                              cudaStream_t);
template void swiglu_backward(const double*, const double*, const double*, double*, double*,
                              long long, cudaStream_t);
#endif
