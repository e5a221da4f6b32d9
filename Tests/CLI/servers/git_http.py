#!/usr/bin/python3
"""A git server over HTTP on the loopback, with basic authentication, for tests.

usage: git_http.py FOLDER     FOLDER/repositories has the repositories, FOLDER/users a line USER:PASSWORD for each user.
It prints its port, and ends with its standard input. FOLDER/requests gets a line for each request: the user, or - for none.
"""
import os
import pathlib
import subprocess
import sys

import loopback

FOLDER = pathlib.Path(sys.argv[1])
BACKEND = pathlib.Path(subprocess.check_output(["git", "--exec-path"], text=True).strip(), "git-http-backend")


class Handler(loopback.Handler):
    def user(self):
        login = self.login()
        return login.partition(":")[0] if login in (FOLDER / "users").read_text().splitlines() else None

    def answer(self):
        user = self.user()
        with open(FOLDER / "requests", "a") as requests:
            requests.write(f"{user or '-'}\n")
        body = self.body()
        if not user:
            return self.reply(401, headers=[("WWW-Authenticate", 'Basic realm="test"')])
        path, _, query = self.path.partition("?")
        variables = {
            "PATH": os.environ["PATH"], "GIT_PROJECT_ROOT": str(FOLDER / "repositories"), "GIT_HTTP_EXPORT_ALL": "1",
            "REQUEST_METHOD": self.command, "PATH_INFO": path, "QUERY_STRING": query, "REMOTE_USER": user, "REMOTE_ADDR": "127.0.0.1",
            "CONTENT_TYPE": self.headers.get("Content-Type", ""), "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""), "GIT_CONFIG_NOSYSTEM": "1", "HOME": str(FOLDER),
        }
        done = subprocess.run([BACKEND], input=body, capture_output=True, env=variables)
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        lines = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if line)
        self.reply(int(lines.pop("Status", "200 OK").split()[0]), content, lines.items())


loopback.serve(Handler)
