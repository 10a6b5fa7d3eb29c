"""What a port to Metal writes in another way: kernels that run on CUDA as they would there."""
