import multiprocessing

import cupy

forking = multiprocessing.get_context("fork")


def child(answers):
    try:
        cupy.zeros(1)
        answers.put("")
    except cupy.cuda.runtime.CUDARuntimeError as error:
        answers.put(str(error))


def fork():
    answers = forking.Queue()
    forking.Process(target=child, args=(answers,)).start()
    if said := answers.get():
        raise RuntimeError(said)


def right():
    fork()  # the parent has not used CUDA yet


def wrong():
    cupy.zeros(1)
    fork()
