import torch

x = torch.ones(4, device="cuda")


def right():
    x.cpu().numpy()


def wrong():
    x.numpy()
