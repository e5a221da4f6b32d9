"""Checks beside other programs, of whose changes the provider has not heard yet. usage: beside.py NAME"""
import os
import signal
import sys

from bus import *
from checks import LIMIT, LOCKED, NO_OBJECT, lock, owner, running, until
from pressure import make, sent
from told import coffer

PROPERTIES = "org.freedesktop.DBus.Properties"
LABEL = COLLECTION + ".Label"


class Stopped:
    """The provider takes nothing meanwhile: neither calls nor what the broker tells."""

    def __init__(self, client):
        self.process = running(client)

    def __enter__(self):
        os.kill(self.process, signal.SIGSTOP)

    def __exit__(self, *_):
        os.kill(self.process, signal.SIGCONT)


def is_locked(client):
    return client.get(LOGIN, COLLECTION, "Locked")


def create(session, attributes):
    properties = {ITEM + ".Label": ("s", "L"), ITEM + ".Attributes": ("a{ss}", attributes)}
    return DEFAULT, COLLECTION, "CreateItem", "a{sv}(oayays)b", properties, session.seal(b"w", "text/plain"), False


def locked():
    """A vault that another program has locked just now is locked for every call."""
    client = Client()
    session = client.plain()
    path = client.create(session, "L", {"k": "1"}, b"v")
    mine = make(client, "Mine")

    def after(*call):
        """The number of a call that is sent after the lock, before the provider can have heard of it."""
        coffer("unlock")
        assert is_locked(client) is False
        with Stopped(client):
            coffer("lock")
            return client.send(*call)

    def refusal(*call):
        refused(LOCKED, client.reply, after(*call))

    refusal(path, ITEM, "GetSecret", "o", session.path)
    refusal(path, ITEM, "SetSecret", "(oayays)", session.seal(b"w", "text/plain"))
    refusal(path, ITEM, "Delete")
    refusal(path, PROPERTIES, "Set", "ssv", ITEM, "Label", ("s", "N"))
    refusal(path, PROPERTIES, "Set", "ssv", ITEM, "Attributes", ("a{ss}", {}))
    refusal(LOGIN, PROPERTIES, "Set", "ssv", COLLECTION, "Label", ("s", "N"))
    refusal(*create(session, {"k": "2"}))
    # These ask the person first.
    for call in ((mine, COLLECTION, "Delete"), (ROOT, SERVICE, "CreateCollection", "a{sv}s", {LABEL: ("s", "Other")}, "")):
        answer = client.reply(after(*call))
        assert answer[-1].startswith(ROOT + "/prompt/"), answer
        client.call(answer[-1], PROMPT, "Dismiss")
    assert set(client.get(ROOT, SERVICE, "Collections")) == {LOGIN, TRANSIENT, mine}
    for place, interface in ((LOGIN, COLLECTION), (path, ITEM)):
        assert client.reply(after(place, PROPERTIES, "Get", "ss", interface, "Locked"))[0] == ("b", True)
    assert client.reply(after(LOGIN, PROPERTIES, "GetAll", "s", COLLECTION))[0]["Locked"] == ("b", True)
    assert client.reply(after(ROOT, SERVICE, "SearchItems", "a{ss}", {"k": "1"})) == ([], [path])
    assert client.reply(after(ROOT, SERVICE, "GetSecrets", "aoo", [path], session.path)) == ({},)
    unlocked, prompt = client.reply(after(ROOT, SERVICE, "Unlock", "ao", [LOGIN]))
    assert unlocked == [] and prompt != "/", (unlocked, prompt)
    coffer("unlock")
    assert client.search({"k": "1"}) == ([path], []) and client.search({"k": "2"}) == ([], [])
    assert client.secret(session, path)[0] == b"v" and client.get(path, ITEM, "Label") == "L"
    assert client.get(path, ITEM, "Attributes") == {"k": "1"} and client.get(LOGIN, COLLECTION, "Label") == "Login"


def unlocked():
    """A vault that another program has opened just now is open for every call, and nobody is asked."""
    client = Client()
    session = client.plain()
    path = client.create(session, "L", {"k": "1"}, b"v")
    mine = make(client, "Mine")

    def after(*call):
        lock(client)
        with Stopped(client):
            coffer("unlock")
            number = client.send(*call)
        return client.reply(number)

    assert session.open(after(path, ITEM, "GetSecret", "o", session.path)[0]) == b"v"
    after(path, ITEM, "SetSecret", "(oayays)", session.seal(b"w", "text/plain"))
    after(path, PROPERTIES, "Set", "ssv", ITEM, "Label", ("s", "N"))
    after(LOGIN, PROPERTIES, "Set", "ssv", COLLECTION, "Label", ("s", "N"))
    made, prompt = after(*create(session, {"k": "2"}))
    assert made.startswith(LOGIN) and prompt == "/", (made, prompt)
    other, prompt = after(ROOT, SERVICE, "CreateCollection", "a{sv}s", {LABEL: ("s", "Other")}, "")
    assert other == ROOT + "/collection/Other" and prompt == "/", (other, prompt)
    assert after(mine, COLLECTION, "Delete") == ("/",)
    assert set(client.get(ROOT, SERVICE, "Collections")) == {LOGIN, TRANSIENT, other}
    assert after(ROOT, SERVICE, "Unlock", "ao", [LOGIN, path]) == ([LOGIN, path], "/")
    (entries,) = after(ROOT, SERVICE, "GetSecrets", "aoo", [path], session.path)
    assert {place: session.open(secret) for place, secret in entries.items()} == {path: b"w"}
    after(path, ITEM, "Delete")
    assert client.search({"k": "1"}) == ([], []) and client.search({"k": "2"}) == ([made], [])
    assert not os.path.exists(os.environ["PROMPTS"])


def another_item():
    """An item that has just taken the name of another one is not given out in its place, and not changed."""
    client = Client()
    session = client.plain()
    for n in range(6):
        coffer("set", "elsewhere", str(n), text="old")
        query = {"service": "elsewhere", "account": str(n)}
        until(lambda: client.search(query)[0], "the item is not shown")
        (path,) = client.search(query)[0]
        with Stopped(client):
            coffer("rm", "-f", "elsewhere", str(n))
            coffer("set", "elsewhere", str(n), text="another")
            numbers = [
                client.send(path, ITEM, "GetSecret", "o", session.path),
                client.send(path, ITEM, "SetSecret", "(oayays)", session.seal(b"w", "text/plain")),
                client.send(path, PROPERTIES, "Set", "ssv", ITEM, "Label", ("s", "N")),
                client.send(path, PROPERTIES, "Set", "ssv", ITEM, "Attributes", ("a{ss}", {})),
                client.send(path, ITEM, "Delete")]
        for number in numbers:
            refused(NO_OBJECT, client.reply, number)
        until(lambda: len(client.search(query)[0]) == 1 and client.search(query)[0] != [path], "the other item is not shown")
        (other,) = client.search(query)[0]
        assert client.secret(session, other)[0] == b"another"
        assert client.get(other, ITEM, "Label") == f"elsewhere/{n}"
        assert client.get(other, ITEM, "Attributes") == query | {"username": str(n)}


def deleted_elsewhere():
    """An item that another program has deleted just now is not deleted once more: its name may be another item's by then."""
    client = Client()
    for n in range(8):
        coffer("set", "elsewhere", str(n), text="v")
        query = {"service": "elsewhere", "account": str(n)}
        until(lambda: client.search(query)[0], "the item is not shown")
        (path,) = client.search(query)[0]
        with Stopped(client):
            coffer("rm", "-f", "elsewhere", str(n))
            number = client.send(path, ITEM, "Delete")
        refused(NO_OBJECT, client.reply, number)


def renamed_elsewhere():
    """An item that another program has renamed just now is changed and deleted by the name that it has."""
    client = Client()
    coffer("set", "elsewhere", "0", text="v")
    until(lambda: client.search({"service": "elsewhere"})[0], "the item is not shown")
    (path,) = client.search({"service": "elsewhere"})[0]
    for n in range(6):
        with Stopped(client):
            coffer("rename", "--quiet", "elsewhere", str(n), "elsewhere", str(n + 1))
            number = client.send(path, PROPERTIES, "Set", "ssv", ITEM, "Label", ("s", f"label {n}"))
        client.reply(number)
        assert client.get(path, ITEM, "Label") == f"label {n}"
    with Stopped(client):
        coffer("rename", "--quiet", "elsewhere", "6", "elsewhere", "7")
        number = client.send(path, ITEM, "Delete")
    assert client.reply(number) == ("/",)
    assert client.search({"service": "elsewhere"}) == ([], [])
    # It is in the bin, by its last name.
    coffer("restore", "elsewhere", "7")
    until(lambda: client.search({"service": "elsewhere"})[0] == [path], "the item is not there again")


def emptied_elsewhere():
    """A collection is deleted with its items. An item that has just taken the name of one of them stays."""
    client = Client()
    session = client.plain()
    for n in range(6):
        mine = make(client, "Mine")
        client.create(session, "L", {"server": "elsewhere", "user": str(n)}, b"v", collection=mine)
        client.create(session, "L", {"server": "ours", "user": str(n)}, b"v", collection=mine)
        with Stopped(client):
            coffer("rm", "-f", "elsewhere", str(n))
            coffer("set", "elsewhere", str(n), text="another")
            number = client.send(mine, COLLECTION, "Delete")
        assert client.reply(number) == ("/",)
        query = {"service": "elsewhere", "account": str(n)}
        until(lambda: len(client.search(query)[0]) == 1, "the other item is not shown")
        assert client.secret(session, client.search(query)[0][0])[0] == b"another"
        assert client.search({"server": "ours"}) == ([], [])


def some_gone():
    """Of several items, those that another program has just deleted are passed over. If none is left, the error says so."""
    client = Client()
    session = client.plain()
    for name in ("one", "two", "three"):
        coffer("set", "elsewhere", name, text=name)
    until(lambda: len(client.search({"service": "elsewhere"})[0]) == 3, "the items are not shown")
    paths = {name: client.search({"service": "elsewhere", "account": name})[0][0] for name in ("one", "two", "three")}
    with Stopped(client):
        coffer("rm", "-f", "elsewhere", "one")
        number = client.send(ROOT, SERVICE, "GetSecrets", "aoo", [paths["one"], paths["two"]], session.path)
    (entries,) = client.reply(number)
    assert {path: session.open(secret) for path, secret in entries.items()} == {paths["two"]: b"two"}, entries
    with Stopped(client):
        for name in ("two", "three"):
            coffer("rm", "-f", "elsewhere", name)
        numbers = [
            client.send(ROOT, SERVICE, "GetSecrets", "aoo", [paths["two"], paths["three"]], session.path),
            client.send(paths["two"], ITEM, "GetSecret", "o", session.path),
            client.send(paths["three"], ITEM, "SetSecret", "(oayays)", session.seal(b"w", "text/plain"))]
    for number in numbers:
        refused(NO_OBJECT, client.reply, number)


def restored():
    """An item that a client has deleted comes back from the bin at once, before the provider has heard of its deletion."""
    client = Client()
    session = client.plain()
    path = client.create(session, "L", {"server": "elsewhere", "user": "me"}, b"v")
    stopped = Stopped(client)
    for _ in range(8):
        assert client.call(path, ITEM, "Delete") == ("/",)
        with stopped:
            coffer("restore", "elsewhere", "me")
        until(lambda: client.search({"user": "me"})[0] == [path], "the item is not there again")
        assert client.secret(session, path)[0] == b"v"


def changed():
    """Another program changes the item all the time. No change of a client's fails. The test has made it, and changes it."""
    client = Client()
    session = client.plain()
    (path,) = client.search({"service": "elsewhere"})[0]
    for n in range(150):
        client.call(path, ITEM, "SetSecret", "(oayays)", session.seal(b"%d" % n, "text/plain"))
        client.set(path, ITEM, "Label", "s", str(n))
        assert client.get(path, ITEM, "Label") == str(n)


def never_another():
    """Another program deletes the item and makes one of its name, all the time. No change of a client's is made to that one. The test does that."""
    client = Client()
    query = {"service": "elsewhere"}
    for _ in range(60):
        until(lambda: client.search(query)[0], "the item is not shown")
        path = client.search(query)[0][0]
        # The label says for which item it is.
        for answer in sent(client, *[(path, PROPERTIES, "Set", "ssv", ITEM, "Label", ("s", path))] * 30):
            assert not isinstance(answer, Refused) or answer.name == NO_OBJECT, answer
        for other in client.search(query)[0]:
            try:
                label = client.get(other, ITEM, "Label")
            except Refused:
                # It is gone, too.
                continue
            assert label in ("elsewhere/me", other), (label, other)


# ---- the test deletes and adds items, of which the provider hears by events ----

def listed():
    """The test has made twenty items."""
    assert len(Client().search({"service": "elsewhere"})[0]) == 20


def mostly_gone():
    """The test has deleted all but one of them, and has made one. A deletion that is told just before another change counts, too."""
    client = Client()
    until(lambda: len(client.search({"service": "elsewhere"})[0]) == 2, "not all deletions are shown")
    found = client.search({"service": "elsewhere"})[0]
    assert {client.get(path, ITEM, "Attributes")["account"] for path in found} == {"0", "new"}


def first_call():
    """The first call of all finds what is there. The test has made an item."""
    client = Client()
    (path,) = client.search({"service": "elsewhere"})[0]
    assert client.secret(client.plain(), path)[0] == b"stored before"


def again():
    """The broker was restarted. Its vault is sealed, and its changes are heard as before. The test has made first_call's item."""
    client = Client()
    client.listen()
    session = client.plain()

    def is_sealed():
        try:
            return len(client.search({"service": "elsewhere"})[1]) == 1
        except Refused:
            # Its former connection has just ended.
            return False

    until(is_sealed, "the vault is not sealed")
    (path,) = client.search({"service": "elsewhere"})[1]
    refused(LOCKED, client.secret, session, path)
    coffer("unlock")
    assert client.secret(session, path)[0] == b"stored before"
    coffer("set", "elsewhere", "later", text="v")
    until(lambda: len(client.search({"service": "elsewhere"})[0]) == 2, "the change is not heard")
    coffer("rm", "-f", "elsewhere", "later")
    until(lambda: client.search({"service": "elsewhere"}) == ([path], []), "the deletion is not heard")


# ---- names ----

def names_run_out():
    """An item gets the last number that its name can have, and the next one is refused. The test has made 999."""
    client = Client()
    session = client.plain()
    attributes = {"server": "full", "user": "n"}
    path = client.create(session, "L", attributes, b"v")
    assert client.get(path, ITEM, "Attributes") == attributes
    text = refused(LIMIT, client.create, session, "L", attributes, b"v")
    assert "too many items named full" in text, text
    # Another name is free.
    client.create(session, "L", {"server": "full", "user": "m"}, b"v")


def taken_records():
    """Secrets of other programs have the names of the provider's records: its aliases, and the collection Taken."""
    client = Client()
    exists = "org.freedesktop.Secret.Error.AlreadyExists"
    make = lambda label, alias: client.call(
        ROOT, SERVICE, "CreateCollection", "a{sv}s", {COLLECTION + ".Label": ("s", label)}, alias)
    refused(exists, make, "Taken", "")
    refused(exists, make, "Free", "alias")
    assert client.call(ROOT, SERVICE, "ReadAlias", "s", "alias")[0] == "/"
    # What was refused leaves no collection behind.
    assert not [path for path in client.get(ROOT, SERVICE, "Collections") if path.endswith("/Free")]
    # What needs no alias is done: to take away one that is not there, and to delete a collection that has none.
    client.call(ROOT, SERVICE, "SetAlias", "so", "nobody", "/")
    path, _ = make("Plain", "")
    assert client.call(path, COLLECTION, "Delete") == ("/",)
    assert path not in client.get(ROOT, SERVICE, "Collections")


if __name__ == "__main__":
    globals()[sys.argv[1]]()
