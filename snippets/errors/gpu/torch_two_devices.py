import torch

a = torch.ones(4)
b = torch.ones(4, device="cuda")


def right():
    a.cuda() + b


def wrong():
    a + b
