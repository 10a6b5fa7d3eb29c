"""The engine answers as the plain model does, whatever comes between, and refuses what is wrong."""

import http.client
import json
import socket
import sys
import threading
import time

import numpy as np
import pytest

from kernels.engine.engine import Engine
from kernels.engine.load import InBatches
from kernels.engine.rows import OnCPU
from kernels.engine.server import Server, ask
from kernels.paging.pool import PAGE
from kernels.quantization.model import CONTEXT, LETTERS, encode, forward, new_weights

WEIGHTS = new_weights(np.random.default_rng(3))
WEIGHTS["head"][0] -= 0.3  # fewer line ends, so that answers differ in length


def plain(prompt, most):
    """Return what the model writes, computed anew for each letter, without any cache."""
    tokens = list(encode(prompt))
    while len(tokens) < len(prompt) + most:
        tokens.append(int(forward(WEIGHTS, np.array([tokens]))[0, -1].argmax()))
        if tokens[-1] == 0:
            break
    return "".join(LETTERS[token] for token in tokens[len(prompt) :]).strip("\n")


def prompts(count):
    random = np.random.default_rng(5)
    for _ in range(count):
        size = int(random.integers(1, 20))
        most = int(random.integers(1, CONTEXT - size + 2))
        yield "".join(random.choice(list(LETTERS[1:]), size)), most


@pytest.fixture
def served(request):
    settings = getattr(request, "param", {})
    model = OnCPU(WEIGHTS, settings.get("blocks", 64))
    server = Server(Engine(model, **settings))
    yield server
    server.close()


def until(true):
    """Wait for what happens in another thread; a test that hangs fails here."""
    end = time.monotonic() + 20
    while not true():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.001)


@pytest.mark.parametrize(
    "served", [{"blocks": 64}, {"blocks": -(-(CONTEXT + 1) // PAGE) + 3}], indirect=True
)
def test_many_clients_get_what_one_would_get(served):
    """Also in a cache that holds little more than one request, where others are sent back."""
    asked, got = list(prompts(24)), {}

    def client(i):
        got[i] = ask(served.url, prompt=asked[i][0], max_tokens=asked[i][1])

    threads = [threading.Thread(target=client, args=(i,)) for i in range(len(asked))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    for i, (prompt, most) in enumerate(asked):
        status, content = got[i]
        assert status == 200, content
        assert content["choices"][0]["text"] == plain(prompt, most)
    pool = served.engine.scheduler.pool
    until(lambda: len(pool.free) == len(pool.users))


BAD = [
    ({"prompt": ""}, 400, "not empty"),
    ({"prompt": 7}, 400, "is text"),
    ({}, 400, "is text"),
    ({"prompt": "é"}, 400, "does not know"),
    ({"prompt": "A", "max_tokens": 0}, 400, "at least 1"),
    ({"prompt": "A", "max_tokens": True}, 400, "whole number"),
    ({"prompt": "A", "max_tokens": "5"}, 400, "whole number"),
    ({"prompt": "A" * 30, "max_tokens": 9}, 400, "reads 32"),
    ({"prompt": "A", "model": "gpt"}, 404, "no model 'gpt'"),
    ({"prompt": "A", "temperature": 0.7}, 400, "does not serve 'temperature'"),
    ({"prompt": "A", "n": 3}, 400, "does not serve 'n'"),
    ({"prompt": "\u00df" * 30, "max_tokens": 2}, 400, "60 + 2 tokens"),  # two letters in upper case
    ({"prompt": "A", "stream": "no"}, 400, "true or false"),
]


@pytest.mark.parametrize(("asked", "status", "why"), BAD, ids=[row[2] for row in BAD])
def test_a_bad_request_is_refused_with_a_reason(served, asked, status, why):
    code, content = ask(served.url, **asked)
    assert code == status and why in content["error"]["message"]


@pytest.mark.parametrize(
    ("method", "path", "body", "headers", "status"),
    [
        ("POST", "/v1/completions", "{", {}, 400),
        ("POST", "/v1/completions", "[1]", {}, 400),
        ("POST", "/v1/completions", "[" * 50_000, {}, 400),
        ("POST", "/v1/completions", None, {"Content-Length": "\u00b2"}, 413),
        ("POST", "/v1/completions", "x" * 100_001, {}, 413),
        ("POST", "/v1/completions", None, {"Content-Length": "many"}, 413),
        ("POST", "/v1/nothing", "{}", {}, 404),
        ("GET", "/v1/nothing", None, {}, 404),
        ("PUT", "/v1/completions", "{}", {}, 405),
        ("DELETE", "/v1/models", None, {}, 405),
        ("GET", "/v1/completions", None, {}, 405),
        ("HEAD", "/v1/completions", None, {}, 405),
        ("PUT", "/v1/nothing", "{}", {}, 404),
        ("BREW", "/v1/completions", None, {}, 501),
        ("GET", "/v1/models", None, {}, 200),
    ],
)
def test_other_ways_to_ask(served, method, path, body, headers, status):
    connection = http.client.HTTPConnection("127.0.0.1", served.server_port, timeout=20)
    connection.request(method, path, body, headers)
    reply = connection.getresponse()
    assert reply.status == status
    allowed = {"/v1/models": "GET", "/v1/completions": "POST"}
    assert reply.headers["Allow"] == (allowed[path] if status == 405 else None)
    connection.close()


def test_a_connection_stays_for_the_next_request(served):
    connection = http.client.HTTPConnection("127.0.0.1", served.server_port, timeout=20)
    connection.connect()
    held = connection.sock
    for prompt in ("GREEK ", "LATIN "):
        body = json.dumps({"prompt": prompt, "max_tokens": 5})
        connection.request("POST", "/v1/completions", body)
        content = json.load(connection.getresponse())
        assert content["choices"][0]["text"] == plain(prompt, 5)
        assert connection.sock is held
    # After a refusal the rest of its body may lie there: it is not read as a request.
    connection.request("POST", "/v1/nothing", "GET /v1/models HTTP/1.1\r\n\r\n")
    reply = connection.getresponse()
    assert reply.status == 404 and reply.headers["Connection"] == "close"
    reply.read()
    assert connection.sock is None


def test_a_stream_comes_letter_by_letter_and_ends(served):
    connection = http.client.HTTPConnection("127.0.0.1", served.server_port, timeout=20)
    body = json.dumps({"prompt": "GREEK ", "max_tokens": 9, "stream": True})
    connection.request("POST", "/v1/completions", body)
    lines = connection.getresponse().read().decode().split("\n\n")
    assert lines[-2:] == ["data: [DONE]", ""]
    events = [json.loads(line.removeprefix("data: ")) for line in lines[:-2]]
    assert "".join(e["choices"][0]["text"] for e in events) == plain("GREEK ", 9)
    reasons = [e["choices"][0]["finish_reason"] for e in events]
    assert reasons[-1] in {"length", "stop"} and not any(reasons[:-1])


@pytest.mark.parametrize("served", [{"blocks": 9, "most_waiting": 2}], indirect=True)
def test_a_killed_client_gives_its_blocks_back_and_a_full_queue_says_so(served):
    engine, hold = served.engine, threading.Event()
    compute, started = engine.compute, threading.Event()

    def slow(step):
        started.set()
        assert hold.wait(20)
        compute(step)

    engine.compute = slow
    body = json.dumps({"prompt": "A" * 8, "max_tokens": 25, "stream": True}).encode()
    head = f"POST /v1/completions HTTP/1.1\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    client = socket.create_connection(("127.0.0.1", served.server_port))
    client.sendall(head + body)
    assert started.wait(20)  # it computes; now two may wait, and a third is too many
    waiting = [engine.submit(encode("B"), 2) for _ in range(2)]
    assert ask(served.url, prompt="C")[0] == 429
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    client.close()  # with a reset, as of a process that was killed
    hold.set()
    until(lambda: all(len(request.output) for request in waiting))
    until(lambda: len(engine.scheduler.pool.free) == 9)
    assert ask(served.url, prompt="ONCE MORE", max_tokens=3)[0] == 200


def test_a_client_that_leaves_in_the_middle_of_its_body_is_no_failure(served, monkeypatch):
    """Its refusal reaches nobody, and the server's terminal stays quiet."""
    over, failed, shut = threading.Event(), [], served.shutdown_request
    monkeypatch.setattr(served, "handle_error", lambda *_: failed.append(sys.exception()))
    monkeypatch.setattr(served, "shutdown_request", lambda request: (shut(request), over.set()))
    with socket.create_connection(("127.0.0.1", served.server_port)) as client:
        client.sendall(b"POST /v1/completions HTTP/1.1\r\nContent-Length: 100\r\n\r\n{")
    assert over.wait(20), "the connection was not closed"
    assert not failed
    assert ask(served.url, prompt="HALF", max_tokens=1)[0] == 200


def test_a_client_that_is_killed_while_it_waits_is_noticed(served):
    """Its request leaves the queue before anything of it is computed."""
    engine, hold, made = served.engine, threading.Event(), []
    compute, submit = engine.compute, engine.submit
    engine.compute = lambda step: (hold.wait(20), compute(step))
    engine.submit = lambda *asked: made.append(submit(*asked)) or made[-1]
    body = json.dumps({"prompt": "A" * 8, "max_tokens": 25}).encode()
    head = f"POST /v1/completions HTTP/1.1\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    with socket.create_connection(("127.0.0.1", served.server_port)) as client:
        client.sendall(head + body)
        until(lambda: made)
    until(lambda: made[0].gone)
    hold.set()
    assert ask(served.url, prompt="ONCE MORE", max_tokens=3)[0] == 200


def test_a_pass_that_fails_is_an_error_for_its_requests_and_the_next_ones_are_served(served):
    engine, model = served.engine, served.engine.model
    hold, in_pass = threading.Event(), threading.Event()

    def broken(rows):
        in_pass.set()
        assert hold.wait(20)
        raise RuntimeError("out of memory")

    engine.model = broken
    got = []
    whole = threading.Thread(target=lambda: got.append(ask(served.url, prompt="GREEK SMALL ")))
    whole.start()
    assert in_pass.wait(20)
    waiting = engine.submit(encode("LATIN "), 4)  # comes in a later pass, with a model that works
    engine.model = model
    hold.set()
    whole.join(20)
    status, content = got[0]
    assert status == 500 and "the model failed: out of memory" in content["error"]["message"]
    assert content["error"]["type"] == "server_error"
    letters = list(iter(lambda: waiting.letters.get(timeout=20), None))
    assert "".join(letters).strip("\n") == plain("LATIN ", 4)
    # The prompt's blocks were remembered before the pass failed: nobody may share them.
    assert ask(served.url, prompt="GREEK SMALL ", max_tokens=9)[1]["choices"][0]["text"] == plain(
        "GREEK SMALL ", 9
    )
    until(lambda: len(engine.scheduler.pool.free) == len(engine.scheduler.pool.users))


@pytest.mark.parametrize("served", [{"most": 1}], indirect=True)
def test_a_scheduler_that_fails_is_an_error_and_the_engine_goes_on(served):
    engine, hold, asked = served.engine, threading.Event(), []
    compute, started = engine.compute, threading.Event()

    def slow(step):
        started.set()
        assert hold.wait(20)
        compute(step)

    engine.compute = slow
    runs = engine.submit(encode("GREEK SMALL "), 20)
    assert started.wait(20)
    waits = engine.submit(encode("LATIN "), 4)

    def broken():
        asked.append(1)
        raise KeyError("a block")

    engine.scheduler.step = broken  # the engine throws this scheduler away
    hold.set()
    letters = list(iter(lambda: runs.letters.get(timeout=20), None))
    assert len(letters) == 1 and isinstance(runs.error, KeyError)
    letters = list(iter(lambda: waits.letters.get(timeout=20), None))
    assert "".join(letters).strip("\n") == plain("LATIN ", 4) and not waits.error
    assert len(asked) == 1
    until(lambda: not engine.inside)
    # Nobody runs, and the step fails: who waits would make it fail for ever.
    engine.scheduler.step = broken
    status, content = ask(served.url, prompt="THAI ", max_tokens=3)
    assert status == 500 and "a block" in content["error"]["message"]
    assert ask(served.url, prompt="THAI ", max_tokens=3)[0] == 200
    assert engine.thread.is_alive()


@pytest.mark.parametrize("served", [{"scheduler": InBatches, "most": 2}], indirect=True)
def test_in_batches_nobody_joins_before_the_last_is_done(served):
    engine, seen = served.engine, []
    compute = engine.compute
    engine.compute = lambda step: (seen.append({r.name for r, _ in step}), compute(step))
    with engine.changed:
        for name, most in (("A", 2), ("B", 6), ("C", 2)):
            engine.submit(encode(name), most).name = name
    until(lambda: not engine.inside)
    last = max(i for i, names in enumerate(seen) if names & {"A", "B"})
    assert seen[0] == {"A", "B"} and last < min(i for i, n in enumerate(seen) if "C" in n)


# ---------------------------------------------------------------- the public client


@pytest.fixture
def client(served):
    import openai

    with openai.OpenAI(base_url=served.url, api_key="none", max_retries=0, timeout=20) as client:
        yield client


def test_the_openai_client_gets_a_completion(client):
    assert [model.id for model in client.models.list()] == ["names"]
    got = client.completions.create(model="names", prompt="GREEK ", max_tokens=9)
    text = plain("GREEK ", 9)
    assert got.choices[0].text == text and got.object == "text_completion"
    assert got.choices[0].finish_reason == ("length" if len(text) == 9 else "stop")
    assert got.usage.prompt_tokens == 6 and got.usage.total_tokens >= 6 + len(text)


def test_the_openai_client_gets_a_stream(client):
    parts = client.completions.create(model="names", prompt="GREEK ", max_tokens=9, stream=True)
    assert "".join(part.choices[0].text for part in parts) == plain("GREEK ", 9)


def test_the_openai_client_names_what_is_refused(client):
    import openai

    with pytest.raises(openai.BadRequestError, match="reads 32"):
        client.completions.create(model="names", prompt="GREEK", max_tokens=100)
    with pytest.raises(openai.NotFoundError, match="no model 'gpt'"):
        client.completions.create(model="gpt", prompt="GREEK")
    with pytest.raises(openai.BadRequestError, match="does not serve 'temperature'"):
        client.completions.create(model="names", prompt="GREEK", temperature=1)
    with pytest.raises(openai.NotFoundError, match="nothing at /v1/chat/completions"):
        message = {"role": "user", "content": "GREEK"}
        client.chat.completions.create(model="names", messages=[message])


@pytest.mark.parametrize("served", [{"most_waiting": 0}], indirect=True)
def test_the_openai_client_hears_that_the_queue_is_full(client):
    import openai

    with pytest.raises(openai.RateLimitError, match="0 requests are waiting"):
        client.completions.create(model="names", prompt="GREEK")


def test_the_openai_client_hears_that_a_pass_has_failed(served, client):
    import openai

    passes = iter(range(1))
    model = served.engine.model

    def breaks(rows):
        if next(passes, None) is None:
            raise RuntimeError("the GPU is gone")
        return model(rows)

    served.engine.model = breaks
    parts = client.completions.create(model="names", prompt="GREEK ", max_tokens=9, stream=True)
    with pytest.raises(openai.APIError, match="the model failed: the GPU is gone"):
        list(parts)
    with pytest.raises(openai.InternalServerError, match="the model failed: the GPU is gone"):
        client.completions.create(model="names", prompt="GREEK ")
