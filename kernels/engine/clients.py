"""Clients of the server in a process of their own, which come by the clock: latency over HTTP."""

# --8<-- [start:clients]
import http.client
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ "


own = threading.local()  # a connection for each thread, which stays open


def one(port, prompt, most, comes):
    """Wait until a request comes, ask, and return its seconds to the last letter and its tokens."""
    time.sleep(max(0.0, comes - time.perf_counter()))
    if not hasattr(own, "connection"):
        own.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    body = json.dumps({"prompt": prompt, "max_tokens": most})
    own.connection.request("POST", "/v1/completions", body)
    reply = own.connection.getresponse()
    content = json.load(reply)
    if reply.status != 200:
        raise RuntimeError(content["error"]["message"])
    return time.perf_counter() - comes, content["usage"]["completion_tokens"]


def load(port, count, rate, seed, answers=(2, 2, 4, 24)):
    """Return tokens a second, p50 and p99 of requests that come at random, ``rate`` a second."""
    random = np.random.default_rng(seed)
    asked = [
        ("".join(random.choice(list(LETTERS), 8)), int(random.choice(answers)))
        for _ in range(count)
    ]
    with ThreadPoolExecutor(min(count, 256)) as clients:
        began = time.perf_counter() + 0.1
        comes = began + np.cumsum(random.exponential(1 / rate, count))
        waits, tokens = zip(
            *clients.map(lambda ask, at: one(port, *ask, at), asked, comes), strict=True
        )
        seconds = time.perf_counter() - began
    p50, p99 = np.percentile(waits, [50, 99])
    return {"tokens_per_second": sum(tokens) / seconds, "p50": p50, "p99": p99}


# --8<-- [end:clients]

if __name__ == "__main__":
    import sys

    print(json.dumps(load(*(int(word) for word in sys.argv[1:]))))
