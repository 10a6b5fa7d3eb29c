template <int DEGREE, bool CLAMP>
__global__ void polynomial(const float* coefficients, const float* x, float* out, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) {
    return;
  }
  float value = coefficients[DEGREE];
  for (int power = DEGREE - 1; power >= 0; power--) {
    value = fmaf(value, x[i], coefficients[power]);
  }
  if (CLAMP) {
    value = fminf(fmaxf(value, 0.0f), 1.0f);
  }
  out[i] = value;
}
