"""Checks with programs that leave early, send many calls at once, or ask for much. usage: pressure.py NAME"""
import os
import signal
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

from bus import *
from checks import INVALID, LIMIT, LOCKED, NO_OBJECT, lock, owner, running, unlock, until, wait_for_prompt

LABEL = COLLECTION + ".Label"


class Leaving:
    """A client that sends calls and leaves. The provider reads them when it has left."""

    def __init__(self, other):
        self.other = other
        self.client = Client()
        self.name = self.client.connection.unique_name
        self.process = running(other)

    def __enter__(self):
        os.kill(self.process, signal.SIGSTOP)
        return self.client

    def __exit__(self, *_):
        self.client.connection.close()
        has_owner = lambda: Client.answer(
            self.other.connection.send_and_get_reply(message_bus.NameHasOwner(self.name), timeout=600))[0]
        until(lambda: not has_owner(), "the bus keeps a connection that has ended")
        os.kill(self.process, signal.SIGCONT)


def sent(client, *calls):
    """Sends all calls at once, and then waits for their answers. An error is one, too."""
    numbers = [client.send(*call) for call in calls]
    answers = []
    for number in numbers:
        try:
            answers.append(client.reply(number))
        except Refused as error:
            answers.append(error)
    return answers


def alias(client, name):
    return client.call(ROOT, SERVICE, "ReadAlias", "s", name)[0]


def make(client, label, name=""):
    path, prompt = client.call(ROOT, SERVICE, "CreateCollection", "a{sv}s", {LABEL: ("s", label)}, name)
    assert prompt == "/", prompt
    return path


# ---- clients that leave ----

def leaves():
    """A script sends one call and ends, before the provider can learn who it was."""
    client = Client()
    client.listen()
    for call in (("Lock", "ao", [LOGIN]), ("LockService",)):
        assert client.get(LOGIN, COLLECTION, "Locked") is False
        with Leaving(client) as script:
            script.send(ROOT, SERVICE, *call)
        until(lambda: client.get(LOGIN, COLLECTION, "Locked") is True, f"{call[0]} did nothing")
        assert unlock(client, LOGIN) == (False, ("ao", [LOGIN]))
    # Nothing else is done for somebody who is not known.
    with Leaving(client) as script:
        script.send(ROOT, SERVICE, "CreateCollection", "a{sv}s", {LABEL: ("s", "Of nobody")}, "")
        script.send(ROOT, SERVICE, "SetAlias", "so", "nobody", LOGIN)
    # Calls are read in the order in which they came. Writes are made one after the other.
    make(client, "Later")
    assert alias(client, "nobody") == "/"
    assert set(client.get(ROOT, SERVICE, "Collections")) == {LOGIN, TRANSIENT, ROOT + "/collection/Later"}


def leaves_writing():
    """A client that is known sends changes and ends. They are made."""
    client = Client()
    session = client.plain()
    old, gone, named = (client.create(session, n, {"n": n}, b"old") for n in ("old", "gone", "named"))
    leaving = Leaving(client)
    theirs = leaving.client.plain()
    with leaving as script:
        properties = {ITEM + ".Label": ("s", "New"), ITEM + ".Attributes": ("a{ss}", {"n": "new"})}
        script.send(DEFAULT, COLLECTION, "CreateItem", "a{sv}(oayays)b", properties, theirs.seal(b"v", "text/plain"), False)
        script.send(old, ITEM, "SetSecret", "(oayays)", theirs.seal(b"changed", "a/b"))
        script.send(gone, ITEM, "Delete")
        script.send(named, "org.freedesktop.DBus.Properties", "Set", "ssv", ITEM, "Label", ("s", "Renamed"))
    until(lambda: client.search({"n": "new"})[0], "the item was not made")
    until(lambda: client.secret(session, old) == (b"changed", "a/b"), "the secret was not changed")
    until(lambda: client.search({"n": "gone"})[0] == [], "the item was not deleted")
    until(lambda: client.get(named, ITEM, "Label") == "Renamed", "the label was not changed")


# ---- many calls at once ----

def at_once():
    """libsecret sends a call for each item, and does not wait."""
    client, other = Client(), Client()
    session = client.plain()
    made = sent(client, *[
        (DEFAULT, COLLECTION, "CreateItem", "a{sv}(oayays)b", {ITEM + ".Attributes": ("a{ss}", {"m": "1", "n": str(n)})},
         session.seal(b"v", "text/plain"), False) for n in range(150)])
    paths = [answer[0] for answer in made]
    found = sent(client, *[(ROOT, SERVICE, "SearchItems", "a{ss}", {"n": str(n % 150)}) for n in range(400)])
    assert [answer[0] for answer in found] == [[paths[n % 150]] for n in range(400)]
    numbers = [client.send(path, ITEM, "Delete") for path in paths]
    # Others have a turn of their own.
    assert other.get(LOGIN, COLLECTION, "Locked") is False
    assert [client.reply(number) for number in numbers] == [("/",)] * 150
    assert client.search({"m": "1"}) == ([], [])


def secret_tool():
    client = Client()
    session = client.plain()
    for n in range(140):
        client.create(session, "L", {"m": "1", "n": str(n)}, b"v", collection=DEFAULT)
    result = subprocess.run(["secret-tool", "clear", "m", "1"], capture_output=True, text=True)
    assert result.returncode == 0, result
    assert client.search({"m": "1"}) == ([], [])


def lost_update():
    """One call sets the secret with another content type, one the attributes, at the same time."""
    client = Client()
    session = client.plain()
    path = client.create(session, "L", {"n": "-"}, b"v")
    for n in range(30):
        secret = (path, ITEM, "SetSecret", "(oayays)", session.seal(b"%d" % n, f"a/{n}"))
        attributes = (path, "org.freedesktop.DBus.Properties", "Set", "ssv", ITEM, "Attributes", ("a{ss}", {"n": str(n)}))
        sent(client, *((secret, attributes) if n % 2 else (attributes, secret)))
        assert client.get(path, ITEM, "Attributes") == {"n": str(n)}, n
        assert client.secret(session, path) == (b"%d" % n, f"a/{n}"), n


def replaced_elsewhere():
    """Another program changes and deletes the item meanwhile."""
    client = Client()
    session = client.plain()
    wanted = {"service": "elsewhere", "account": "me"}
    for n in range(150):
        path = client.create(session, "L", wanted, b"%d" % n, replace=True)
        assert client.get(path, ITEM, "Attributes") == wanted, n


def aliases():
    client = Client()
    client.listen()
    names = [f"a{n}" for n in range(10)]
    sent(client, *[(ROOT, SERVICE, "SetAlias", "so", name, LOGIN) for name in names])
    assert [alias(client, name) for name in names] == [LOGIN] * 10
    # No path has a hyphen, but a client may ask for such an alias.
    client.call(ROOT, SERVICE, "SetAlias", "so", "my-alias", LOGIN)
    assert alias(client, "my-alias") == LOGIN and alias(client, "my_alias") == "/"
    client.call(ROOT, SERVICE, "SetAlias", "so", "my-alias", "/")
    # An alias that was taken away takes no room, and is not shown.
    for n in range(40):
        client.call(ROOT, SERVICE, "SetAlias", "so", f"b{n}", LOGIN)
        client.call(ROOT, SERVICE, "SetAlias", "so", f"b{n}", "/")
    client.call(ROOT, SERVICE, "SetAlias", "so", "default", "/")
    assert alias(client, "default") == "/"
    tree = xml.fromstring(client.call(ROOT, "org.freedesktop.DBus.Introspectable", "Introspect")[0])
    shown = {node.get("name")[8:] for node in tree.findall("node") if node.get("name").startswith("aliases/")}
    assert shown == {"login", "session", *names}, shown
    client.call(ROOT, SERVICE, "SetAlias", "so", "default", LOGIN)
    answers = sent(client, *[(ROOT, SERVICE, "SetAlias", "so", f"c{n}", LOGIN) for n in range(40)])
    refusals = [answer for answer in answers if isinstance(answer, Refused)]
    assert len(refusals) == 40 - (32 - 3 - 10) and all(one.name == LIMIT for one in refusals), answers
    for n, answer in enumerate(answers):
        assert alias(client, f"c{n}") == ("/" if isinstance(answer, Refused) else LOGIN), n
    for name in names:
        client.call(ROOT, SERVICE, "SetAlias", "so", name, "/")
    # One alias has one collection.
    create = (ROOT, SERVICE, "CreateCollection", "a{sv}s", {LABEL: ("s", "One")}, "one")
    assert sent(client, *[create] * 5) == [(ROOT + "/collection/One", "/")] * 5
    assert set(client.get(ROOT, SERVICE, "Collections")) == {LOGIN, TRANSIENT, ROOT + "/collection/One"}
    lock(client)
    create = (ROOT, SERVICE, "CreateCollection", "a{sv}s", {LABEL: ("s", "Two")}, "two")
    prompts = [answer[1] for answer in sent(client, create, create)]
    sent(client, *[(prompt, PROMPT, "Prompt", "s", "") for prompt in prompts])
    for prompt in prompts:
        assert client.signal("Completed", prompt).body == (False, ("o", ROOT + "/collection/Two"))


def deleted_collection():
    client = Client()
    session = client.plain()
    path = make(client, "Mine", "mine")
    for name in ("default", "other"):
        client.call(ROOT, SERVICE, "SetAlias", "so", name, path)
    for n in range(20):
        client.create(session, "L", {"n": str(n)}, b"v", collection=path)
    # What is sent while it is deleted is not filed anywhere.
    properties = {ITEM + ".Attributes": ("a{ss}", {"late": "1"})}
    answers = sent(
        client, (path, COLLECTION, "Delete"),
        (path, COLLECTION, "CreateItem", "a{sv}(oayays)b", properties, session.seal(b"v", "text/plain"), False),
        (path, "org.freedesktop.DBus.Properties", "Set", "ssv", COLLECTION, "Label", ("s", "Back")),
        (ROOT, SERVICE, "SetAlias", "so", "late", path))
    assert answers[0] == ("/",) and [answer.name for answer in answers[1:]] == [NO_OBJECT] * 3, answers
    assert client.search({"late": "1"}) == ([], [])
    assert set(client.get(ROOT, SERVICE, "Collections")) == {LOGIN, TRANSIENT}
    assert alias(client, "default") == LOGIN and alias(client, "mine") == alias(client, "other") == "/"
    # Another collection of this id has none of its aliases.
    assert make(client, "Mine") == path
    assert alias(client, "default") == LOGIN and alias(client, "mine") == alias(client, "other") == "/"


# ---- answers ----

def large_answer():
    client = Client()
    session = client.plain()
    provider = owner(client)
    paths = [client.create(session, "L", {"n": str(n)}, bytes(1 << 20)) for n in range(17)]
    refused(LIMIT, client.call, ROOT, SERVICE, "GetSecrets", "aoo", paths, session.path)
    entries = client.call(ROOT, SERVICE, "GetSecrets", "aoo", paths[:2], session.path)[0]
    assert {path: len(session.open(secret)) for path, secret in entries.items()} == dict.fromkeys(paths[:2], 1 << 20)
    assert owner(client) == provider


def some_secrets():
    """GetSecrets answers by the paths that were asked for, and passes over what is not there."""
    client = Client()
    session = client.plain()
    one, two = (client.create(session, n, {"n": n}, n.encode()) for n in ("one", "two"))
    aliased = one.replace(LOGIN, DEFAULT)
    missing = [LOGIN + "/nothing", ROOT + "/collection/nothing/x", LOGIN, "/not/there"]
    entries = client.call(ROOT, SERVICE, "GetSecrets", "aoo", [aliased, *missing, one, two, two], session.path)[0]
    assert {p: session.open(s) for p, s in entries.items()} == {aliased: b"one", one: b"one", two: b"two"}, entries
    refused(NO_OBJECT, client.call, ROOT, SERVICE, "GetSecrets", "aoo", missing, session.path)
    assert client.call(ROOT, SERVICE, "GetSecrets", "aoo", [], session.path) == ({},)
    lock(client)
    assert client.call(ROOT, SERVICE, "GetSecrets", "aoo", [one, *missing], session.path) == ({},)


def changed_collection():
    """A collection's time is that of its newest change."""
    client = Client()
    session = client.plain()
    path = make(client, "Mine")
    for collection in (LOGIN, path):
        item = client.create(session, "L", {"a": "b"}, b"v", collection=collection)
        made = client.get(collection, COLLECTION, "Modified")
        assert made >= client.get(item, ITEM, "Modified") > 0, made
        client.call(item, ITEM, "Delete")
        assert client.get(collection, COLLECTION, "Modified") >= made


def long_list():
    """libsecret keeps a copy of the list of items, and ends if it is told that the copy is invalid."""
    client, other = Client(), Client()
    client.listen()
    session = other.plain()
    paths = [other.create(session, "L", {"n": str(n)}, b"v", collection=TRANSIENT) for n in range(300)]
    while True:
        _, changed, invalid = client.signal("PropertiesChanged", TRANSIENT).body
        assert invalid == [], invalid
        if len(changed.get("Items", (None, ()))[1]) == 300:
            break
    assert set(changed["Items"][1]) == set(paths)


def own_records():
    """A secret may have the name under which the provider keeps what it needs itself."""
    client = Client()
    session = client.plain()
    for account in ("aliases", "collection/login"):
        attributes = {"service": "org.freedesktop.secrets", "account": account}
        path = client.create(session, "org.freedesktop.secrets", attributes, b"mine")
        client.call(ROOT, SERVICE, "SetAlias", "so", "work", LOGIN)
        client.set(LOGIN, COLLECTION, "Label", "s", "Work")
        assert client.secret(session, path)[0] == b"mine" and client.get(path, ITEM, "Attributes") == attributes


def taken_name():
    """Another program has stored a secret under that name. The test has made it."""
    client = Client()
    session = client.plain()
    (path,) = client.search({"service": "org.freedesktop.secrets", "account": "aliases"})[0]
    refused("org.freedesktop.Secret.Error.AlreadyExists", client.call, ROOT, SERVICE, "SetAlias", "so", "work", LOGIN)
    assert client.secret(session, path)[0] == b"mine"


def always():
    """An item that can be read while the vault is locked is not locked, so it can be changed. The test has made two."""
    client = Client()
    session = client.plain()
    lock(client)
    unlocked, locked = client.search({"service": "elsewhere"})
    assert len(unlocked) == 2 and locked == [], (unlocked, locked)
    one, two = unlocked
    assert client.get(one, ITEM, "Locked") is False
    client.call(one, ITEM, "SetSecret", "(oayays)", session.seal(b"w", "text/plain"))
    client.set(one, ITEM, "Label", "s", "New")
    assert client.secret(session, one)[0] == b"w" and client.get(one, ITEM, "Label") == "New"
    client.call(two, ITEM, "Delete")
    assert client.search({"service": "elsewhere"}) == ([one], [])


def named():
    """A client replaces the item that coffer set has made. The test has made it, and one with an attribute more."""
    client = Client()
    session = client.plain()
    (first,) = client.search({"service": "elsewhere", "username": "one"})[0]
    for attributes in ({"service": "elsewhere", "username": "one"}, {"service": "elsewhere", "username": "one"}):
        assert client.create(session, "L", attributes, b"new", replace=True) == first
    (second,) = client.search({"service": "elsewhere", "username": "two"})[0]
    # Without its own attribute, or without its account, it is another item's name.
    for attributes in ({"service": "elsewhere", "username": "two"}, {"service": "elsewhere", "team": "a"}):
        assert client.create(session, "L", attributes, b"more", replace=True) not in (first, second), attributes
    assert client.create(session, "L", {"service": "elsewhere", "account": "two", "team": "a"}, b"new", replace=True) == second


def renamed():
    """coffer renames an item. It is the same one, for those who hear of it and for those who read it meanwhile. The test has made it."""
    client, other = Client(), Client()
    session = other.plain()
    (path,) = other.search({"service": "elsewhere"})[0]
    client.listen()
    program = os.path.join(os.path.dirname(os.environ["PROVIDER"]), "coffer")
    for n in range(8):
        process = subprocess.Popen([program, "rename", "--quiet", "elsewhere", str(n), "elsewhere", str(n + 1)], stdin=subprocess.DEVNULL)
        while process.poll() is None:
            assert other.secret(session, path)[0] == b"v"
        assert process.returncode == 0
    until(lambda: other.get(path, ITEM, "Attributes")["account"] == "8", "the new name is not shown")
    heard = set()
    while "ItemChanged" not in heard or client.pending:
        heard.add(client.receive(lambda message: True).header.fields[HeaderFields.member])
    assert not heard & {"ItemDeleted", "ItemCreated"}, heard


def odd_texts():
    client = Client()
    session = client.plain()
    long = "e" + "\u0301" * 200
    for attributes, label in (({"server": long}, "L"), ({}, long), ({"user": long, "x": "y"}, "")):
        path = client.create(session, label, attributes, b"v")
        assert client.get(path, ITEM, "Attributes") == attributes and client.get(path, ITEM, "Label") == label
    # The same letter, once as one character and once as two.
    whole, parts = "\u00e9", "e\u0301"
    refused(INVALID, client.create, session, "Both", {whole: "1", parts: "2"}, b"v")
    path = client.create(session, "One", {whole: "1"}, b"v")
    refused(INVALID, client.set, path, ITEM, "Attributes", "a{ss}", {whole: "1", parts: "2"})
    client.set(path, ITEM, "Attributes", "a{ss}", {parts: "2"})
    assert client.get(path, ITEM, "Attributes") == {parts: "2"}
    assert client.search({parts: "2"}) == ([path], []) and client.search({whole: "2"}) == ([], [])
    for content in ("", "-", "--", "text/plain", "-/-"):
        path = client.create(session, "L", {"content": content}, b"v", content=content)
        assert client.secret(session, path) == (b"v", content), content
        client.call(path, ITEM, "SetSecret", "(oayays)", session.seal(b"w", content))
        assert client.secret(session, path) == (b"w", content), content


def transient_limits():
    """The vault does not count the session collection. What just fits is taken and one more is not, whether it makes an item or changes one."""
    client = Client()
    session = client.plain()
    most = 1 << 20
    create = lambda attributes, size, **named: client.create(
        session, "L", attributes, bytes(size), collection=TRANSIENT, **named)
    change = lambda path, size: client.call(path, ITEM, "SetSecret", "(oayays)", session.seal(bytes(size), "text/plain"))
    large = [create({"n": str(n)}, most) for n in range(7)]
    small = create({"n": "small"}, 1)
    refused(LIMIT, create, {"n": "x"}, most + 1)
    refused(LIMIT, change, small, most + 1)
    assert client.secret(session, small)[0] == bytes(1)
    # 8 MiB together. An item that is replaced does not count.
    change(small, most)
    refused(LIMIT, create, {"n": "x"}, 1)
    assert create({"n": "0"}, most, replace=True) == large[0]
    change(small, 1)
    for fitting, further in (({str(n): "" for n in range(64)}, {"64": ""}), ({"x": "y" * 4095}, {"x": "y" * 4096})):
        path = create(fitting, 1)
        refused(LIMIT, create, fitting | further, 1)
        refused(LIMIT, client.set, path, ITEM, "Attributes", "a{ss}", fitting | further)
        client.set(small, ITEM, "Attributes", "a{ss}", fitting)
        assert client.get(path, ITEM, "Attributes") == client.get(small, ITEM, "Attributes") == fitting
    # Labels and content types are as long as those of the vault, and no longer.
    label, content = "l" * 1024, "c" * (4096 - len("coffer:content-type"))
    place = client.create(session, label, {"n": "label"}, b"v", collection=TRANSIENT, content=content)
    refused(LIMIT, client.create, session, label + "l", {"n": "x"}, b"v", collection=TRANSIENT)
    refused(LIMIT, client.create, session, "L", {"n": "x"}, b"v", collection=TRANSIENT, content=content + "c")
    refused(LIMIT, client.call, place, ITEM, "SetSecret", "(oayays)", session.seal(b"w", content + "c"))
    refused(LIMIT, client.set, place, ITEM, "Label", "s", label + "l")
    assert client.secret(session, place) == (b"v", content) and client.get(place, ITEM, "Label") == label
    former = client.get(TRANSIENT, COLLECTION, "Label")
    refused(LIMIT, client.set, TRANSIENT, COLLECTION, "Label", "s", label + "l")
    assert client.get(TRANSIENT, COLLECTION, "Label") == former
    client.set(TRANSIENT, COLLECTION, "Label", "s", label)
    client.set(TRANSIENT, COLLECTION, "Label", "s", former)
    count = lambda: len(client.get(TRANSIENT, COLLECTION, "Items"))
    properties = {ITEM + ".Label": ("s", "L"), ITEM + ".Attributes": ("a{ss}", {"many": "x"})}
    call = (TRANSIENT, COLLECTION, "CreateItem", "a{sv}(oayays)b", properties, session.seal(b"", "text/plain"), False)
    made = sent(client, *[call for _ in range(1000 - count())])
    assert count() == 1000, made
    refused(LIMIT, create, {"n": "x"}, 0)
    create({"n": "0"}, 0, replace=True)
    client.call(small, ITEM, "Delete")
    create({"n": "x"}, 0)
    refused(LIMIT, create, {"n": "y"}, 0)


def just_fits():
    """What is as large as a limit is taken."""
    client = Client()
    session = client.plain()
    path = client.create(session, "L", {"n": "n"}, bytes(1 << 20))
    client.call(path, ITEM, "SetSecret", "(oayays)", session.seal(b"x" * (1 << 20), "text/plain"))
    assert client.secret(session, path)[0] == b"x" * (1 << 20)
    assert client.search({str(n): "" for n in range(6_000)}) == ([], [])
    longest = "a" * 64
    client.call(ROOT, SERVICE, "SetAlias", "so", longest, LOGIN)
    assert alias(client, longest) == LOGIN
    refused(INVALID, client.call, ROOT, SERVICE, "SetAlias", "so", longest + "a", LOGIN)
    refused(INVALID, client.call, ROOT, SERVICE, "CreateCollection", "a{sv}s", {LABEL: ("s", "L")}, longest + "a")
    # Sixteen secrets of the most bytes are one answer.
    paths = [client.create(session, "L", {"n": str(n)}, bytes(1 << 20)) for n in range(15)]
    assert len(client.call(ROOT, SERVICE, "GetSecrets", "aoo", [path, *paths], session.path)[0]) == 16


def many_collections():
    """The next one is refused, and one that is deleted makes room."""
    client = Client()
    made = []
    while True:
        try:
            made.append(make(client, f"C{len(made)}"))
        except Refused as error:
            assert error.name == LIMIT, error
            break
        assert len(made) <= 64
    assert len(client.get(ROOT, SERVICE, "Collections")) == 64, made
    client.call(made[0], COLLECTION, "Delete")
    make(client, "another")
    refused(LIMIT, make, client, "one more")


# ---- a prompt that nobody answers ----

def opened_elsewhere():
    """The vault is opened in a terminal while a client's prompt is shown. The test has made gated/one with presence."""
    client, other = Client(), Client()
    client.listen()
    session = other.plain()
    one = other.search({"service": "gated", "account": "one"})[0][0]
    lock(client)
    prompts = [client.call(ROOT, SERVICE, "Unlock", "ao", [LOGIN])[1] for _ in range(2)]
    for prompt in prompts:
        client.call(prompt, PROMPT, "Prompt", "s", "")
    wait_for_prompt()
    with tempfile.TemporaryDirectory() as folder:
        script = folder + "/ask"
        with open(script, "w") as file:
            file.write("#!/bin/sh\necho sandbox\n")
        os.chmod(script, 0o700)
        program = os.path.join(os.path.dirname(os.environ["PROVIDER"]), "coffer")
        subprocess.run([program, "unlock"], check=True, env=dict(os.environ, COFFER_ASKPASS=script), stdin=subprocess.DEVNULL)
    for prompt in prompts:
        assert client.signal("Completed", prompt).body == (False, ("ao", [LOGIN]))
    # Nothing is in the way of the next question.
    os.unlink(os.environ["PROMPTS"])
    number = other.send(one, ITEM, "GetSecret", "o", session.path)
    wait_for_prompt()
    with open(os.environ["ANSWER"], "w") as file:
        file.write("sandbox")
    assert session.open(other.reply(number)[0]) == b"secret one"


def never_answered():
    """A prompt to open the vault ends, too. The provider was told to wait for one second."""
    client = Client()
    client.listen()
    lock(client)
    assert unlock(client, LOGIN) == (True, ("ao", []))
    assert client.get(LOGIN, COLLECTION, "Locked") is True


if __name__ == "__main__":
    globals()[sys.argv[1]]()
