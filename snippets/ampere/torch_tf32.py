"""The setting that lets PyTorch multiply float32 matrices in TF32: off, then on, both timed."""

# --8<-- [start:setting]
import torch

n = 8192
generator = torch.Generator("cuda").manual_seed(1)
a, b = (torch.randn(n, n, device="cuda", generator=generator) for _ in range(2))
exact = a.double() @ b.double()
matmul = torch.backends.cuda.matmul
print(f"as PyTorch comes: {matmul.fp32_precision!r}")

errors = {}
for precision in ("ieee", "tf32"):
    matmul.fp32_precision = precision  # this line is the setting
    c = a @ b  # the first call chooses a kernel; it isn't timed
    times = []
    for _ in range(9):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        torch.matmul(a, b, out=c)
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end))
    took = sorted(times)[4]
    errors[precision] = ((c - exact).norm() / exact.norm()).item()
    print(f"{precision}: {took:5.2f} ms, {2 * n**3 / took / 1e9:3.0f} TFLOP/s,", end=" ")
    print(f"error {errors[precision]:.1e}")
matmul.fp32_precision = "ieee"  # for whatever comes after
assert errors["ieee"] < 1e-5 < errors["tf32"] < 1e-3
# --8<-- [end:setting]
