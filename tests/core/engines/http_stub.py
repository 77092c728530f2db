"""A server on this machine that answers as a test says, and keeps what it was asked."""

from __future__ import annotations

import json
import socket
import ssl
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread


@dataclass
class Stub:
    url: str
    answers: dict = field(default_factory=dict)
    """By method and path, or path alone: a status and the body, or a function of the body that gives them."""
    asked: list = field(default_factory=list)
    """(method, path with query, headers, body read from JSON)"""
    waiting: Event = field(default_factory=Event)
    """Set when the test is over: answers that wait for ever wait for that."""

    def bodies(self, method, path):
        return [body for m, p, _, body in self.asked if (m, p.partition("?")[0]) == (method, path)]


def done(result):
    return 200, {"result": result, "status": "ok", "time": 0.001}


@contextmanager
def serving(tls: ssl.SSLContext | None = None):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self):
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            read = json.loads(body) if body else None
            stub.asked.append((self.command, self.path, dict(self.headers), read))
            path = self.path.partition("?")[0]
            found = stub.answers.get((self.command, path), stub.answers.get(path, (404, {})))
            if callable(found):
                found = found(read)
            if found is None:
                stub.waiting.wait(30)
                self.close_connection = True
                return
            status, content, *headers = found
            if isinstance(content, (dict, list)):
                content = json.dumps(content)
            data = content.encode()
            self.send_response(status)
            for name, value in headers:
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_PUT = do_POST = do_DELETE = do_PATCH = answer  # noqa: N815

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    # A client that leaves in the middle is what some tests are about.
    server.handle_error = lambda *args: None
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    stub = Stub(f"http{'s' if tls else ''}://127.0.0.1:{server.server_address[1]}")
    thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield stub
    finally:
        stub.waiting.set()
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def mute():
    """The URL of a server that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"


@contextmanager
def dripping(pause=0.1):
    """The URL of a server that never ends the head of its answer: each read of it is quick."""
    over = Event()
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve():
            connection, _ = listening.accept()
            with connection:
                connection.sendall(b"HTTP/1.1 200 OK\r\nX-Slow: ")
                while not over.wait(pause):
                    try:
                        connection.sendall(b"x")
                    except OSError:
                        return

        thread = Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            over.set()
            thread.join()


def closed_url():
    """A URL of this machine where nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return f"http://127.0.0.1:{listening.getsockname()[1]}"
