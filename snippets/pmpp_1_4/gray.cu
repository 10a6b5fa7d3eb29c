extern "C" __global__ void gray(const unsigned char* color, unsigned char* gray,
                                int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        int pixel = y * width + x;  // rows lie one after the other
        gray[pixel] = (54 * color[3 * pixel] + 183 * color[3 * pixel + 1] +
                       19 * color[3 * pixel + 2]) / 256;
    }
}
