"""What torch.compile fuses, read from the code that it generates."""

# --8<-- [start:network]
import re

import torch
from torch import nn
from torch._inductor.utils import run_and_get_code


class Network(nn.Module):
    """Two convolutions with a shortcut, then a linear layer and GELU, its formula spelled out."""

    def __init__(self, channels=64, classes=16):
        super().__init__()
        self.first = nn.Conv2d(3, channels, 3, padding=1, bias=False)
        self.second = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.norms = nn.ModuleList(nn.BatchNorm2d(channels) for _ in range(2))
        self.head = nn.Linear(channels, classes)

    def forward(self, image):
        x = torch.relu(self.norms[0](self.first(image)))
        x = torch.relu(self.norms[1](self.second(x)) + x)
        x = self.head(x.mean(dim=(2, 3)))
        return x * (1 + torch.erf(x / 2**0.5)) / 2


# --8<-- [end:network]


# --8<-- [start:read]
def launches(code):
    """Return what generated code calls, in order, with the operators that each call computes."""
    found, operators = [], ""
    for line in code[code.index("def call(") :].splitlines():
        if comment := re.search(r"Original ATen: \[(.*)\]", line):
            operators = comment[1].replace("aten.", "")
        elif call := re.match(r" +(?:\w+ = )?(extern_kernels\.\w+|\w+_fused_\w+)\b.*\(", line):
            found.append((call[1], operators))
    return found


# --8<-- [end:read]

# --8<-- [start:run]
torch.manual_seed(7)
model = Network().cuda().eval()
image = torch.randn(32, 3, 112, 112, device="cuda")
for frozen in (False, True):
    torch._dynamo.reset()
    with torch.no_grad(), torch._inductor.config.patch(freezing=frozen):
        answer, (code,) = run_and_get_code(torch.compile(model), image)
        torch.testing.assert_close(answer, model(image), rtol=1e-2, atol=1e-2)
    calls = launches(code)
    print(f"{len(calls)} calls" + (", the weights known to the compiler" if frozen else ""))
    for name, operators in calls:
        print(f"  {name}\n      {operators}")
# --8<-- [end:run]

# --8<-- [start:kernel]
name = [name for name, _ in calls if name.startswith("triton_")][-1]
source = code[code.index(f"def {name}(") :]
print(source[: source.index("\n'''")])
# --8<-- [end:kernel]

# --8<-- [start:export]
import onnxruntime  # noqa: E402

program = torch.onnx.export(model.cpu(), (image.cpu(),), dynamo=True, verbose=False)
graph = program.model_proto.graph
print(*(node.op_type for node in graph.node))
session = onnxruntime.InferenceSession(program.model_proto.SerializeToString())
(exported,) = session.run(None, {graph.input[0].name: image.cpu().numpy()})
with torch.no_grad():
    expected = model(image.cpu())
torch.testing.assert_close(torch.from_numpy(exported), expected, rtol=1e-3, atol=1e-3)
# --8<-- [end:export]
