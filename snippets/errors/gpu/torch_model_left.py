import torch

x = torch.ones(1, 4, device="cuda")


def right():
    torch.nn.Linear(4, 4).cuda()(x)


def wrong():
    torch.nn.Linear(4, 4)(x)
