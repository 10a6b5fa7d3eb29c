"""The same kernel in Triton, for the dialects on its way down."""

# --8<-- [start:triton]
import torch
import triton
import triton.language as tl


@triton.jit
def fahrenheit_triton(c, f, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(f + i, 1.8 * tl.load(c + i, mask=i < n) + 32.0, mask=i < n)


t_c = torch.linspace(-40, 100, 1000, device="cuda")
t_f = torch.empty_like(t_c)
made_by_triton = fahrenheit_triton[(4,)](t_c, t_f, 1000, BLOCK=256)
torch.testing.assert_close(t_f, 1.8 * t_c + 32)
for stage, text in made_by_triton.asm.items():
    if isinstance(text, str):
        print(f"{stage}: {len(text.splitlines())} lines")
        print(
            "\n".join(
                line.strip() for line in text.splitlines() if "mulf" in line or "fma.rn" in line
            )
        )
# --8<-- [end:triton]
