#!/usr/bin/python3
"""The part of a container registry that a login needs, over HTTP on the loopback, for tests.

usage: registry.py USER:PASSWORD [basic|token]
It prints its port, and ends with its standard input. basic: /v2/ takes the login itself. token: it takes a token, which /token gives for the login.
"""
import base64
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LOGIN = "Basic " + base64.b64encode(sys.argv[1].encode()).decode()
TAKES_TOKEN = sys.argv[2:] == ["token"]
TOKEN = "token-of-this-test"


class Handler(BaseHTTPRequestHandler):
    def answer(self):
        authorization = self.headers.get("Authorization")
        # Some clients ask with POST.
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path.startswith("/token"):
            return self.say(200, {"token": TOKEN, "access_token": TOKEN}) if authorization == LOGIN else self.say(401, {})
        if authorization == (f"Bearer {TOKEN}" if TAKES_TOKEN else LOGIN):
            return self.say(200, {"repositories": ["secret/repository"]} if self.path.startswith("/v2/_catalog") else {})
        where = f'http://{self.headers["Host"]}/token'
        self.say(401, {}, f'Bearer realm="{where}",service="test"' if TAKES_TOKEN else 'Basic realm="test"')

    def say(self, status, value, challenge=None):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Docker-Distribution-Api-Version", "registry/2.0")
        self.send_header("Content-Length", str(len(body)))
        if challenge:
            self.send_header("WWW-Authenticate", challenge)
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = answer

    def log_message(self, *words):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_address[1], flush=True)
sys.stdin.read()
