"""The engine behind HTTP, as OpenAI's completions: the standard library is enough."""

# --8<-- [start:imports]
import http.server
import json
import queue
import select
import socket
import threading
import time
import urllib.error
import urllib.request
import uuid

# --8<-- [end:imports]
from kernels.quantization.model import CONTEXT, LETTERS, encode


# --8<-- [start:checks]
class Refused(Exception):
    """A request that is not served: a status, and a sentence that says why."""


def checked(body):
    """Return prompt, tokens and stream of a request's body, or refuse it."""
    try:
        asked = json.loads(body)
    except (ValueError, RecursionError):
        raise Refused(400, "the body is not JSON, or nested too deep") from None
    if not isinstance(asked, dict):
        raise Refused(400, "the body is not an object")
    asked = {name: value for name, value in asked.items() if value is not None}
    if asked.get("model", "names") != "names":
        raise Refused(404, f"there is no model {asked['model']!r}, only 'names'")
    if asked.get("temperature", 0) != 0:
        raise Refused(400, "the engine does not serve 'temperature': it takes the likeliest letter")
    if more := sorted(set(asked) - {"model", "prompt", "max_tokens", "stream", "temperature"}):
        raise Refused(400, f"the engine does not serve {more[0]!r}")
    prompt, most = asked.get("prompt"), asked.get("max_tokens", 16)
    if not isinstance(prompt, str) or not prompt:
        raise Refused(400, "'prompt' is text, and not empty")
    prompt = prompt.upper()  # before it is measured: some letters become two
    if strange := sorted(set(prompt) - set(LETTERS)):
        raise Refused(400, f"'prompt' has a letter that the model does not know: {strange[0]!r}")
    if type(most) is not int or most < 1:
        raise Refused(400, "'max_tokens' is a whole number, at least 1")
    if len(prompt) + most > CONTEXT + 1:
        raise Refused(400, f"{len(prompt)} + {most} tokens, and the model reads {CONTEXT}")
    if type(stream := asked.get("stream", False)) is not bool:
        raise Refused(400, "'stream' is true or false")
    return prompt, most, stream


# --8<-- [end:checks]


# --8<-- [start:server]
LARGEST = 100_000  # bytes of a body


PATHS = {"/v1/models": "GET", "/v1/completions": "POST"}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # a connection stays for a client's next request
    timeout = 10  # seconds for a request to come whole, and for the next one to come
    disable_nagle_algorithm = True  # the body follows its head without waiting for an answer

    def log_message(self, *_):
        """Say nothing on the terminal."""

    def handle(self):
        try:
            super().handle()
        except OSError:  # the client is gone: nobody wants the rest
            self.close_connection = True

    def answer(self, status, content, **headers):
        data = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def respond(self):
        request = None
        try:
            if self.path not in PATHS:
                raise Refused(404, f"there is nothing at {self.path}")
            if self.command != PATHS[self.path]:
                raise Refused(405, f"{self.path} takes {PATHS[self.path]}, not {self.command}")
            if self.command == "GET":
                self.answer(200, {"object": "list", "data": [{"id": "names", "object": "model"}]})
                return
            length = self.headers.get("Content-Length", "")
            if not (length.isascii() and length.isdigit()) or int(length) > LARGEST:
                raise Refused(413, f"a body has a length, and at most {LARGEST} bytes")
            prompt, most, stream = checked(self.rfile.read(int(length)))
            try:
                request = self.server.engine.submit(encode(prompt), most)
            except OverflowError as full:
                raise Refused(429, str(full)) from None
            except ValueError as never:
                raise Refused(400, str(never)) from None
            (self.stream if stream else self.whole)(request)
        except Refused as refusal:  # what is left of its body is nobody's next request
            allow = {"Allow": PATHS[self.path]} if refusal.args[0] == 405 else {}
            self.answer(refusal.args[0], self.error(*refusal.args), Connection="close", **allow)
        finally:
            if request:
                request.gone = True

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = respond

    def error(self, status, message):
        kind = "invalid_request_error" if status < 500 else "server_error"
        return {"error": {"message": message, "type": kind}}

    def letters(self, request):
        """Yield the letters of an answer; a client that left while it waited is an OSError."""
        letter = ""
        while letter is not None:
            try:
                letter = request.letters.get(timeout=0.5)
            except queue.Empty:
                if select.select([self.connection], [], [], 0)[0]:
                    if not self.connection.recv(1, socket.MSG_PEEK):
                        raise ConnectionError("the client is gone") from None
            else:
                if letter is not None:
                    yield letter

    def choice(self, text, reason):
        choice = {"index": 0, "text": text, "finish_reason": reason, "logprobs": None}
        head = {"id": f"cmpl-{uuid.uuid4().hex}", "object": "text_completion"}
        head |= {"created": int(time.time())}
        return head | {"model": "names", "choices": [choice]}

    def whole(self, request):
        text = "".join(self.letters(request))
        if request.error:
            raise Refused(500, f"the model failed: {request.error}")
        reason = "stop" if text.endswith("\n") else "length"
        count = {"prompt_tokens": len(request.prompt), "completion_tokens": len(text)}
        count["total_tokens"] = sum(count.values())
        self.answer(200, self.choice(text.strip("\n"), reason) | {"usage": count})

    def stream(self, request):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")  # its end is the end of the answer
        self.end_headers()
        letter = ""
        for letter in self.letters(request):
            event = json.dumps(self.choice(letter.strip("\n"), "stop" if letter == "\n" else None))
            self.wfile.write(f"data: {event}\n\n".encode())
            self.wfile.flush()
        if request.error:  # 200 was sent long ago: say it in the stream, and break off
            event = json.dumps(self.error(500, f"the model failed: {request.error}"))
            self.wfile.write(f"data: {event}\n\n".encode())
            return
        if letter != "\n":
            event = json.dumps(self.choice("", "length"))
            self.wfile.write(f"data: {event}\n\n".encode())
        self.wfile.write(b"data: [DONE]\n\n")


class Server(http.server.ThreadingHTTPServer):
    """The engine at http://127.0.0.1:port/v1, in threads of this process."""

    daemon_threads, request_queue_size = True, 128

    def __init__(self, engine, port=0):
        super().__init__(("127.0.0.1", port), Handler)
        self.engine, self.url = engine, f"http://127.0.0.1:{self.server_port}/v1"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def close(self):
        self.shutdown()
        self.server_close()
        self.engine.close()


# --8<-- [end:server]


# --8<-- [start:ask]
def ask(url, **asked):
    """Return the status and the content that a server answers with."""
    data = json.dumps(asked).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(f"{url}/completions", data)) as reply:
            return reply.status, json.load(reply)
    except urllib.error.HTTPError as refusal:
        return refusal.code, json.load(refusal)


# --8<-- [end:ask]


def examples():
    """The examples.

    --8<-- [start:train_example]
    >>> weights = train(as_text(names()), steps=150)
    >>> server = Server(Engine(OnCPU(weights, blocks=64)))
    >>> status, content = ask(server.url, prompt="GREEK SMALL ", max_tokens=12)
    >>> status, content["choices"][0]["text"], content["usage"]["total_tokens"]
    (200, 'LETTER WITH ', 24)

    --8<-- [end:train_example]

    --8<-- [start:refused_example]
    >>> ask(server.url, prompt="GREEK", max_tokens=100)[1]["error"]["message"]
    '5 + 100 tokens, and the model reads 32'
    >>> status, content = ask(server.url, prompt="50 %")
    >>> status, content["error"]["message"]
    (400, "'prompt' has a letter that the model does not know: '%'")

    --8<-- [end:refused_example]

    --8<-- [start:many_example]
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> asked = [f"{name} LETTER " for name in ("GREEK", "LATIN", "THAI", "RUNIC")] * 8
    >>> with ThreadPoolExecutor(32) as clients:
    ...     got = list(clients.map(lambda p: ask(server.url, prompt=p, max_tokens=12)[1], asked))
    >>> all(a["choices"] == b["choices"] for a, b in zip(got[:4], got[4:8]))
    True
    >>> server.close()
    >>> server.engine.computed > 2 * server.engine.steps  # several tokens in a step
    True

    --8<-- [end:many_example]
    """
