// The operator lockstep::swiglu: what PyTorch knows of it, and what it runs on a GPU.
#include <ATen/ATen.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

template <typename T>
void swiglu_forward(const T*, const T*, T*, long long, cudaStream_t);
template <typename T>
void swiglu_backward(const T*, const T*, const T*, T*, T*, long long, cudaStream_t);

void check(const at::Tensor& gate, const at::Tensor& other) {
  TORCH_CHECK(gate.is_cuda() && other.device() == gate.device(), "one GPU for all tensors");
  TORCH_CHECK(gate.sizes() == other.sizes(), "shapes ", gate.sizes(), " and ", other.sizes());
  TORCH_CHECK(gate.scalar_type() == other.scalar_type(), "one dtype for all tensors");
}

at::Tensor forward(const at::Tensor& gate, const at::Tensor& up) {
  check(gate, up);
  const c10::cuda::CUDAGuard guard(gate.device());  // the tensors' GPU, not GPU 0
  auto a = gate.contiguous(), b = up.contiguous();
  auto out = at::empty_like(a);
  AT_DISPATCH_FLOATING_TYPES(a.scalar_type(), "swiglu", [&] {
    swiglu_forward<scalar_t>(a.const_data_ptr<scalar_t>(), b.const_data_ptr<scalar_t>(),
                             out.mutable_data_ptr<scalar_t>(), a.numel(),
                             c10::cuda::getCurrentCUDAStream());  // behind what was queued
  });
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}

std::tuple<at::Tensor, at::Tensor> backward(const at::Tensor& grad, const at::Tensor& gate,
                                            const at::Tensor& up) {
  check(gate, up);
  check(gate, grad);
  const c10::cuda::CUDAGuard guard(gate.device());
  auto g = grad.contiguous(), a = gate.contiguous(), b = up.contiguous();
  auto d_gate = at::empty_like(a), d_up = at::empty_like(b);
  AT_DISPATCH_FLOATING_TYPES(a.scalar_type(), "swiglu_backward", [&] {
    swiglu_backward<scalar_t>(g.const_data_ptr<scalar_t>(), a.const_data_ptr<scalar_t>(),
                              b.const_data_ptr<scalar_t>(), d_gate.mutable_data_ptr<scalar_t>(),
                              d_up.mutable_data_ptr<scalar_t>(), a.numel(),
                              c10::cuda::getCurrentCUDAStream());
  });
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return {d_gate, d_up};
}

TORCH_LIBRARY(lockstep, m) {
  m.def("swiglu(Tensor gate, Tensor up) -> Tensor");
  m.def("swiglu_backward(Tensor grad, Tensor gate, Tensor up) -> (Tensor, Tensor)");
}

TORCH_LIBRARY_IMPL(lockstep, CUDA, m) {
  m.impl("swiglu", &forward);
  m.impl("swiglu_backward", &backward);
}
