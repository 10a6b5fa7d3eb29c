extern "C" __global__ void mirror(const unsigned char* image, unsigned char* out,
                                  unsigned width, unsigned height) {
  unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < height && column < width) {
    out[row * width + column] = image[row * width + (width - 1 - column)];
  }
}
