import torch


def right():
    torch.zeros(1, device="cuda:0")


def wrong():
    torch.zeros(1, device="cuda:99")
