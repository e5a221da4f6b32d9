"""Checks of the secret portal's backend. usage: portal.py NAME

Applications in a sandbox talk to xdg-desktop-portal (the front end), which talks to Coffer. Most checks play the front end.
"""
import itertools
import os
import socket
import subprocess
import sys
import tempfile

from bus import *
from beside import Stopped
from checks import INVALID, LIMIT, NO_OBJECT, lock, until, wait_for_prompt
from told import coffer

BACKEND = "org.freedesktop.impl.portal.desktop.coffer"
FRONT_END = "org.freedesktop.portal.Desktop"
PORTAL = "org.freedesktop.impl.portal.Secret"
REQUEST = "org.freedesktop.impl.portal.Request"
DESKTOP = "/org/freedesktop/portal/desktop"
SCHEMA = "org.freedesktop.portal.Secret"
DENIED = "org.freedesktop.DBus.Error.AccessDenied"
numbers = itertools.count(1)


class Caller(Client):
    """One connection that talks to the portal's backend."""

    def __init__(self):
        super().__init__(BACKEND)

    def become_front_end(self):
        # The bus may not know yet that the front end before has left. 4: do not queue; 1: the name is ours.
        def has_name():
            reply = self.connection.send_and_get_reply(message_bus.RequestName(FRONT_END, 4), timeout=600)
            return self.answer(reply) == (1,)
        until(has_name, "the name of the front end is taken")
        return self

    def ask(self, application, descriptor, request=None):
        """Begins a request, and does not wait. Returns its number."""
        request = request or f"{DESKTOP}/request/1_1/t{next(numbers)}"
        return self.send(DESKTOP, PORTAL, "RetrieveSecret", "osha{sv}", request, application, descriptor, {})

    def secret(self, application):
        reading, writing = os.pipe()
        number = self.ask(application, writing)
        os.close(writing)
        response, results = self.reply(number)
        assert (response, results) == (0, {}), (response, results)
        return everything(reading)

    def response(self, descriptor, application="org.example.One"):
        return self.reply(self.ask(application, descriptor))[0]


def everything(reading):
    """All that is written until the last writer has closed the pipe."""
    with open(reading, "rb") as file:
        return file.read()


def applications():
    front, keyring = Caller().become_front_end(), Client()
    session = keyring.plain()
    one, two = front.secret("org.example.One"), front.secret("org.example.Two-2")
    assert len(one) == len(two) == 64 and one != two and one != bytes(64)
    assert front.secret("org.example.One") == one
    # Programs without a sandbox have one together.
    assert front.secret("") not in (one, two) and front.secret("") == front.secret("")
    found, locked = keyring.search({"app_id": "org.example.One", "xdg:schema": SCHEMA})
    assert len(found) == 1 and locked == [], (found, locked)
    assert keyring.secret(session, found[0]) == (one, "application/octet-stream")
    # Two at once, the first time.
    pipes = [os.pipe() for _ in range(2)]
    for number in [front.ask("org.example.Both", writing) for _, writing in pipes]:
        assert front.reply(number)[0] == 0
    for _, writing in pipes:
        os.close(writing)
    both = [everything(reading) for reading, _ in pipes]
    assert both[0] == both[1] and len(both[0]) == 64, both
    # Another item with the same attributes does not take its place.
    keyring.create(session, "Another", {"app_id": "org.example.One", "xdg:schema": SCHEMA}, b"another")
    assert front.secret("org.example.One") == one
    # Nor is one given out that only looks like one.
    keyring.create(session, "Of a program", {"app_id": "org.example.Three", "xdg:schema": "org.example.Password"}, b"password")
    assert len(front.secret("org.example.Three")) == 64
    # What GNOME Keyring had.
    keyring.create(session, "Application key", {"app_id": "org.example.Old"}, b"of old")
    assert front.secret("org.example.Old") == b"of old"
    assert front.get(DESKTOP, PORTAL, "version") == 1
    assert f'"{PORTAL}"' in front.call(DESKTOP, "org.freedesktop.DBus.Introspectable", "Introspect")[0]


def outsiders():
    """Only the front end may ask, because an application's id is the caller's word."""
    outsider = Caller()
    reading, writing = os.pipe()
    refused(DENIED, outsider.response, writing)
    front = Caller().become_front_end()
    refused(DENIED, outsider.response, writing)
    one = front.secret("org.example.One")
    refused(DENIED, outsider.response, writing)
    os.close(writing)
    assert everything(reading) == b"" and len(one) == 64


def wrong_calls():
    front = Caller().become_front_end()
    with open("/dev/null", "wb") as null:
        for application in ("a/b", "a b", "x" * 256, "ünïcode", "a\n"):
            refused(INVALID, front.response, null.fileno(), application)
        for request in ("/", DESKTOP, "/org/freedesktop/secrets/session/x", DESKTOP + "/session/x"):
            refused(INVALID, lambda: front.reply(front.ask("a", null.fileno(), request)))
        refused(INVALID, front.call, DESKTOP, PORTAL, "RetrieveSecret", "osu", DESKTOP + "/request/x", "a", 1)
        refused(NO_OBJECT, front.call, DESKTOP + "/request/nothing", REQUEST, "Close")
    # The provider goes on.
    assert len(front.secret("a")) == 64


def descriptors():
    """Nothing that an application hands over holds the provider up or ends it."""
    front = Caller().become_front_end()
    secret = front.secret("org.example.One")
    # A pipe that nobody reads, and one that is closed.
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    try:
        while True:
            os.write(writing, bytes(4096))
    except BlockingIOError:
        os.set_blocking(writing, True)
    assert front.response(writing) == 2
    assert os.get_blocking(writing), "the pipe's own flags are changed"
    os.close(reading)
    assert front.response(writing) == 2
    os.close(writing)
    reading, writing = os.pipe()
    assert front.response(reading) == 2, "written into the end that reads"
    os.close(writing)
    assert everything(reading) == b""
    # Sockets: full, closed, and in order.
    mine, theirs = socket.socketpair()
    theirs.setblocking(False)
    try:
        while True:
            theirs.send(bytes(4096))
    except BlockingIOError:
        theirs.setblocking(True)
    assert front.response(theirs.fileno()) == 2
    mine.close()
    assert front.response(theirs.fileno()) == 2
    mine, theirs = socket.socketpair()
    assert front.response(theirs.fileno()) == 0
    theirs.close()
    assert mine.recv(100) == secret and mine.recv(100) == b""
    # Files.
    with tempfile.TemporaryFile() as file:
        file.write(b"before ")
        file.flush()
        assert front.response(file.fileno()) == 0
        file.seek(0)
        assert file.read() == b"before " + secret
    for path, mode in (("/dev/full", "wb"), ("/dev/null", "rb"), ("/etc/hostname", "rb")):
        with open(path, mode) as file:
            assert front.response(file.fileno()) == 2, path
    assert front.secret("org.example.One") == secret


def locked():
    """A locked vault is opened by a prompt that names the application."""
    front, keyring = Caller().become_front_end(), Client()
    one = front.secret("org.example.One")
    lock(keyring)
    assert front.secret("org.example.One") == one
    with open(os.environ["PROMPTS"]) as file:
        # Long lines go on in the next one.
        shown = " ".join(file.read().split())
    assert f"(process {os.getpid()}), for the application \"org.example.One\"." in shown, shown
    lock(keyring)
    assert len(front.secret("org.example.New")) == 64


def closed():
    """Nobody answers. Others are served meanwhile, and only the front end can close its request."""
    front, keyring = Caller().become_front_end(), Client()
    lock(keyring)
    reading, writing = os.pipe()
    request = DESKTOP + "/request/1_1/closed"
    number = front.ask("org.example.One", writing, request)
    wait_for_prompt()
    assert keyring.search({}) == ([], [])
    refused(INVALID, lambda: front.reply(front.ask("org.example.One", writing, request)))
    refused(NO_OBJECT, Caller().call, request, REQUEST, "Close")
    front.call(request, REQUEST, "Close")
    assert front.reply(number) == (1, {})
    refused(NO_OBJECT, front.call, request, REQUEST, "Close")
    # No more than so many wait.
    for _ in range(64):
        front.ask("org.example.One", writing)
    number = front.ask("org.example.One", writing, DESKTOP + "/request/1_1/last")
    refused(NO_OBJECT, front.call, DESKTOP + "/request/1_1/last", REQUEST, "Close")
    refused(LIMIT, front.reply, number)
    # With the front end, its requests end.
    front.connection.close()
    other = Caller().become_front_end()
    os.unlink(os.environ["PROMPTS"])
    number = other.ask("org.example.One", writing)
    wait_for_prompt()
    with open(os.environ["ANSWER"], "w") as file:
        file.write("sandbox")
    assert other.reply(number) == (0, {})
    os.close(writing)
    assert len(everything(reading)) == 64


def stored():
    """The first request of all finds the secret that is there. The test has made it."""
    front = Caller().become_front_end()
    assert front.secret("org.example.Before") == b"stored before"
    assert len(Client().search({"app_id": "org.example.Before"})[0]) == 1


def locked_elsewhere():
    """A vault that another program has locked just now is opened first, for an application that has a secret and for one that has none."""
    front, keyring = Caller().become_front_end(), Client()
    one = front.secret("org.example.One")
    for application in ("org.example.One", "org.example.New"):
        assert keyring.get(LOGIN, COLLECTION, "Locked") is False
        reading, writing = os.pipe()
        with Stopped(keyring):
            coffer("lock")
            number = front.ask(application, writing)
        os.close(writing)
        assert front.reply(number) == (0, {})
        given = everything(reading)
        assert len(given) == 64 and (given == one) is (application == "org.example.One")
    with open(os.environ["PROMPTS"]) as file:
        assert file.read().count("--\n") == 2


def given_up():
    """A person who gives up ends the request. Nothing is made for the application."""
    front, keyring = Caller().become_front_end(), Client()
    lock(keyring)
    # The program that asks cannot read it.
    os.mkdir(os.environ["ANSWER"])
    reading, writing = os.pipe()
    assert front.response(writing) == 1
    os.close(writing)
    assert everything(reading) == b"" and keyring.search({"app_id": "org.example.One"}) == ([], [])


def next_front_end():
    """The front end that comes next has a path at once that the former one has used, and keeps it when that request ends."""
    front, keyring = Caller().become_front_end(), Client()
    lock(keyring)
    reading, writing = os.pipe()
    request = DESKTOP + "/request/1_1/same"
    front.ask("org.example.One", writing, request)
    wait_for_prompt()
    with Stopped(keyring):
        front.connection.close()
        other = Caller().become_front_end()
        os.unlink(os.environ["PROMPTS"])
        number = other.ask("org.example.One", writing, request)
    # It is its turn, so the former request has ended.
    wait_for_prompt()
    other.call(request, REQUEST, "Close")
    assert other.reply(number) == (1, {})
    os.close(writing)
    assert everything(reading) == b""


def nobody_to_ask():
    front = Caller().become_front_end()
    keyring = Client()
    lock(keyring)
    reading, writing = os.pipe()
    assert front.response(writing) == 2
    os.close(writing)
    assert everything(reading) == b""
    # Nothing is made for the application.
    assert keyring.search({"app_id": "org.example.One"}) == ([], [])


def real_front_end():
    """Debian's xdg-desktop-portal, with the file that Coffer installs. The programs of this check have no sandbox."""
    client = Client(FRONT_END)
    with tempfile.TemporaryDirectory() as folder:
        with open(os.environ["PORTAL"], "rb") as source, open(folder + "/coffer.portal", "wb") as target:
            target.write(source.read())
        environment = dict(
            os.environ, XDG_DESKTOP_PORTAL_DIR=folder, XDG_CURRENT_DESKTOP="gnome", HOME=folder, XDG_DATA_HOME=folder, XDG_RUNTIME_DIR=folder)
        programs = [
            subprocess.Popen(["/usr/libexec/" + name], env=environment, stdin=subprocess.DEVNULL, start_new_session=True)
            for name in ("xdg-permission-store", "xdg-desktop-portal")]
        try:
            def has_name():
                return client.answer(client.connection.send_and_get_reply(message_bus.NameHasOwner(FRONT_END), timeout=600))[0]
            until(has_name, "the front end does not come to the bus")
            client.answer(client.connection.send_and_get_reply(
                message_bus.AddMatch(MatchRule(type="signal", interface="org.freedesktop.portal.Request")), timeout=600))
            secrets = []
            for _ in range(2):
                reading, writing = os.pipe()
                request = client.call(DESKTOP, "org.freedesktop.portal.Secret", "RetrieveSecret", "ha{sv}", writing, {})[0]
                os.close(writing)
                assert client.signal("Response", request).body == (0, {})
                secrets.append(everything(reading))
            assert secrets[0] == secrets[1] and len(secrets[0]) == 64, secrets
            keyring = Client()
            found = keyring.search({"xdg:schema": SCHEMA})[0]
            assert [keyring.secret(keyring.plain(), path)[0] for path in found] == [secrets[0]]
        finally:
            for program in programs:
                program.kill()
                program.wait()


if __name__ == "__main__":
    globals()[sys.argv[1]]()
