import torch

layer = torch.nn.Linear(4, 4).cuda()
x = torch.ones(1, 4, device="cuda")


def right():
    layer.half()(x.half())


def wrong():
    layer.float()(x.half())
