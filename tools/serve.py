"""python tools/serve.py FOLDER PORT: serve a built site on this machine alone."""

import functools
import sys
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer


class Quiet(SimpleHTTPRequestHandler):
    """A static file server that prints nothing for each request."""

    def log_message(self, *arguments):
        pass

    def end_headers(self):
        # A rebuilt page is seen at the next reload.
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()


def main(folder: str, port: str) -> str | int:
    """Serve until Ctrl-C; return an error line, or 0."""
    handler = functools.partial(Quiet, directory=folder)
    try:
        server = ThreadingHTTPServer(("127.0.0.1", int(port)), handler)
    except (OSError, OverflowError, ValueError) as error:
        return f"serve: port {port}: {error}; take another: make serve PORT=8001"
    print(
        f"Lockstep is at http://127.0.0.1:{server.server_address[1]}/ (Ctrl-C ends it)", flush=True
    )
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        print()
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
