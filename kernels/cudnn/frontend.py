"""cuDNN's normalizations through its frontend, which PyTorch does not call."""

# --8<-- [start:imports]
import cudnn  # the package nvidia-cudnn-frontend
import torch

# --8<-- [end:imports]


# --8<-- [start:norm]
def norm_cudnn(x, weight, bias, out, eps=1e-5):
    """Return a call that writes the layer norm of each row to out; without a bias, the RMS norm.

    The rows are float32. Building the graph takes long, and a call is short: build it once.

    --8<-- [start:example]
    >>> x, out = torch.randn(300, 4096, device="cuda"), torch.empty(300, 4096, device="cuda")
    >>> weight, bias = torch.randn(2, 4096, device="cuda")
    >>> norm_cudnn(x, weight, bias, out)()
    >>> torch.allclose(out, layer_norm(x, (4096,), weight, bias), atol=1e-4)
    True
    >>> norm_cudnn(x, weight, None, out)()
    >>> torch.allclose(out, torch.nn.functional.rms_norm(x, (4096,), weight, 1e-5), atol=1e-4)
    True

    --8<-- [end:example]
    """
    handle = cudnn.create_handle()
    kind = cudnn.data_type.FLOAT
    graph = cudnn.pygraph(handle=handle, intermediate_data_type=kind, compute_data_type=kind)
    (rows, columns), how = x.shape, {"norm_forward_phase": cudnn.norm_forward_phase.INFERENCE}

    def tensor(n):  # images of one pixel, with a row's numbers as channels
        stride = [columns, 1, columns, columns]
        return graph.tensor(dim=[n, columns, 1, 1], stride=stride, data_type=kind)

    how["input"], how["scale"] = tensor(rows), tensor(1)
    how["epsilon"] = graph.tensor(
        dim=[1, 1, 1, 1], stride=[1, 1, 1, 1], data_type=kind, is_pass_by_value=True
    )
    memory = {how["input"]: x, how["scale"]: weight, how["epsilon"]: torch.full((1, 1, 1, 1), eps)}
    if bias is not None:
        how["bias"] = tensor(1)
        memory[how["bias"]] = bias
    result, *_ = graph.rmsnorm(**how) if bias is None else graph.layernorm(**how)
    result.set_output(True).set_data_type(kind)
    memory[result] = out
    graph.build([cudnn.heur_mode.A, cudnn.heur_mode.FALLBACK])
    workspace = torch.empty(graph.get_workspace_size(), dtype=torch.uint8, device="cuda")
    return lambda: graph.execute(memory, workspace, handle)


# --8<-- [end:norm]
