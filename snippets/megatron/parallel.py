import os
import sys
from datetime import timedelta

import torch
import torch.distributed as dist
from layers import Layer
from torch import nn

os.environ["NCCL_NVLS_ENABLE"] = "0"  # rings and trees only
rank, ranks = int(os.environ["LOCAL_RANK"]), int(os.environ["WORLD_SIZE"])
device = "cuda" if torch.cuda.device_count() >= ranks else "cpu"
if device == "cuda":
    torch.cuda.set_device(rank)
limit = timedelta(seconds=60)
dist.init_process_group("nccl" if device == "cuda" else "gloo", timeout=limit)
# Two groups of the same ranks: activations and gradients must not queue behind one another.
ahead, back = dist.new_group(timeout=limit), dist.new_group(timeout=limit)
WIDTH, HEADS, LAYERS, LENGTH = (2048, 16, 8, 1024) if device == "cuda" else (64, 4, 4, 16)


def layers(count, ranks=1, rank=0):
    torch.manual_seed(0)
    parts = (Layer(WIDTH, HEADS, ranks, rank, device) for _ in range(count))
    return nn.Sequential(*parts).to(device)


def batch(sequences):
    torch.manual_seed(1)
    return torch.randn(sequences, LENGTH, WIDTH).to(device)


def say(*words):
    if rank == 0:
        print(*words, flush=True)


def off(ours, right):
    ours, right = ours.detach().double(), right.detach().double()
    return float((ours - right).norm() / right.norm())


def tensor_parallel():
    """Every rank a part of each layer: outputs and gradients are those of one device."""
    whole, mine, x = layers(2), layers(2, ranks, rank), batch(2)
    x_whole, x_mine = (x.clone().requires_grad_() for _ in range(2))
    y_whole, y_mine = whole(x_whole), mine(x_mine)
    for y in (y_whole, y_mine):
        (y * y).mean().backward()
    worst = max(off(y_mine, y_whole), off(x_mine.grad, x_whole.grad))
    for (name, p), (_, q) in zip(whole.named_parameters(), mine.named_parameters(), strict=True):
        axis = 1 if name.endswith(("out", "down")) else 0
        share = p.grad if p.shape == q.shape else p.grad.chunk(ranks, axis)[rank]
        worst = max(worst, off(q.grad, share))
    worst = torch.tensor(worst, device=device)
    dist.all_reduce(worst, op=dist.ReduceOp.MAX)
    assert worst < 1e-4, worst
    say(f"tensor parallel, {ranks} ranks: off by at most {worst.item():.0e}")


def state_memory():
    """The bytes of weights, gradients and Adam's state on one GPU, beside the calculator's."""
    start = torch.cuda.memory_allocated()
    for parts in (1, ranks):
        model = layers(LAYERS, parts, rank if parts > 1 else 0)
        optimizer = torch.optim.AdamW(model.parameters())
        model(batch(1)).mean().backward()
        optimizer.step()
        measured = torch.cuda.memory_allocated() - start
        formula = 16 * 12 * WIDTH**2 * LAYERS / parts  # weight, gradient and two moments: float32
        say(f"state, tensor {parts}: {measured / 1e9:.2f} GB, by formula {formula / 1e9:.2f} GB")
        del model, optimizer


def gpipe(stage, micro):
    return ["F"] * micro + ["B"] * micro


def one_f_one_b(stage, micro):
    first = min(ranks - 1 - stage, micro)
    return ["F"] * first + ["F", "B"] * (micro - first) + ["B"] * first


def pipeline(schedule, stage, x, targets):
    """One step: x and targets are lists of micro-batches. Gradients are added up in ``stage``."""
    held, works, at = [], [], {"F": 0, "B": 0}
    for kind in schedule(rank, len(x)):
        m = at[kind]
        at[kind] += 1
        if kind == "F":
            inputs = x[m]
            if rank > 0:
                inputs = torch.empty_like(x[m])
                dist.irecv(inputs, rank - 1, group=ahead).wait()
                inputs.requires_grad_()
            output = stage(inputs)
            if rank < ranks - 1:
                sent = output.detach().contiguous()
                works.append((dist.isend(sent, rank + 1, group=ahead), sent))
            else:
                output = (output - targets[m]).square().mean() / len(x)
            held.append((inputs, output))
        else:
            inputs, output = held.pop(0)
            gradient = None
            if rank < ranks - 1:
                gradient = torch.empty_like(output)
                dist.irecv(gradient, rank + 1, group=back).wait()
            output.backward(gradient)
            if rank > 0:
                works.append((dist.isend(inputs.grad, rank - 1, group=back), inputs.grad))
    for work, _ in works:
        work.wait()


def my_stage():
    each = LAYERS // ranks
    return layers(LAYERS)[rank * each : (rank + 1) * each]


def same_gradients():
    """Both schedules, beside all layers and the whole batch on one device."""
    whole, x, targets = layers(LAYERS), batch(4), batch(4).flip(0)
    (whole(x) - targets).square().mean().backward()
    each = LAYERS // ranks
    for schedule in (gpipe, one_f_one_b):
        stage = my_stage()
        pipeline(schedule, stage, x.chunk(4), targets.chunk(4))
        right = whole[rank * each : (rank + 1) * each].parameters()
        worst = max(off(p.grad, q.grad) for p, q in zip(stage.parameters(), right, strict=True))
        worst = torch.tensor(worst, device=device)
        dist.all_reduce(worst, op=dist.ReduceOp.MAX)
        assert worst < 1e-4, worst
        say(f"{schedule.__name__}, {ranks} stages: off by at most {worst.item():.0e}")


def timed(work, repeats=5):
    """Return the median of the times of some calls, in ms, on the slower rank."""
    times = []
    for _ in range(2 + repeats):
        dist.barrier()
        torch.cuda.synchronize()
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        work()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end))
    slower = torch.tensor(sorted(times[2:])[repeats // 2], device=device)
    dist.all_reduce(slower, op=dist.ReduceOp.MAX)
    return slower.item()


def bubbles():
    """The idle share of a pipeline, measured: beside a stage that never waits."""
    stage, x = my_stage(), batch(1)

    def alone():
        output = stage(x.detach().requires_grad_())
        output.backward(output.detach())

    busy = timed(lambda: [alone() for _ in range(16)]) / 16
    say(f"a micro-batch on one stage: {busy:.2f} ms")
    say("micro-batches  by formula    GPipe              1F1B")
    for micro in (2, 4, 8, 16):
        found = []
        for schedule in (gpipe, one_f_one_b):
            torch.cuda.reset_peak_memory_stats()
            ms = timed(lambda s=schedule, m=micro: pipeline(s, stage, [x] * m, [x] * m))
            found.append((1 - micro * busy / ms, torch.cuda.max_memory_allocated() / 1e9))
        formula = (ranks - 1) / (micro + ranks - 1)
        shown = "   ".join(f"{share:5.1%}, {peak:5.2f} GB" for share, peak in found)
        say(f"{micro:13}  {formula:10.1%}    {shown}")


tensor_parallel()
same_gradients()
if device == "cuda":
    torch.set_float32_matmul_precision("high")
    state_memory()
    bubbles()
sys.stdout.flush()
dist.destroy_process_group()
