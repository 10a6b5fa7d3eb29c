from cuda.bindings import driver


def checked(answer):
    result, *rest = answer
    if result:
        raise RuntimeError(result.name)
    return rest[0] if rest else None


checked(driver.cuInit(0))
context = checked(driver.cuDevicePrimaryCtxRetain(0))


def right():
    checked(driver.cuCtxSetCurrent(context))
    checked(driver.cuMemAlloc(1024))


def wrong():
    checked(driver.cuCtxSetCurrent(0))
    checked(driver.cuMemAlloc(1024))
