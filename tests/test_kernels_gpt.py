"""GPT-2's kernels: gradients against NumPy or finite differences here, against PyTorch on a GPU."""

import numpy as np
import pytest

from tests.wide import SIMULATOR, loading


def rows_of(cuda, kernel, count, *arrays):
    """Launch a warp to a row; return the arrays afterward."""
    placed = [cuda.to_device(a) if getattr(a, "shape", ()) else a for a in arrays]
    kernel[-(-count // 4), (32, 4)](*placed)
    return [a.copy_to_host() if getattr(a, "shape", ()) else a for a in placed]


def random_of(*shape):
    return np.random.default_rng(shape).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("rows, columns", [(1, 1), (3, 31), (5, 33), (9, 100)])
def test_norm_and_its_gradient(rows, columns):
    x, weight, bias = random_of(rows, columns), random_of(columns), random_of(columns, 1)[:, 0]
    d_out = random_of(rows, columns + 1)[:, 1:].copy()
    empty = np.full(rows, np.nan, np.float32)
    with loading() as (load, cuda):
        forward, backward = load("kernels.gpt.forward"), load("kernels.gpt.backward")
        out = np.full_like(x, np.nan)
        *_, out, means, scales = rows_of(
            cuda, forward.norm_kernel, rows, x, weight, bias, out, empty, empty.copy()
        )
        before = np.ones_like(x)
        *_, d_x = rows_of(
            cuda, backward.norm_back_kernel, rows, d_out, x, weight, means, scales, before
        )
    deep = x.astype(np.float64)
    mean = deep.mean(axis=1, keepdims=True)
    scale = 1 / np.sqrt(deep.var(axis=1, keepdims=True) + 1e-5)
    normed = (deep - mean) * scale
    np.testing.assert_allclose(out, normed * weight + bias, rtol=1e-4, atol=1e-5)
    d = d_out.astype(np.float64) * weight
    tilt = (d * normed).mean(axis=1, keepdims=True)
    right = scale * (d - d.mean(axis=1, keepdims=True) - normed * tilt)
    np.testing.assert_allclose(d_x, 1 + right, rtol=2e-3, atol=2e-4)


@pytest.mark.parametrize("rows, columns", [(1, 1), (7, 33), (40, 65)])
def test_column_sums(rows, columns):
    x, start = random_of(rows, columns), random_of(columns)
    with loading() as (load, cuda):
        kernel = load("kernels.gpt.backward").column_sums_kernel
        d_start = cuda.to_device(start)
        kernel[(-(-columns // 32), 2), (32, 8)](cuda.to_device(x), d_start)
        found = d_start.copy_to_host()
    np.testing.assert_allclose(found, start + x.sum(axis=0), rtol=1e-4, atol=1e-5)


def losses_of(kernel_of):
    logits, targets = 10 * random_of(6, 40), np.array([0, 32, 31, 5, 38, 7], np.int32)
    with loading() as (load, cuda):
        kernel = kernel_of(load)
        filled = np.full(6, np.nan, np.float32)
        gradient, _, _, losses = rows_of(cuda, kernel, 6, logits, targets, np.int32(39), filled)
    powers = np.exp(logits[:, :39].astype(np.float64))
    shares = powers / powers.sum(axis=1, keepdims=True)
    return losses, -np.log(shares[np.arange(6), targets]), gradient, shares, targets


def test_loss_and_its_gradient():
    losses, right, gradient, shares, targets = losses_of(
        lambda load: load("kernels.gpt.forward").loss_kernel
    )
    np.testing.assert_allclose(losses, right, rtol=1e-4, atol=1e-4)
    shares[np.arange(6), targets] -= 1
    np.testing.assert_allclose(gradient[:, :39], shares / 6, atol=1e-5)
    assert not gradient[:, 39].any()  # no symbol stands there


def test_the_loss_that_is_read_too_late_is_caught():
    def late(load):
        return load("kernels.wrong.gpt_loss_late").loss_late_kernel

    if SIMULATOR:  # the stepper sees the race itself
        with pytest.raises(Exception, match="nothing says which comes first"):
            losses_of(late)
    else:
        losses, right, *_ = losses_of(late)
        assert np.abs(losses - right).max() > 1


if SIMULATOR:

    @pytest.mark.parametrize("layers, batch", [(1, 1), (2, 2)])
    def test_the_gradient_is_that_of_the_loss(layers, batch):
        with loading() as (load, _):
            model, plain = load("kernels.gpt.model"), load("kernels.gpt.blas").Plain
            config = model.Config(layers, 2, 8, 3, 5, batch)
            gpt = model.GPT(config, np, plain.gemm)
            random = np.random.default_rng(seed=layers)
            gpt.flat += random.normal(0, 0.3, gpt.flat.size).astype(np.float32)
            gpt.tokens[:], gpt.targets[:] = random.integers(0, 5, (2, 3 * batch))
            by_gradient, by_losses = model.slopes(gpt)
        assert by_gradient == pytest.approx(by_losses, rel=2e-3)

else:
    import torch

    from kernels.gpt import model as ours
    from kernels.gpt.in_torch import TorchGPT
    from kernels.gpt.train import on_gpu, record

    CONFIGS = [(2, 2, 8, 5, 11, 2), (2, 3, 96, 33, 67, 3), (1, 1, 64, 64, 65, 1)]

    @pytest.mark.parametrize("config", CONFIGS)
    def test_gradients_are_those_of_pytorch(config):
        config = ours.Config(*config)
        model, stream = on_gpu(config)
        random = np.random.default_rng(seed=0)
        for array in (model.tokens, model.targets):
            array.set(random.integers(0, config.symbols, array.size).astype(np.int32))
        with stream:
            ours.forward(model)
            ours.loss(model)
            ours.backward(model)
        stream.synchronize()
        reference = TorchGPT(config).cuda().double()
        for name, view in ours.named(model.flat, config).items():
            reference.named()[name].data.copy_(torch.as_tensor(view))
        arrays = (model.tokens, model.targets)
        shaped = [torch.as_tensor(a).long().view(config.batch, -1) for a in arrays]
        loss = reference(*shaped)
        loss.backward()
        assert float(model.losses.mean()) == pytest.approx(loss.item(), rel=1e-3)
        for name, view in ours.named(model.d_flat, config).items():
            right = reference.named()[name].grad
            assert (torch.as_tensor(view).double() - right).norm() < 1e-2 * right.norm(), name

    def test_a_step_as_a_graph_is_the_step():
        config = ours.Config(2, 2, 64, 32, 40, 4)
        weights = []
        for graph in (False, True):
            model, stream = on_gpu(config)
            with stream:
                model.tokens[:] = model.xp.arange(model.tokens.size) % 40
                model.targets[:] = model.xp.arange(model.tokens.size) * 7 % 40
                model.rates[:] = 0
                work = record(stream, lambda m=model: ours.train_step(m))
                model.first[:], model.second[:] = 0, 0
                for step in range(1, 6):
                    model.rates.set(ours.rates(step, 1e-3))
                    work.launch(stream) if graph else ours.train_step(model)
            stream.synchronize()
            weights.append(model.flat.get())
        np.testing.assert_allclose(*weights, atol=1e-5)
