#!/usr/bin/python3
"""The part of a container registry that a login needs, over HTTP on the loopback, for tests.

usage: registry.py USER:PASSWORD [basic|token]
It prints its port, and ends with its standard input. basic: /v2/ takes the login itself. token: it takes a token, which /token gives for the login.
"""
import json
import sys

import loopback

TAKES_TOKEN = sys.argv[2:] == ["token"]
TOKEN = "token-of-this-test"


class Handler(loopback.Handler):
    def answer(self):
        # Some clients ask with POST.
        self.body()
        has_login = self.login() == sys.argv[1]
        if self.path.startswith("/token"):
            return self.say(200, {"token": TOKEN, "access_token": TOKEN}) if has_login else self.say(401, {})
        if self.headers.get("Authorization") == f"Bearer {TOKEN}" if TAKES_TOKEN else has_login:
            return self.say(200, {"repositories": ["secret/repository"]} if self.path.startswith("/v2/_catalog") else {})
        where = f'http://{self.headers["Host"]}/token'
        self.say(401, {}, f'Bearer realm="{where}",service="test"' if TAKES_TOKEN else 'Basic realm="test"')

    def say(self, status, value, challenge=None):
        headers = [("Content-Type", "application/json"), ("Docker-Distribution-Api-Version", "registry/2.0")]
        self.reply(status, json.dumps(value).encode(), headers + [("WWW-Authenticate", challenge)] * bool(challenge))


loopback.serve(Handler)
