"""PyTorch on whatever accelerator there is: CUDA, Metal (mps), or the CPU."""

# --8<-- [start:imports]
import time

import torch

# --8<-- [end:imports]


# --8<-- [start:device]
def pick_device():
    """Return the device to use: an NVIDIA or Apple GPU where there is one, or the CPU."""
    if torch.accelerator.is_available():
        return torch.accelerator.current_accelerator()
    return torch.device("cpu")


def wait(device):
    """Return when all work given to the device is done."""
    if device.type != "cpu":
        torch.accelerator.synchronize()


device = pick_device()
print("device:", device.type)
# --8<-- [end:device]


# --8<-- [start:train]
torch.manual_seed(1)
points = torch.rand(4096, 2, device=device) * 2 - 1
inside = (points.square().sum(1) < 0.5).float().unsqueeze(1)  # float32 on every device

model = torch.nn.Sequential(torch.nn.Linear(2, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1)).to(
    device
)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)

start = time.perf_counter()
for _ in range(300):
    optimizer.zero_grad()
    error = torch.nn.functional.binary_cross_entropy_with_logits(model(points), inside)
    error.backward()
    optimizer.step()
wait(device)
seconds = time.perf_counter() - start

right = ((model(points) > 0) == (inside > 0)).float().mean().item()
assert right > 0.95, right
print(f"right: {right:.0%}, in {seconds:.2f} s")
# --8<-- [end:train]


# --8<-- [start:double]
def exact_mean(values):
    """Return the mean of a tensor in double precision, also where the GPU has none."""
    if values.device.type == "mps":
        values = values.cpu()
    return values.double().mean().item()


print(f"mean: {exact_mean(torch.arange(5.0, device=device))}")
# --8<-- [end:double]
