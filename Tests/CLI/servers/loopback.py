"""What the test servers of this folder share: HTTP on the loopback, until standard input ends."""
import base64
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    """Answers GET and POST with `answer`, and logs nothing."""

    def answer(self):
        raise NotImplementedError

    def do_GET(self):
        self.answer()

    def do_POST(self):
        self.answer()

    def log_message(self, *words):
        pass

    def body(self):
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        # The line that ends the last, empty chunk.
        self.rfile.readline()
        return body

    def login(self):
        """USER:PASSWORD of basic authentication; None without one."""
        kind, _, encoded = self.headers.get("Authorization", "").partition(" ")
        return base64.b64decode(encoded).decode() if kind == "Basic" else None

    def reply(self, status, content=b"", headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def serve(handler):
    """Prints the port, and returns when standard input ends."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_address[1], flush=True)
    sys.stdin.read()
