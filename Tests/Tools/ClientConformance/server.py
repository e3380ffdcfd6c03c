"""A service of one session, counter/demo, that a case scripts request by request."""

import http.server
import json
import pathlib
import queue
import select
import socket
import struct
import threading
import time
import urllib.parse
import zlib

KEY = "counter/demo"
ROOT = pathlib.Path(__file__).resolve().parents[3]


def composite_id(cursor):
    """The id of an event on /v1/events: the cursor after a tag, 25 bits of the FNV-1a hash of the key."""
    bits = 2_166_136_261
    for byte in KEY.encode():
        bits = (bits ^ byte) * 16_777_619 & 0xFFFF_FFFF
    bits ^= bits >> 25
    alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
    return "".join(alphabet[bits >> shift & 31] for shift in (0, 5, 10, 15, 20)) + "." + cursor


def state(version):
    """The State at a version; the text has characters of one to four bytes."""
    return {"value": version, "text": f"né€𝄞 {version}"}


class Exchange:
    """A request of the client, and the response that the case gives to it."""

    def __init__(self, handler):
        self._handler = handler
        self.method = handler.command
        url = urllib.parse.urlsplit(handler.path)
        self.path = url.path
        self.query = urllib.parse.parse_qs(url.query)
        self.headers = handler.headers
        length = int(handler.headers.get("Content-Length") or 0)
        self.body = handler.rfile.read(length)
        self.is_answered = threading.Event()

    @property
    def token(self):
        return (self.headers["Authorization"] or "").removeprefix("Bearer ") or None

    def respond(self, status, value=None, **fields):
        """Sends a complete response, with a JSON value as its body."""
        body = b"" if value is None else json.dumps(value, ensure_ascii=False).encode()
        fields = {"Content_Type": "application/json", **fields} if body else fields
        self.respond_with(status, body, **fields)

    def respond_with(self, status, body, **fields):
        handler = self._handler
        handler.send_response(status)
        for name, text in fields.items():
            handler.send_header(name.replace("_", "-"), str(text))
        if status != 204:
            handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        if self.method != "HEAD":
            handler.wfile.write(body)
        self.is_answered.set()

    def reject(self, status, type, **members):
        """Sends a problem of the contract."""
        fields = {"Content_Type": "application/problem+json"}
        if status in (429, 503):
            fields["Retry_After"] = members.pop("retry_after", 1)
        problem = {"type": f"/problems/{type}", "title": type, "status": status, **members}
        self.respond_with(status, json.dumps(problem).encode(), **fields)

    def respond_as_portal(self):
        """Sends what the log-in page of a network responds to every request."""
        self.respond_with(200, b"<!doctype html><title>Log in</title>", Content_Type="text/html")

    @property
    def is_abandoned(self):
        """Whether the client has closed the connection."""
        connection = self._handler.connection
        if not select.select([connection], [], [], 0)[0]:
            return False
        try:
            return connection.recv(1, socket.MSG_PEEK) == b""
        except OSError:
            return True

    def abort(self):
        """Resets the connection."""
        connection = self._handler.connection
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._finish()

    def _finish(self):
        self._handler.close_connection = True
        self.is_answered.set()


class Stream(Exchange):
    """A stream of /events or /v1/events, in the representation that the client has requested."""

    def __init__(self, handler):
        super().__init__(handler)
        self._is_composite = self.path == "/v1/events"
        self._delta = self.query.get("delta", [None])[0]
        self._is_in_pieces = False
        self._compressor = None
        self._sent = None
        #: The version of the last State that was sent; -1 before.
        self.version = -1

    @property
    def cursor(self):
        """The cursor from which the client resumes, or `None`."""
        text = self.headers["Last-Event-ID"] or self.query.get("last_event_id", [""])[0]
        text = text.strip('"')
        return text.rpartition(".")[2] or None

    def open(self, retry=50, is_compressed=False, **fields):
        handler = self._handler
        if is_compressed and "gzip" in (self.headers["Accept-Encoding"] or ""):
            fields["Content_Encoding"] = "gzip"
            self._compressor = zlib.compressobj(wbits=31)
        handler.send_response(200)
        fields = {
            "Content_Type": "text/event-stream; charset=utf-8", "Cache_Control": "no-store",
            "Heartbeat_Interval": 15, "Connection": "close", **fields}
        for name, text in fields.items():
            handler.send_header(name.replace("_", "-"), str(text))
        handler.end_headers()
        self.write(f"retry: {retry}\n\n")
        # The State that a client which resumes has, so that a patch can follow.
        if self.cursor and self._delta == "patch":
            self._sent = int(self.cursor.rpartition("-")[2])

    def in_pieces(self):
        """Sends every following byte on its own."""
        self._is_in_pieces = True

    def write(self, text):
        data = text.encode()
        if self._compressor:
            data = self._compressor.compress(data) + self._compressor.flush(zlib.Z_SYNC_FLUSH)
        if not self._is_in_pieces:
            return self._handler.wfile.write(data)
        for byte in data:
            self._handler.wfile.write(bytes([byte]))
            # Otherwise the client reads the bytes of a character together.
            if byte >= 0x80:
                time.sleep(0.01)

    def event(self, name, value, cursor=None):
        """Sends an event; one that is no State has its session in its data on /v1/events."""
        if self._is_composite and name != KEY:
            value = {"session": KEY, "data": value}
        identity = f"id: {composite_id(cursor) if self._is_composite else cursor}\n" if cursor else ""
        line = f"event: {name}\n" if name else ""
        self.write(f"{identity}{line}data: {json.dumps(value, ensure_ascii=False)}\n\n")

    def state(self, version, epoch="e"):
        """Sends the State at a version, as a patch if the client has asked for patches."""
        cursor = f"{epoch}-{version}"
        if self._delta == "patch" and self._sent is not None:
            patch = [
                {"op": "replace", "path": f"/{name}", "value": value}
                for name, value in state(version).items()]
            self.event("patch", patch, cursor)
        else:
            whole = KEY if self._is_composite else "state" if self._delta == "patch" else None
            self.event(whole, state(version), cursor)
        self._sent = self.version = version

    def comment(self):
        self.write(":\n\n")

    def reset(self):
        self.forget()
        self.event("reset", {})

    def forget(self):
        """Sends the next State as a whole, as if the client had none."""
        self._sent = None

    def end(self):
        self.event("end", {})
        self.close()

    def expire(self):
        # It concerns the stream as a whole.
        self.write("event: expired\ndata: {}\n\n")
        self.close()

    def drain(self):
        self.write("event: draining\ndata: {}\n\n")
        self.close()

    def close(self):
        self._finish()


class Server:
    """The service: streams and actions wait for the case, everything else is answered here."""

    def __init__(self):
        self.streams = queue.Queue()
        self.actions = queue.Queue()
        self.tokens = []
        self.make_token = lambda number: f"token-{number}"
        #: The exchange of everything else, such as reads of the State, or `None` for the usual response.
        self.answer = lambda exchange: None
        self.version = 0
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do(self):
                server._serve(self)

            do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do

            def log_message(self, *_):
                pass

        class Listener(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass  # The client has closed the connection.

        self._http = Listener(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._http.serve_forever, args=[0.02], daemon=True).start()
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"

    def close(self):
        self._http.shutdown()
        self._http.server_close()

    def _serve(self, handler):
        path = urllib.parse.urlsplit(handler.path).path
        if path == "/v1/events" or path == f"/v1/reactors/counter/sessions/demo/events":
            return self._wait(Stream(handler), self.streams)
        exchange = Exchange(handler)
        if path.endswith("/actions"):
            return self._wait(exchange, self.actions)
        if path == "/token":
            self.tokens.append(self.make_token(len(self.tokens) + 1))
            return exchange.respond(200, self.tokens[-1])
        self.answer(exchange)
        if exchange.is_answered.is_set():
            return
        if path.startswith("/v1/reactors/counter/sessions/demo"):
            return exchange.respond(200, state(self.version), ETag=f'"e-{self.version}"')
        self._file(exchange)

    @staticmethod
    def _file(exchange):
        """Sends a file of the clients in JavaScript, or the page that uses them."""
        files = {
            "/reactor.js": (ROOT / "Sources/Server/ReactorPages/reactor.js", "text/javascript"),
            "/driver.html": (ROOT / "Tests/Tools/ClientConformance/drivers/browser.html", "text/html"),
        }
        if exchange.path in files:
            file, type = files[exchange.path]
            return exchange.respond_with(200, file.read_bytes(), Content_Type=type)
        exchange.reject(404, "not-found")

    @staticmethod
    def _wait(exchange, requests):
        requests.put(exchange)
        exchange.is_answered.wait()
