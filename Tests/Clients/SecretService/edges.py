"""Checks of what is refused, of prompts that fail, and of clients that leave or forge. usage: edges.py NAME"""
import ctypes
import os
import select
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import xml.etree.ElementTree as xml

from beside import Stopped
from bus import *
from checks import (
    INVALID, LIMIT, LOCKED, NO_OBJECT, NO_SESSION, NOT_SUPPORTED, has_ended, lock, owner, start, unlock, until,
    wait_for_prompt)
from pressure import LABEL, Leaving, alias, make, sent
from told import coffer

DENIED = "org.freedesktop.DBus.Error.AccessDenied"


def asked():
    """How often a person was asked."""
    if not os.path.exists(os.environ["PROMPTS"]):
        return 0
    with open(os.environ["PROMPTS"]) as file:
        return file.read().count("--\n")


def answer(text):
    """From here on, the person answers this."""
    with open(os.environ["ANSWER"], "w") as file:
        file.write(text)


def collections(client):
    return set(client.get(ROOT, SERVICE, "Collections"))


def prompt(client, path):
    """Shows a prompt, and returns what Completed says."""
    client.call(path, PROMPT, "Prompt", "s", "")
    return client.signal("Completed", path).body


# ---- what is refused ----

def refusals():
    client = Client()
    session = client.plain()
    item = client.create(session, "L", {"a": "1"}, b"v")
    short = client.create(session, "L", {"a": "1"}, b"v", collection=TRANSIENT)
    gnome = "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface"
    refused(NOT_SUPPORTED, client.call, ROOT, gnome, "ChangeWithPrompt", "o", LOGIN)
    refused(NOT_SUPPORTED, client.call, ROOT, SERVICE, "ChangeLock", "o", LOGIN)
    refused(NOT_SUPPORTED, client.call, ROOT, SERVICE, "SetAlias", "so", "session", LOGIN)
    refused(NOT_SUPPORTED, client.call, ROOT, SERVICE, "SetAlias", "so", "work", TRANSIENT)
    refused(NOT_SUPPORTED, client.call, TRANSIENT, COLLECTION, "Delete")
    assert alias(client, "session") == TRANSIENT and alias(client, "work") == "/"
    # Only what is in the vault can be locked.
    for paths in ([], [TRANSIENT, short, ROOT, "/not/there", session.path]):
        assert client.call(ROOT, SERVICE, "Lock", "ao", paths) == ([], "/")
        assert client.get(LOGIN, COLLECTION, "Locked") is False
    assert client.call(ROOT, SERVICE, "Lock", "ao", [item, short]) == ([item], "/")
    assert client.get(LOGIN, COLLECTION, "Locked") is True
    # What a locked vault has already needs no prompt.
    assert client.call(ROOT, SERVICE, "CreateCollection", "a{sv}s", {}, "default") == (LOGIN, "/")
    # A public key has one zero before it at most.
    public = pow(2, 2 ** 1000 - 1, PRIME).to_bytes(128, "big")
    client.call(ROOT, SERVICE, "OpenSession", "sv", DH, ("ay", b"\0" + public))
    refused(INVALID, client.call, ROOT, SERVICE, "OpenSession", "sv", DH, ("ay", b"\0\0" + public))


def too_large():
    """What the vault does not take is refused with its reason, and what was there stays."""
    client = Client()
    session = client.plain()
    large = bytes((1 << 20) + 1)
    path = client.create(session, "L", {"a": "1"}, b"v")
    for replace in (False, True):
        text = refused(LIMIT, client.create, session, "L", {"a": "1"}, large, replace=replace)
        assert "too many items" not in text, text
    refused(LIMIT, client.call, path, ITEM, "SetSecret", "(oayays)", session.seal(large, "a/b"))
    refused(LIMIT, client.set, path, ITEM, "Attributes", "a{ss}", {str(n): "x" for n in range(65)})
    refused(LIMIT, client.set, path, ITEM, "Label", "s", "x" * 1025)
    assert client.secret(session, path) == (b"v", "text/plain")
    assert client.get(path, ITEM, "Attributes") == {"a": "1"} and client.get(path, ITEM, "Label") == "L"
    assert client.search({"a": "1"}) == ([path], [])


def twice_named():
    """A secret that is asked for by two paths is in the answer twice, and counts twice."""
    client = Client()
    session = client.plain()
    paths = [client.create(session, "L", {"n": str(n)}, bytes(1 << 20)) for n in range(9)]
    both = lambda some: some + [path.replace(LOGIN, DEFAULT) for path in some]
    refused(LIMIT, client.call, ROOT, SERVICE, "GetSecrets", "aoo", both(paths), session.path)
    (entries,) = client.call(ROOT, SERVICE, "GetSecrets", "aoo", both(paths[:8]), session.path)
    assert len(entries) == 16 and all(len(session.open(secret)) == 1 << 20 for secret in entries.values())


def transient_changes():
    """What changes an item in memory counts with all others, and the item was changed then."""
    client = Client()
    session = client.plain()
    create = lambda n, size: client.create(session, "L", {"n": str(n), "all": "x"}, bytes(size), collection=TRANSIENT)
    change = lambda path, size: client.call(path, ITEM, "SetSecret", "(oayays)", session.seal(bytes(size), "a/b"))
    paths = [create(n, 1 << 20) for n in range(7)]
    one, two = create("one", 1), create("two", 1)
    refused(LIMIT, change, one, 1 << 20)
    change(one, (1 << 20) - 1)
    refused(LIMIT, change, two, 2)
    assert client.secret(session, two) == (b"\0", "text/plain")
    for path in paths:
        client.call(path, ITEM, "Delete")
    # The one that was changed last comes first.
    newest = lambda: client.search({"all": "x"})[0][0]
    for path, act in ((one, lambda: change(one, 3)), (two, lambda: client.set(two, ITEM, "Label", "s", "N")),
                      (one, lambda: client.set(one, ITEM, "Attributes", "a{ss}", {"all": "x"}))):
        time.sleep(0.01)
        act()
        assert newest() == path
    assert client.get(two, ITEM, "Label") == "N" and client.get(two, ITEM, "Attributes") == {"n": "two", "all": "x"}


def made_later():
    """A collection was made when it was made, and not when the provider was started."""
    client = Client()
    session = client.plain()
    started = client.get(TRANSIENT, COLLECTION, "Created")
    assert client.get(LOGIN, COLLECTION, "Created") == started
    until(lambda: int(time.time()) > started, "the clock stands still")
    path = make(client, "Later")
    assert client.get(path, COLLECTION, "Created") > started
    # The default one is as old as its oldest item.
    item = client.create(session, "L", {"a": "1"}, b"v")
    client.create(session, "L", {"a": "2"}, b"v")
    assert client.get(LOGIN, COLLECTION, "Created") == client.get(item, ITEM, "Created") > started


def aliases_full():
    """A collection whose alias finds no room is not made."""
    client = Client()
    for n in range(32 - 3):
        client.call(ROOT, SERVICE, "SetAlias", "so", f"a{n}", LOGIN)
    refused(LIMIT, client.call, ROOT, SERVICE, "SetAlias", "so", "more", LOGIN)
    refused(LIMIT, client.call, ROOT, SERVICE, "CreateCollection", "a{sv}s", {LABEL: ("s", "More")}, "more")
    assert alias(client, "more") == "/" and collections(client) == {LOGIN, TRANSIENT}
    make(client, "Plain")
    # One that goes makes room for one.
    client.call(ROOT, SERVICE, "SetAlias", "so", "a0", "/")
    assert alias(client, "more") == "/"
    path = make(client, "More", "more")
    assert alias(client, "more") == path
    refused(LIMIT, client.call, ROOT, SERVICE, "SetAlias", "so", "a0", LOGIN)


# ---- deleted collections ----

def deleted_twice():
    client = Client()
    client.listen()
    session = client.plain()
    for _ in range(2):
        path = make(client, "Mine")
        # Nothing is left of the one that was deleted before.
        items = [client.create(session, "L", {"n": str(n)}, b"v", collection=path) for n in range(4)]
        assert all(item.startswith(path + "/") for item in items), items
        properties = {ITEM + ".Attributes": ("a{ss}", {"late": "1"})}
        client.pending = []
        answers = sent(
            client, (path, COLLECTION, "Delete"), (path, COLLECTION, "Delete"),
            (path, COLLECTION, "CreateItem", "a{sv}(oayays)b", properties, session.seal(b"v", "text/plain"), False))
        assert answers[0] == ("/",) and [answer.name for answer in answers[1:]] == [NO_OBJECT] * 2, answers
        # What is refused was not made for a moment.
        assert not [m for m in client.pending if m.header.fields.get(HeaderFields.member) == "ItemCreated"]
        assert collections(client) == {LOGIN, TRANSIENT} and client.get(LOGIN, COLLECTION, "Items") == []


def filled_while_deleted():
    """What is stored in a collection while it is deleted is nowhere afterwards."""
    client = Client()
    session = client.plain()
    for n in range(5):
        path = make(client, "Mine")
        properties = {ITEM + ".Attributes": ("a{ss}", {"filled": "x"})}
        numbers = [
            client.send(path, COLLECTION, "CreateItem", "a{sv}(oayays)b", properties, session.seal(b"v", "text/plain"), False)
            for _ in range(80)]
        # Some are stored, some are about to be.
        client.reply(numbers[10 * n])
        deletion = client.send(path, COLLECTION, "Delete")
        assert client.reply(deletion) == ("/",)
        for number in [one for one in numbers if one != numbers[10 * n]]:
            try:
                client.reply(number)
            except Refused as error:
                assert error.name in (NO_OBJECT, "org.freedesktop.DBus.Error.Failed"), error
        assert client.search({"filled": "x"}) == ([], []), n
        assert client.get(LOGIN, COLLECTION, "Items") == []


def deleted_locked():
    """A collection of a locked vault is deleted after the person was asked."""
    client = Client()
    client.listen()
    session = client.plain()
    path = make(client, "Mine", "mine")
    item = client.create(session, "L", {"a": "1"}, b"v", collection=path)
    lock(client)
    (deletion,) = client.call(path, COLLECTION, "Delete")
    assert deletion != "/" and asked() == 0
    assert client.search({"a": "1"}) == ([], [item])
    assert prompt(client, deletion) == (False, ("s", "")) and asked() == 1
    assert client.search({"a": "1"}) == ([], []) and collections(client) == {LOGIN, TRANSIENT}
    assert alias(client, "mine") == "/"


def wrong_answer():
    """With a wrong answer, a prompt does nothing of what it was made for."""
    client = Client()
    client.listen()
    session = client.plain()
    path = make(client, "Mine")
    item = client.create(session, "L", {"a": "1"}, b"v", collection=path)
    lock(client)
    none, making = client.call(ROOT, SERVICE, "CreateCollection", "a{sv}s", {LABEL: ("s", "Other")}, "other")
    assert none == "/"
    assert prompt(client, making) == (True, ("o", "/"))
    (deletion,) = client.call(path, COLLECTION, "Delete")
    assert prompt(client, deletion) == (True, ("s", ""))
    assert client.get(LOGIN, COLLECTION, "Locked") is True
    assert collections(client) == {LOGIN, TRANSIENT, path} and alias(client, "other") == "/"
    assert client.search({"a": "1"}) == ([], [item])


# ---- a person who gives up; gated/one and gated/two require presence ----

def given_up():
    """A person who gives up is asked once, also for several items, and the client gets nothing."""
    client = Client()
    client.listen()
    session = client.plain()
    paths = {name: client.search({"service": "gated", "account": name})[0][0] for name in ("one", "two")}
    # The program that asks cannot read it.
    os.mkdir(os.environ["ANSWER"])
    refused(DENIED, client.secret, session, paths["one"])
    assert asked() == 1
    refused(DENIED, client.call, ROOT, SERVICE, "GetSecrets", "aoo", list(paths.values()), session.path)
    assert asked() == 2
    lock(client)
    assert unlock(client, LOGIN) == (True, ("ao", []))
    assert asked() == 3


def given_up_once():
    """More items than one question can name: a person who gives up is not asked for the others. The test has made 40."""
    client = Client()
    session = client.plain()
    paths, _ = client.search({"service": "gated"})
    assert len(paths) == 40, len(paths)
    os.mkdir(os.environ["ANSWER"])
    refused(DENIED, client.call, ROOT, SERVICE, "GetSecrets", "aoo", paths, session.path)
    assert asked() == 1, asked()


def answered_late():
    """All questions of one call have 12 seconds together. What was read in this time is given out. The test has made 40 items."""
    client = Client()
    session = client.plain()
    paths, _ = client.search({"service": "gated"})
    assert len(paths) == 40, len(paths)
    # Each question takes one answer out of it.
    os.mkfifo(os.environ["ANSWER"])
    begun = time.monotonic()
    number = client.send(ROOT, SERVICE, "GetSecrets", "aoo", paths, session.path)
    wait_for_prompt()
    time.sleep(max(0, begun + 6 - time.monotonic()))
    answer("sandbox")
    (entries,) = client.reply(number)
    took = time.monotonic() - begun
    assert took < 16, took
    assert len(entries) == 32 and asked() == 2, (len(entries), asked())


def lost_fingers():
    """An item that nobody can read any longer keeps no other one from being asked for. The test has made both, and nobody can be asked."""
    client = Client()
    session = client.plain()
    paths, _ = client.search({"service": "gated"})
    assert len(paths) == 2, paths
    try:
        client.call(ROOT, SERVICE, "GetSecrets", "aoo", paths, session.path)
        raise AssertionError("a secret without a person")
    except Refused as error:
        # The reason of the other one.
        assert "fingers" not in error.text, error
    # One of the present fingers is asked for, too.
    ((bound,), _) = client.search({"service": "other"})
    (lost,) = client.search({"service": "gated", "account": "lost"})[0]
    try:
        client.call(ROOT, SERVICE, "GetSecrets", "aoo", [lost, bound], session.path)
        raise AssertionError("a secret without a person")
    except Refused as error:
        assert "fingers" not in error.text, error
    plain = client.create(session, "L", {"a": "1"}, b"v")
    (entries,) = client.call(ROOT, SERVICE, "GetSecrets", "aoo", [plain, bound, *paths], session.path)
    assert list(entries) == [plain]


def wrong_session():
    """Nobody is asked for a client that could not take the answer."""
    client, attacker = Client(), Client()
    session = client.plain()
    one = client.search({"service": "gated", "account": "one"})[0][0]
    refused(NO_SESSION, attacker.secret, session, one)
    refused(NO_SESSION, attacker.call, ROOT, SERVICE, "GetSecrets", "aoo", [one], session.path)
    assert asked() == 0
    assert client.secret(session, one)[0] == b"secret one" and asked() == 1


def without_program():
    """A process whose first thread has ended shows no program. The prompt says what it calls itself."""
    with open("/proc/self/comm") as file:
        title = file.read().rstrip("\n")
    child = os.fork()
    if child == 0:
        def ask():
            try:
                while os.readlink("/proc/self/exe"):
                    time.sleep(0.001)
            except OSError:
                pass
            try:
                client = Client()
                one = client.search({"service": "gated", "account": "one"})[0][0]
                assert client.secret(client.plain(), one)[0] == b"secret one"
                os._exit(0)
            finally:
                os._exit(1)

        threading.Thread(target=ask).start()
        # exit(2), which ends this thread only.
        ctypes.CDLL(None).syscall({"x86_64": 60, "aarch64": 93}[os.uname().machine], 0)
    _, status = os.waitpid(child, 0)
    assert status == 0, status
    with open(os.environ["PROMPTS"]) as file:
        # Long lines go on in the next one.
        shown = " ".join(file.read().split())
    assert f'Asked for over D-Bus by a process that calls itself "{title}" (process {child}).' in shown, shown


def mounted_program():
    """Another program, mounted over one that is trusted in a namespace of its own, is not named like that one (attacker 4)."""
    with tempfile.TemporaryDirectory() as folder:
        trusted, other = f"{folder}/git", f"{folder}/python3"
        shutil.copy("/usr/bin/true", trusted)
        shutil.copy(os.path.realpath(sys.executable), other)
        script = 'mount --bind "$1" "$2" && shift && exec "$@"'
        words = ["unshare", "--mount", "sh", "-c", script, "sh", other, trusted, os.path.abspath(__file__), "reads_gated"]
        child = subprocess.Popen(words, env=os.environ | {"PYTHONHOME": sys.base_prefix})
        assert child.wait() == 0
    with open(os.environ["PROMPTS"]) as file:
        shown = " ".join(file.read().split())
    own = f'a program that calls itself "{trusted}", in a file system of its own (process {child.pid}).'
    assert f"Asked for over D-Bus by {own}" in shown, shown
    log = coffer("log", "--json")
    assert f'over D-Bus, for \\"{trusted}\\"? (process {child.pid})' in log, log


def reads_gated():
    client = Client()
    one = client.search({"service": "gated", "account": "one"})[0][0]
    assert client.secret(client.plain(), one)[0] == b"secret one"


# ---- clients that leave ----

def shown(client):
    """The prompts that introspection shows."""
    tree = xml.fromstring(client.call(ROOT, "org.freedesktop.DBus.Introspectable", "Introspect")[0])
    return [node.get("name") for node in tree.findall("node") if node.get("name").startswith("prompt/")]


def leaves_prompt():
    """A prompt is gone with its client, whether it was made before or after that one left. A question that is open ends."""
    client = Client()
    client.listen()
    lock(client)
    leaving = Leaving(client)
    leaving.client.plain()
    # Others call in between, which makes nobody forget it.
    client.search({})
    with leaving as script:
        script.send(ROOT, SERVICE, "Unlock", "ao", [LOGIN])
    _, own = client.call(ROOT, SERVICE, "Unlock", "ao", [LOGIN])
    until(lambda: len(shown(client)) == 1, "the prompt of a client that has left stays")
    client.call(own, PROMPT, "Dismiss")
    assert shown(client) == []
    other = Client()
    _, path = other.call(ROOT, SERVICE, "Unlock", "ao", [LOGIN])
    other.call(path, PROMPT, "Prompt", "s", "")
    wait_for_prompt()
    until(lambda: os.path.exists(os.environ["PROMPTS"] + ".processes"), "nobody was asked")
    with open(os.environ["PROMPTS"] + ".processes") as file:
        asking = int(file.read().split()[-1])
    assert shown(client) == [path.removeprefix(ROOT + "/")]
    other.connection.close()
    until(lambda: has_ended(asking), "the question is still open")
    until(lambda: shown(client) == [], "the prompt of a client that has left stays")


def leaves_waiting():
    """A client leaves while a person is asked for it. Its session ends with it."""
    client, other = Client(), Client()
    session = client.plain()
    one = client.search({"service": "gated", "account": "one"})[0][0]
    client.send(one, ITEM, "GetSecret", "o", session.path)
    wait_for_prompt()
    client.connection.close()

    def is_closed():
        try:
            other.call(session.path, SESSION, "Close")
        except Refused as error:
            return error.name == NO_OBJECT
        return False

    until(is_closed, "the session stays")


def leaves_calls():
    """What came with calls of a client that has left is freed, also if their turn has not come."""
    client = Client()
    session = client.plain()
    one = client.search({"service": "gated", "account": "one"})[0][0]
    for _ in range(128):
        client.send(one, ITEM, "GetSecret", "o", session.path)
    reading, writing = os.pipe()
    desktop = "/org/freedesktop/portal/desktop"
    client.send(
        desktop, "org.freedesktop.impl.portal.Secret", "RetrieveSecret", "osha{sv}", desktop + "/request/1_1/t1", "",
        writing, {})
    os.close(writing)
    # The bus has taken all calls when it answers.
    client.connection.send_and_get_reply(message_bus.NameHasOwner(NAME), timeout=600)
    client.connection.close()
    # The provider has the last end that writes, as long as it has the call.
    patience = int(os.environ.get("COFFER_TEST_PATIENCE", "300"))
    assert select.select([reading], [], [], patience)[0], "a call of a client that has left is kept"
    assert os.read(reading, 1) == b""


def leaves_known():
    """A client that has called before is known when it leaves, also if others have called since."""
    client = Client()
    session = client.plain()
    path = client.create(session, "L", {"a": "1"}, b"old")
    leaving = Leaving(client)
    theirs = leaving.client.plain()
    for _ in range(3):
        Client().plain()
        client.search({})
    with leaving as script:
        script.send(path, ITEM, "SetSecret", "(oayays)", theirs.seal(b"new", "text/plain"))
    until(lambda: client.secret(session, path)[0] == b"new", "the secret was not changed")


def leaves_elsewhere():
    """Only Lock itself is done for somebody who is not known, and nothing that is only called like it."""
    client = Client()
    assert client.get(LOGIN, COLLECTION, "Locked") is False
    with Leaving(client) as script:
        script.send(LOGIN, SERVICE, "Lock", "ao", [LOGIN])
        script.send(ROOT, COLLECTION, "Lock", "ao", [LOGIN])
        script.send(ROOT, SERVICE, "Lock", "as", ["login"])
        script.send(ROOT, SERVICE, "CreateCollection", "a{sv}s", {LABEL: ("s", "Of nobody")}, "")
    make(client, "Later")
    make(client, "Later still")
    assert client.get(LOGIN, COLLECTION, "Locked") is False
    assert len(collections(client)) == 4


# ---- attackers ----

def forged():
    """Signals of other programs are not taken for those of the bus daemon."""
    client, attacker = Client(), Client()
    session = client.plain()
    provider = owner(attacker)
    daemon = DBusAddress("/org/freedesktop/DBus", NAME, "org.freedesktop.DBus")
    for interface in ("org.freedesktop.DBus", "org.example.DBus"):
        for member, signature, body in (
                ("NameOwnerChanged", "sss", (client.connection.unique_name, client.connection.unique_name, "")),
                ("NameLost", "s", (NAME,))):
            message = new_method_call(daemon, member, signature, body)
            message.header.message_type = MessageType.signal
            message.header.fields[HeaderFields.interface] = interface
            attacker.connection.send(message)
    # They came before this call.
    assert attacker.search({}) == ([], [])
    path = client.create(session, "L", {"a": "1"}, b"v")
    assert client.secret(session, path)[0] == b"v" and owner(attacker) == provider


def call_flood():
    """One client leaves as many calls to wait as it may, and the next one is refused. Others are served."""
    client, other = Client(), Client()
    session = client.plain()
    one = client.search({"service": "gated", "account": "one"})[0][0]
    call = (one, ITEM, "GetSecret", "o", session.path)
    for _ in range(128 + 10_000):
        client.send(*call)
    refused(LIMIT, client.reply, client.send(*call))
    wait_for_prompt()
    assert not [m for m in client.pending if HeaderFields.reply_serial in m.header.fields]
    theirs = other.plain()
    path = other.create(theirs, "L", {"a": "1"}, b"v")
    assert other.secret(theirs, path)[0] == b"v" and asked() == 1


def path_flood():
    """The objects' paths of waiting calls take memory, too: 16 MiB are no more than 280 of these."""
    client = Client()
    session = client.plain()
    one = client.search({"service": "gated", "account": "one"})[0][0]
    for _ in range(128):
        client.send(one, ITEM, "GetSecret", "o", session.path)
    call = ("/" + "a" * 60_000, ITEM, "GetSecret", "o", session.path)
    for _ in range(280):
        client.send(*call)
    refused(LIMIT, client.reply, client.send(*call))
    other = Client()
    assert other.get(LOGIN, COLLECTION, "Locked") is False


# ---- reasons why programs got nothing ----

def nameless_reasons():
    """Nobody can be asked. The test has made three items that require presence. Each answer names its item."""
    client = Client()
    session = client.plain()
    paths, _ = client.search({"service": "gated"})
    assert len(paths) == 3, paths
    answers = sent(client, *[(path, ITEM, "GetSecret", "o", session.path) for path in paths])
    assert {answer.name for answer in answers} == {DENIED}, answers[0]
    for account in ("clinic", "lawyer", "bank"):
        assert sum("gated/" + account in str(answer) for answer in answers) == 1, answers


def reason_ends():
    """The reason of a prompt that failed is told until the vault is opened, and not when it is locked once more."""
    client = Client()
    client.listen()
    session = client.plain()
    path = client.create(session, "L", {"a": "1"}, b"v")
    lock(client)
    assert unlock(client, LOGIN) == (True, ("ao", []))
    assert "there is no terminal" in refused(LOCKED, client.secret, session, path)
    coffer("unlock")
    assert client.secret(session, path)[0] == b"v"
    lock(client)
    assert "there is no terminal" not in refused(LOCKED, client.secret, session, path)


def reason_again():
    """A prompt that works makes the next failure news again."""
    client = Client()
    client.listen()
    for text in ("wrong", "sandbox", "wrong"):
        lock(client)
        answer(text)
        assert unlock(client, LOGIN)[0] is (text == "wrong"), text


# ---- one provider after the other ----

def asks_after_its_end():
    """A call that came before the end, and would ask a person only after it, asks nobody."""
    client, other = Client(), Client()
    session = client.plain()
    one = client.search({"service": "gated", "account": "one"})[0][0]
    with Stopped(other):
        # It asks the broker first whether the vault is locked.
        number = client.send(ROOT, SERVICE, "GetSecrets", "aoo", [one], session.path)
        second = start("--replace")
        until(lambda: owner(other) == second.pid, "the second provider did not get the name")
    try:
        client.reply(number)
        raise AssertionError("a secret without an answer")
    except Refused as error:
        assert "another program has become the Secret Service; try again" in error.text, error
    assert asked() == 0
    second.kill()
    second.wait()


if __name__ == "__main__":
    globals()[sys.argv[1]]()
