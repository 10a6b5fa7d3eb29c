import multiprocessing

import torch

forking = multiprocessing.get_context("fork")


def child(answers):
    try:
        torch.zeros(1, device="cuda")
        answers.put("")
    except RuntimeError as error:
        answers.put(str(error))


def fork():
    answers = forking.Queue()
    forking.Process(target=child, args=(answers,)).start()
    if said := answers.get():
        raise RuntimeError(said)


def right():
    fork()  # the parent has not used CUDA yet


def wrong():
    torch.zeros(1, device="cuda")
    fork()
