import cupy

x = cupy.ones(1000)
x *= 2  # compiled before the capture
main = cupy.cuda.Stream(non_blocking=True)
other = cupy.cuda.Stream(non_blocking=True)


def capture(joined):
    global x
    main.begin_capture()
    other.wait_event(main.record())
    with other:
        x *= 2
    if joined:
        main.wait_event(other.record())
    return main.end_capture()


def right():
    capture(joined=True).launch()


def wrong():
    capture(joined=False)
