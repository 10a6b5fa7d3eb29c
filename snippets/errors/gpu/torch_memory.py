import torch


def right():
    torch.empty(10**6, dtype=torch.uint8, device="cuda")


def wrong():
    torch.empty(10**13, dtype=torch.uint8, device="cuda")
