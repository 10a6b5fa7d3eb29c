"""An engine of TensorRT for RTX, built on a CPU, and what its builder says that is in it."""

# --8<-- [start:imports]
import copy
import math
import re

import numpy as np
import tensorrt_rtx as trt
from onnx import numpy_helper

# --8<-- [end:imports]


# --8<-- [start:build]
class Messages(trt.ILogger):
    """Keep what TensorRT says, instead of printing it."""

    def __init__(self):
        super().__init__()
        self.said, self.errors = [], []

    def log(self, severity, text):
        kept = self.errors if severity <= trt.ILogger.ERROR else self.said
        kept.append(text)


def built(model, targets=("SM89",), batches=(1, 16, 64)):
    """Return an engine for these compute capabilities, or None, and TensorRT's messages."""
    messages = Messages()
    builder = trt.Builder(messages)
    network = builder.create_network(0)
    parser = trt.OnnxParser(network, messages)
    if not parser.parse(model.SerializeToString()):
        messages.errors += [parser.get_error(i).desc() for i in range(parser.num_errors)]
        return None, messages
    config = builder.create_builder_config()
    config.profiling_verbosity = trt.ProfilingVerbosity.DETAILED
    config.num_compute_capabilities = len(targets)
    for i, target in enumerate(targets):
        config.set_compute_capability(getattr(trt.ComputeCapability, target), i)
    profile = builder.create_optimization_profile()  # the shapes that will come
    profile.set_shape("image", *((n, 3, 32, 32) for n in batches))
    config.add_optimization_profile(profile)
    return builder.build_serialized_network(network, config), messages


# --8<-- [end:build]


# --8<-- [start:layers]
def layers(model, messages):
    """Yield each layer of the engine: kind, name, what it reads, writes, and is made of."""
    listed = next(text for text in messages.said if text.startswith("Layers:"))
    pattern = r"Name: (\S+), LayerType: (\w+), Inputs: (.*), Constants.*Outputs: (.*), TacticName"
    for line in listed.splitlines():
        if found := re.match(pattern, line):
            name, kind, *sides = found.groups()
            name = re.sub(r"^__myl_|(_U\d+)?_myl\d+_\d+$", "", name)
            tensors = [re.findall(r"Dimensions: \[-1,(\S+)\], .*?: (\w+), F", s) for s in sides]
            made_of = re.findall(r"ONNX Layer: ([^\]]+)", line)
            made_of = [node.name for node in model.graph.node if node.name in made_of]
            yield kind, name, *tensors, made_of


def show(model, messages):
    """Print the layers that compute, and the bytes that they read and write for one image."""
    total = 0
    for kind, name, reads, writes, made_of in layers(model, messages):
        if not writes:
            continue  # it computes shapes, on the CPU
        sides = [" + ".join(f"{t}[{s}]" for s, t in side) for side in (reads, writes)]
        print(f"{kind}: {name}")
        print(f"    {' -> '.join(sides)}   {' '.join(made_of)}".rstrip())
        for shape, of_type in reads + writes:
            total += math.prod(map(int, shape.split(","))) * {"Float": 4, "Int8": 1}[of_type]
    print(f"{total:,} bytes read and written for an image")


# --8<-- [end:layers]


# --8<-- [start:bias]
def with_float_bias(model):
    """Return the int8 model with each bias in float: TensorRT dequantizes no int32."""
    model = copy.deepcopy(model)
    graph = model.graph
    values = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    for node in list(graph.node):
        integers = values.get(node.input[0])
        if node.op_type == "DequantizeLinear" and integers is not None:
            if integers.dtype == np.int32:
                bias = (integers * values[node.input[1]]).astype(np.float32)
                graph.initializer.append(numpy_helper.from_array(bias, node.output[0]))
                graph.node.remove(node)
    return model


# --8<-- [end:bias]
