"""A small transformer in PyTorch: profiled, and launched in three ways."""

# --8<-- [start:imports]
from collections import Counter

import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention
from torch.profiler import ProfilerActivity, profile, record_function, schedule

# --8<-- [end:imports]


# --8<-- [start:model]
class Layer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )

    def attention(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        y = scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(batch, length, width))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


def make_model(layers=12, width=256, heads=4):
    torch.manual_seed(1)
    return nn.Sequential(*[Layer(width, heads) for _ in range(layers)]).cuda()


# --8<-- [end:model]


# --8<-- [start:train]
def train_step(model, optimizer, x):
    with record_function("forward"):
        loss = model(x).square().mean()
    with record_function("backward"):
        loss.backward()
    with record_function("update"):
        optimizer.step()
        optimizer.zero_grad()


# --8<-- [end:train]


# --8<-- [start:recipe]
def recipe(model, x, file):
    """Profile three steps of training, after one that is skipped and one to warm up."""
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False, fused=False)
    with profile(
        activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA],
        schedule=schedule(wait=1, warmup=1, active=3, repeat=1),
        on_trace_ready=lambda profiler: profiler.export_chrome_trace(file),
        record_shapes=True,
        profile_memory=True,
    ) as profiler:
        for _ in range(5):
            train_step(model, optimizer, x)
            torch.cuda.synchronize()  # or the next step's record takes in kernels of this one
            profiler.step()
    return profiler.key_averages()


# --8<-- [end:recipe]


# --8<-- [start:table]
def print_table(averages, rows=8):
    """Print whose kernels took the GPU's time, most first, and what handing them over took."""
    cuda = torch.autograd.DeviceType.CUDA
    operators = [e for e in averages if e.device_type != cuda]
    kernels = [e for e in averages if e.device_type == cuda and not e.is_user_annotation]
    print(f"{'operator':36}{'calls':>7}{'GPU ms':>9}{'host ms':>9}")
    for e in sorted(operators, key=lambda e: -e.self_device_time_total)[:rows]:
        gpu, host = e.self_device_time_total / 1e3, e.self_cpu_time_total / 1e3
        print(f"{e.key[:34]:36}{e.count:7}{gpu:9.2f}{host:9.2f}")
    gpu = sum(e.self_device_time_total for e in kernels) / 1e3
    host = sum(e.self_cpu_time_total for e in operators) / 1e3
    print(f"{'all':36}{sum(e.count for e in kernels):7}{gpu:9.2f}{host:9.2f}")


# --8<-- [end:table]


# --8<-- [start:modules]
def name_modules(model):
    """Let each module of the model appear in traces by its name, forward only."""
    for name, module in model.named_modules():
        open_ranges = []

        def enter(module, inputs, name=name, ranges=open_ranges):
            ranges.append(record_function(f"module {name or 'model'}"))
            ranges[-1].__enter__()

        def leave(module, inputs, output, ranges=open_ranges):
            ranges.pop().__exit__(None, None, None)

        module.register_forward_pre_hook(enter)
        module.register_forward_hook(leave)


# --8<-- [end:modules]


# --8<-- [start:memory]
def allocated(work):
    """Return the bytes that ``work`` asked for, by the function and line that asked."""
    torch.cuda.memory._record_memory_history(stacks="python")
    work()
    snapshot = torch.cuda.memory._snapshot()
    torch.cuda.memory._record_memory_history(enabled=None)
    found = Counter()
    for entry in snapshot["device_traces"][0]:
        if entry["action"] == "alloc":
            ours = [f for f in entry["frames"] if "torch" not in f["filename"]]
            place = f"{ours[0]['name']}, line {ours[0]['line']}" if ours else "backward, no Python"
            found[place] += entry["size"]
    return found


# --8<-- [end:memory]


# --8<-- [start:graph]
def graphed(model, x):
    """Record one forward pass as a CUDA graph. Return a function that launches it on new data."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream), torch.no_grad():  # libraries make their workspaces here
        for _ in range(3):
            model(x)
    torch.cuda.current_stream().wait_stream(stream)
    held, graph = x.clone(), torch.cuda.CUDAGraph()
    with torch.no_grad(), torch.cuda.graph(graph):
        result = model(held)

    def launch(x):
        held.copy_(x)  # the graph keeps its addresses: new data goes where it reads
        graph.replay()
        return result

    return launch


# --8<-- [end:graph]


# --8<-- [start:count]
def launches(work):
    """Return how many kernels the GPU ran, how many calls launched them, and the kernels' time.

    The time is in µs, and kernels that overlap count one by one.
    """
    for _ in range(3):  # it loads kernels, and a compiled model records its graph
        work()
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiler:
        work()
        torch.cuda.synchronize()
    events = profiler.events()
    on_gpu = [e for e in events if e.device_type == torch.autograd.DeviceType.CUDA]
    calls = [e for e in events if e.name.startswith("cu") and "Launch" in e.name]
    return len(on_gpu), len(calls), sum(e.device_time for e in on_gpu)


# --8<-- [end:count]


# --8<-- [start:optimizer]
def update_launches(model, x, **options):
    """Return how many kernels are launched by one update of the weights."""
    optimizer = torch.optim.AdamW(model.parameters(), **options)
    for _ in range(2):  # the first update makes the optimizer's own tensors
        train_step(model, optimizer, x)
    model(x).square().mean().backward()
    kernels, _, _ = launches(optimizer.step)
    return kernels


# --8<-- [end:optimizer]


def examples():
    """The three ways agree, and the operations are those of the formula.

    --8<-- [start:flops]
    >>> from torch.utils.flop_counter import FlopCounterMode
    >>> model, x = make_model(), torch.randn(1, 64, 256, device="cuda")
    >>> with FlopCounterMode(display=False) as counter, torch.no_grad():
    ...     _ = model(x)
    >>> counter.get_total_flops() - 12 * 64 * 2 * 12 * 256**2  # layers x tokens x 2 x weights
    50331648

    --8<-- [end:flops]

    --8<-- [start:same]
    >>> with torch.no_grad():
    ...     eager = model(x)
    >>> by_graph = graphed(model, x)
    >>> torch.allclose(by_graph(x), eager, atol=1e-5)
    True
    >>> compiled = torch.compile(model, mode="reduce-overhead")
    >>> with torch.no_grad():
    ...     close = torch.allclose(compiled(x), eager, atol=1e-4)
    >>> close
    True

    --8<-- [end:same]

    --8<-- [start:modules_example]
    >>> named = make_model(layers=2)
    >>> name_modules(named)
    >>> with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiler:
    ...     _ = named(torch.randn(1, 64, 256, device="cuda"))
    >>> found = {e.key for e in profiler.key_averages() if e.key.startswith("module ")}
    >>> len(found), "module 1.mlp.0" in found
    (19, True)

    --8<-- [end:modules_example]

    --8<-- [start:optimizer_example]
    >>> net = make_model()
    >>> one_by_one = update_launches(net, x, foreach=False)
    >>> update_launches(net, x, fused=True) < update_launches(net, x, foreach=True) < one_by_one
    True

    --8<-- [end:optimizer_example]
    """
