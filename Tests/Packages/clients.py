"""Clients of other projects, unmodified, as a person without privileges runs them in a clean root; scripts/clients starts it there.

usage: clients.py CLIENT…"""
import base64
import contextlib
import http.server
import json
import os
import pathlib
import pwd
import socket
import sqlite3
import subprocess
import sys
import threading
import time

import browsers
from installation import SETTINGS, Daemons, check, finish, person, run, succeed

TOKEN = "p4ss wörd €"


class Session:
    """A person's session without a desktop: a session bus, and a program that answers prompts."""

    def __init__(self, name):
        self.user = name
        self.env = person(name)
        self.home = pathlib.Path(f"/home/{name}")
        self.bus = None

    def open_bus(self):
        folder = pathlib.Path(f"/run/user-{self.user}")
        folder.mkdir(mode=0o700)
        account = pwd.getpwnam(self.user)
        os.chown(folder, account.pw_uid, account.pw_gid)
        address = f"unix:path={folder}/bus"
        command = ["setpriv", f"--reuid={account.pw_uid}", f"--regid={account.pw_gid}", "--init-groups", "--",
                   "dbus-daemon", "--session", f"--address={address}", "--nofork", "--nopidfile", "--nosyslog"]
        # D-Bus starts the provider with this environment.
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": str(self.home), "XDG_RUNTIME_DIR": str(folder), **self.env}
        log = open(f"/var/log/bus-{self.user}.log", "ab")
        self.bus = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, cwd="/")
        end = time.monotonic() + 300
        while not os.path.exists(f"{folder}/bus"):
            if time.monotonic() > end or self.bus.poll() is not None:
                raise SystemExit("the session bus did not start: " + pathlib.Path(log.name).read_text(errors="replace"))
            time.sleep(0.02)
        self.env |= {"DBUS_SESSION_BUS_ADDRESS": address, "XDG_RUNTIME_DIR": str(folder)}

    def run(self, *command, **options):
        options["env"] = {**self.env, **options.get("env", {})}
        return run(*command, user=self.user, **options)

    def succeed(self, name, *command, **options):
        options["env"] = {**self.env, **options.get("env", {})}
        return succeed(name, *command, user=self.user, **options)

    def close(self):
        if self.bus:
            self.bus.terminate()
            self.bus.wait(30)


def secret_tool(alice, bob):
    attributes = ["service", "mail", "user", "alice"]
    alice.succeed("secret-tool stores", "secret-tool", "store", "--label=My mail", *attributes, input=TOKEN.encode())
    check("secret-tool finds it", alice.succeed("secret-tool looks it up", "secret-tool", "lookup", *attributes) == TOKEN.encode())
    check("by one attribute of two", alice.run("secret-tool", "lookup", "service", "mail")[1] == TOKEN.encode())
    out, err = alice.run("secret-tool", "search", "--all", "service", "mail")[1:]
    check("secret-tool search shows label and attributes", b"label = My mail" in out and "attribute.user = alice" in err + out.decode(), (out, err))
    alice.succeed("the same attributes replace it", "secret-tool", "store", "--label=My mail", *attributes, input=b"another")
    check("and there is one", alice.run("secret-tool", "search", "--all", "service", "mail")[1].count(b"secret = ") == 1)
    check("coffer lists it", b"\nsecret-service\t" in b"\n" + alice.succeed("coffer list", "coffer", "list") or b"mail" in alice.run("coffer", "list")[1])
    check("another user does not find it", bob.run("secret-tool", "lookup", *attributes)[:2] == (1, b""))
    alice.succeed("coffer lock", "coffer", "lock")
    check("a locked vault is opened by a prompt", alice.succeed("secret-tool asks", "secret-tool", "lookup", *attributes) == b"another")
    alice.succeed("secret-tool clears", "secret-tool", "clear", *attributes)
    check("and it is gone", alice.run("secret-tool", "lookup", *attributes)[0] == 1)


def secretstorage(alice, _):
    program = """
import secretstorage
connection = secretstorage.dbus_init()
collection = secretstorage.get_default_collection(connection)
if collection.is_locked():
    assert collection.unlock() is False, "dismissed"
item = collection.create_item("A label", {"application": "test", "name": "ü"}, b"\\x00\\xff bytes", replace=True, content_type="application/octet-stream")
assert item.get_secret() == b"\\x00\\xff bytes", item.get_secret()
found = list(collection.search_items({"application": "test"}))
assert [each.item_path for each in found] == [item.item_path], found
assert found[0].get_attributes()["name"] == "ü" and found[0].get_label() == "A label"
assert found[0].get_secret_content_type() == "application/octet-stream", found[0].get_secret_content_type()
found[0].set_label("Another"); found[0].set_secret(b"second"); found[0].set_attributes({"application": "test", "name": "x"})
again = next(collection.search_items({"name": "x"}))
assert (again.get_label(), again.get_secret()) == ("Another", b"second")
assert again.get_created() > 0 and again.get_modified() >= again.get_created()
assert len(list(secretstorage.search_items(connection, {"application": "test"}))) == 1
again.delete()
assert list(collection.search_items({"application": "test"})) == []
print("done")
"""
    check("python3-secretstorage creates, finds, changes and deletes",
          alice.succeed("python3-secretstorage", "python3", "-c", program).endswith(b"done\n"))


def keyring(alice, _):
    program = """
import keyring
assert type(keyring.get_keyring()).__module__ in ("keyring.backends.SecretService", "keyring.backends.chainer"), keyring.get_keyring()
keyring.set_password("https://example.org", "me", "s3cr€t")
assert keyring.get_password("https://example.org", "me") == "s3cr€t"
assert keyring.get_credential("https://example.org", None).username == "me"
keyring.delete_password("https://example.org", "me")
assert keyring.get_password("https://example.org", "me") is None
print("done")
"""
    check("python3-keyring sets, gets and deletes", alice.succeed("python3-keyring", "python3", "-c", program).endswith(b"done\n"))


@contextlib.contextmanager
def server(handler):
    found = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=found.serve_forever, daemon=True).start()
    try:
        yield found.server_address[1]
    finally:
        found.shutdown()


def wants_password(folder, answers):
    """A handler that serves a folder to those who know the password."""
    wanted = "Basic " + base64.b64encode(f"alice:{TOKEN}".encode()).decode()

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *words):
            super().__init__(*words, directory=folder)

        def do_GET(self):
            granted = self.headers.get("Authorization") == wanted
            answers.append(granted if "Authorization" in self.headers else None)
            if granted:
                return super().do_GET()
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="test"')
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    return Handler


def git(alice, _):
    subprocess.run(["sh", "-ec", """
        git init --quiet --bare /srv/repository.git
        git init --quiet /tmp/first && cd /tmp/first
        git -c user.name=t -c user.email=t@localhost commit --quiet --allow-empty -m first
        git push --quiet /srv/repository.git HEAD:refs/heads/master && cd /srv/repository.git
        git symbolic-ref HEAD refs/heads/master && git update-server-info"""], check=True)
    typed = alice.home / "typed"
    typed.write_text(f"#!/bin/sh\ncase $1 in *sername*) echo alice;; *) printf '%s\\n' '{TOKEN}';; esac\n")
    typed.chmod(0o755)
    answers = []
    alice.succeed("git is told of the helper", "git", "config", "--global", "credential.helper", "coffer")
    with server(wants_password("/srv", answers)) as port:
        url = f"http://127.0.0.1:{port}/repository.git"
        alice.succeed("git asks once, and clones", "git", "clone", "--quiet", url, "/tmp/alice-1", env={"GIT_ASKPASS": str(typed)})
        quiet = {"GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "/bin/false"}
        alice.succeed("git clones again without a question", "git", "clone", "--quiet", url, "/tmp/alice-2", env=quiet)
        check("the server got the password both times", answers.count(True) >= 2 and False not in answers, answers)
        # A password that the server refuses is erased, and only that one.
        refused = f"protocol=http\nhost=127.0.0.1:{port}\nusername=alice\npassword=wrong\n\n".encode()
        alice.succeed("git credential reject", "git", "credential", "reject", input=refused)
        alice.succeed("a different password is spared", "git", "ls-remote", "--quiet", url, env=quiet)
        rejected = f"protocol=http\nhost=127.0.0.1:{port}\nusername=alice\npassword={TOKEN}\n\n".encode()
        alice.succeed("git credential reject", "git", "credential", "reject", input=rejected)
        check("a refused password is erased", alice.run("git", "ls-remote", "--quiet", url, env=quiet)[0] != 0)


def registry(answers):
    """The part of a registry that a login uses."""
    wanted = "Basic " + base64.b64encode(f"alice:{TOKEN}".encode()).decode()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            granted = self.headers.get("Authorization") == wanted
            answers.append(granted)
            body = b"{}"
            self.send_response(200 if granted else 401)
            self.send_header("Docker-Distribution-Api-Version", "registry/2.0")
            if not granted:
                self.send_header("WWW-Authenticate", 'Basic realm="test"')
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    return Handler


def podman(alice, _):
    folder = alice.home / ".config/containers"
    subprocess.run(["install", "-d", "-o", alice.user, str(alice.home / ".config"), str(folder)], check=True)
    (folder / "registries.conf").write_text('credential-helpers = ["coffer"]\n')
    answers = []
    with server(registry(answers)) as port:
        place = f"127.0.0.1:{port}"
        alice.succeed("podman login", "podman", "login", "--tls-verify=false", "--username", "alice", "--password-stdin", place, input=TOKEN.encode())
        check("podman knows the user again", alice.succeed("podman login --get-login", "podman", "login", "--get-login", place).strip() == b"alice")
        check("coffer has it", place.encode() in alice.run("docker-credential-coffer", "list")[1])
        written = "".join(path.read_text() for path in alice.home.rglob("auth.json"))
        check("and no file of podman's has the password", base64.b64encode(f"alice:{TOKEN}".encode()).decode() not in written, written)
        answers.clear()
        alice.succeed("skopeo logs in with what podman stored", "skopeo", "login", "--tls-verify=false", "--get-login", place)
        alice.succeed("podman logout", "podman", "logout", place)
        check("after that it is gone", alice.run("docker-credential-coffer", "list")[1].strip() == b"{}")


def docker(alice, _):
    """docker login asks the daemon to check the password. A daemon needs a kernel of its own kind, so this part of one stands in."""
    path = "/run/docker-test.sock"

    class Daemon(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self, status, body):
            data = json.dumps(body).encode() if body is not None else b"OK"
            self.send_response(status)
            self.send_header("Api-Version", "1.41")
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)

        def do_HEAD(self):
            self.answer(200, None)

        def do_GET(self):
            self.answer(200, None if self.path.endswith("/_ping") else {"IndexServerAddress": "https://index.docker.io/v1/", "OSType": "linux"})

        def do_POST(self):
            given = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            good = (given.get("username"), given.get("password")) == ("alice", TOKEN)
            self.answer(200 if good else 401, {"Status": "Login Succeeded", "IdentityToken": ""} if good else {"message": "unauthorized"})

        def address_string(self):
            return "local"

        def log_message(self, *_):
            pass

    class Server(http.server.ThreadingHTTPServer):
        address_family = socket.AF_UNIX

        def server_bind(self):
            self.socket.bind(self.server_address)
            self.server_name, self.server_port = "docker", 0

    daemon = Server(path, Daemon)
    os.chmod(path, 0o666)
    threading.Thread(target=daemon.serve_forever, daemon=True).start()
    folder = alice.home / ".docker"
    subprocess.run(["install", "-d", "-o", alice.user, str(folder)], check=True)
    configuration = folder / "config.json"
    configuration.write_text('{"credsStore": "coffer"}')
    os.chown(configuration, pwd.getpwnam(alice.user).pw_uid, -1)
    there = {"DOCKER_HOST": f"unix://{path}"}
    alice.succeed("docker login", "docker", "login", "--username", "alice", "--password-stdin", "registry.test", input=TOKEN.encode(), env=there)
    check("its file has no password", TOKEN not in configuration.read_text() and '"auth":' not in configuration.read_text(), configuration.read_text())
    check("coffer has it", b"registry.test" in alice.run("docker-credential-coffer", "list")[1])
    alice.succeed("docker login without a password uses it", "docker", "login", "registry.test", env=there)
    alice.succeed("docker logout", "docker", "logout", "registry.test", env=there)
    check("after that it is gone", alice.run("docker-credential-coffer", "list")[1].strip() == b"{}")
    daemon.shutdown()


CLIENTS = {"secret-tool": secret_tool, "secretstorage": secretstorage, "keyring": keyring, "git": git, "podman": podman, "docker": docker,
           "chromium": browsers.chromium, "firefox": browsers.firefox}

configuration = pathlib.Path("/etc/coffer/cofferd.conf")
configuration.write_text(configuration.read_text() + SETTINGS)
daemons = Daemons()
daemons.start()
alice, bob = Session("alice"), Session("bob")
for someone in (alice, bob):
    someone.succeed(f"{someone.user} makes a vault", "coffer", "unlock")
    someone.open_bus()
for name in sys.argv[1:]:
    print(f"--- {name}", flush=True)
    try:
        CLIENTS[name](alice, bob)
    except (OSError, ValueError, LookupError, sqlite3.Error, subprocess.SubprocessError) as error:
        # One client's mishap does not hide what the others say.
        check(f"{name} can be run", False, error)
for someone in (alice, bob):
    someone.close()
daemons.stop()
finish()
