extern "C" __global__ void mandelbrot(unsigned* counts, unsigned width, unsigned height,
                                      float left, float top, float step, unsigned most) {
  unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= height || column >= width) {
    return;
  }
  float cx = fmaf((float)column, step, left);
  float cy = fmaf((float)row, -step, top);
  float x = 0.0f, y = 0.0f;
  unsigned count = 0;
  while (count < most && fmaf(x, x, y * y) <= 4.0f) {
    float next = fmaf(x, x, -(y * y)) + cx;
    y = fmaf(x + x, y, cy);
    x = next;
    count++;
  }
  counts[row * width + column] = count;
}
