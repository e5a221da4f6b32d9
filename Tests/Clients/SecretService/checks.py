"""Checks of the Secret Service over the bus. usage: checks.py NAME

Each reads the specification's promise, or plays an attacker. It ends with 1 and says where if a promise is broken.
"""
import os
import pty
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as xml

from bus import *

LOCKED = "org.freedesktop.Secret.Error.IsLocked"
NO_SESSION = "org.freedesktop.Secret.Error.NoSession"
NO_OBJECT = "org.freedesktop.Secret.Error.NoSuchObject"
INVALID = "org.freedesktop.DBus.Error.InvalidArgs"
LIMIT = "org.freedesktop.DBus.Error.LimitsExceeded"
NOT_SUPPORTED = "org.freedesktop.DBus.Error.NotSupported"


def until(condition, otherwise):
    """Waits for what must happen. The limit only catches what hangs."""
    limit = time.monotonic() + int(os.environ.get("COFFER_TEST_PATIENCE", "300"))
    while not condition():
        assert time.monotonic() < limit, otherwise
        time.sleep(0.01)


def sessions():
    client = Client()
    for session in (client.plain(), client.encrypted(), client.encrypted()):
        for value in (b"", b"x", b"0123456789abcdef", bytes(range(256)) * 20, b"two\nlines\n"):
            path = client.create(session, "a", {"check": "sessions"}, value, replace=True)
            assert client.secret(session, path) == (value, "text/plain")
    client.call(session.path, SESSION, "Close")
    refused(NO_SESSION, client.secret, session, path)
    refused(NOT_SUPPORTED, client.call, ROOT, SERVICE, "OpenSession", "sv", "rot13", ("s", ""))
    refused(INVALID, client.call, ROOT, SERVICE, "OpenSession", "sv", "plain", ("u", 1))


def items():
    client = Client()
    session = client.encrypted()
    before = int(time.time())
    path = client.create(session, "The label", {"host": "a", "user": "b"}, b"one", content="text/plain; charset=utf8")
    assert path.startswith(LOGIN + "/"), path
    assert client.get(path, ITEM, "Label") == "The label"
    assert client.get(path, ITEM, "Attributes") == {"host": "a", "user": "b"}
    assert client.get(path, ITEM, "Locked") is False
    assert before <= client.get(path, ITEM, "Created") <= time.time()
    assert client.secret(session, path) == (b"one", "text/plain; charset=utf8")
    # Replaced only by exactly the same attributes.
    assert client.create(session, "New", {"user": "b", "host": "a"}, b"two", replace=True) == path
    assert client.secret(session, path) == (b"two", "text/plain")
    assert client.get(path, ITEM, "Label") == "New"
    more = client.create(session, "More", {"host": "a", "user": "b", "port": "1"}, b"three", replace=True)
    less = client.create(session, "Less", {"host": "a"}, b"four", replace=True)
    again = client.create(session, "Again", {"host": "a", "user": "b"}, b"five", replace=False)
    assert len({path, more, less, again}) == 4
    # Subsets match.
    assert set(client.search({"host": "a"})[0]) == {path, more, less, again}
    assert set(client.search({"host": "a", "user": "b"})[0]) == {path, more, again}
    assert client.search({"host": "a", "user": "c"}) == ([], [])
    assert client.search({}) == ([], [])
    assert set(client.call(LOGIN, COLLECTION, "SearchItems", "a{ss}", {"port": "1"})[0]) == {more}
    # What the vault does not keep as it is.
    odd = {"coffer:collection": "x", "empty": "", "": "nameless", "ünïcode": "\u202e", "xdg:schema": "org.x", "\u0301": "",
           "coffer:\u0301": "y"}
    strange = client.create(session, "", odd, b"\0\1")
    assert client.get(strange, ITEM, "Attributes") == odd, client.get(strange, ITEM, "Attributes")
    assert client.get(strange, ITEM, "Type") == "org.x"
    assert client.search({"empty": ""})[0] == [strange]
    client.set(strange, ITEM, "Attributes", "a{ss}", {"b": "2"})
    assert client.get(strange, ITEM, "Attributes") == {"b": "2"}
    assert client.search({"empty": ""}) == ([], []) and client.search({"b": "2"})[0] == [strange]
    client.set(strange, ITEM, "Label", "s", "Named")
    assert client.get(strange, ITEM, "Label") == "Named"
    client.call(strange, ITEM, "SetSecret", "(oayays)", session.seal(b"new", "a/b"))
    assert client.secret(session, strange) == (b"new", "a/b")
    # Several at once.
    entries = client.call(ROOT, SERVICE, "GetSecrets", "aoo", [path, more, strange], session.path)[0]
    assert {p: session.open(s) for p, s in entries.items()} == {path: b"two", more: b"three", strange: b"new"}
    for one in (path, more, less, again, strange):
        assert client.call(one, ITEM, "Delete") == ("/",)
    refused(NO_OBJECT, client.call, path, ITEM, "Delete")
    refused(NO_OBJECT, client.get, path, ITEM, "Label")
    refused(NO_OBJECT, client.get, "/not/there", ITEM, "Label")
    assert client.search({"host": "a"}) == ([], [])


def collections():
    client = Client()
    client.listen()
    session = client.plain()
    assert client.call(ROOT, SERVICE, "ReadAlias", "s", "default")[0] == LOGIN
    assert client.call(ROOT, SERVICE, "ReadAlias", "s", "nobody")[0] == "/"
    path, prompt = client.call(ROOT, SERVICE, "CreateCollection", "a{sv}s", {COLLECTION + ".Label": ("s", "My stuff")}, "mine")
    assert (path, prompt) == (ROOT + "/collection/My_stuff", "/"), (path, prompt)
    assert client.signal("CollectionCreated").body == (path,)
    assert set(client.get(ROOT, SERVICE, "Collections")) == {LOGIN, TRANSIENT, path}
    assert client.call(ROOT, SERVICE, "ReadAlias", "s", "mine")[0] == path
    # The alias is there, so is its collection.
    assert client.call(ROOT, SERVICE, "CreateCollection", "a{sv}s", {}, "mine") == (path, "/")
    item = client.create(session, "In it", {"where": "mine"}, b"v", collection=ROOT + "/aliases/mine")
    assert item.startswith(path + "/") and client.get(path, COLLECTION, "Items") == [item]
    assert client.signal("ItemCreated").body == (item,)
    other = client.create(session, "Not in it", {"where": "mine"}, b"w", replace=True)
    assert other != item and item not in client.get(LOGIN, COLLECTION, "Items")
    client.set(path, COLLECTION, "Label", "s", "Renamed")
    assert client.get(path, COLLECTION, "Label") == "Renamed"
    changed = client.signal("PropertiesChanged", path)
    client.call(ROOT, SERVICE, "SetAlias", "so", "default", path)
    assert client.create(session, "Default", {"where": "default"}, b"").startswith(path)
    client.call(ROOT, SERVICE, "SetAlias", "so", "default", LOGIN)
    client.call(ROOT, SERVICE, "SetAlias", "so", "mine", "/")
    assert client.call(ROOT, SERVICE, "ReadAlias", "s", "mine")[0] == "/"
    refused(NO_OBJECT, client.call, ROOT, SERVICE, "SetAlias", "so", "mine", ROOT + "/collection/nothing")
    assert client.call(path, COLLECTION, "Delete") == ("/",)
    assert client.signal("CollectionDeleted").body == (path,)
    refused(NO_OBJECT, client.get, path, COLLECTION, "Label")
    assert client.search({"where": "mine"})[0] == [other]
    refused(NOT_SUPPORTED, client.call, LOGIN, COLLECTION, "Delete")
    assert client.search({"where": "mine"})[0] == [other]


def transient():
    client = Client()
    session = client.plain()
    path = client.create(session, "Gone soon", {"t": "1"}, b"v", collection=TRANSIENT)
    assert path.startswith(TRANSIENT) and client.secret(session, path) == (b"v", "text/plain")
    assert client.create(session, "Gone soon", {"t": "1"}, b"w", collection=TRANSIENT, replace=True) == path
    client.call(path, ITEM, "SetSecret", "(oayays)", session.seal(b"x", "c/d"))
    assert client.secret(session, path) == (b"x", "c/d")
    assert client.search({"t": "1"})[0] == [path]
    refused(LIMIT, client.create, session, "Large", {}, bytes(2 << 20), collection=TRANSIENT)
    client.call(path, ITEM, "Delete")


def introspection():
    client = Client()
    session = client.plain()
    item = client.create(session, "I", {"i": "i"}, b"")
    expected = {ROOT: SERVICE, LOGIN: COLLECTION, item: ITEM, session.path: SESSION}
    for path, interface in expected.items():
        tree = xml.fromstring(client.call(path, "org.freedesktop.DBus.Introspectable", "Introspect")[0])
        names = [node.get("name") for node in tree.findall("interface")]
        assert interface in names and "org.freedesktop.DBus.Properties" in names, (path, names)
        declared = {node.get("name") for node in tree.findall(f"interface[@name='{interface}']/property")}
        got = client.call(path, "org.freedesktop.DBus.Properties", "GetAll", "s", interface)[0]
        assert set(got) == declared, (path, set(got), declared)
    tree = xml.fromstring(client.call(LOGIN, "org.freedesktop.DBus.Introspectable", "Introspect")[0])
    assert item.rsplit("/", 1)[1] in [node.get("name") for node in tree.findall("node")]
    for path in ("/", "/org", "/org/freedesktop"):
        client.call(path, "org.freedesktop.DBus.Introspectable", "Introspect")
    refused("org.freedesktop.DBus.Error.PropertyReadOnly", client.set, item, ITEM, "Created", "t", 1)
    refused("org.freedesktop.DBus.Error.UnknownProperty", client.get, item, ITEM, "Size")
    refused("org.freedesktop.DBus.Error.UnknownInterface", client.get, item, "x.y", "Size")
    refused("org.freedesktop.DBus.Error.UnknownMethod", client.call, item, ITEM, "Eat")
    refused(INVALID, client.call, item, ITEM, "GetSecret", "s", "x")
    refused(INVALID, client.set, item, ITEM, "Label", "u", 1)
    client.call(item, "org.freedesktop.DBus.Peer", "Ping")
    # A caller may leave the interface out.
    for path in (ROOT, "/org", LOGIN, item, session.path):
        assert client.call(path, None, "Ping") == (), path
        assert len(client.call(path, None, "GetMachineId")[0]) == 32
    refused("org.freedesktop.DBus.Error.UnknownMethod", client.call, item, None, "Eat")
    assert client.get(item, ITEM, "Label") == "I" and client.secret(session, item)[0] == b""
    for name in ("Created", "Modified"):
        assert client.get(LOGIN, COLLECTION, name) > 0, name


def foreign_session():
    """Another client's session, guessed."""
    client, attacker = Client(), Client()
    session = client.plain()
    path = client.create(session, "S", {"s": "s"}, b"v")
    refused(NO_SESSION, attacker.secret, session, path)
    refused(NO_SESSION, attacker.call, ROOT, SERVICE, "GetSecrets", "aoo", [path], session.path)
    refused(NO_SESSION, attacker.call, path, ITEM, "SetSecret", "(oayays)", session.seal(b"w", "text/plain"))
    refused(NO_SESSION, attacker.create, session, "S", {"s": "s"}, b"w", replace=True)
    refused(NO_SESSION, attacker.call, session.path, SESSION, "Close")
    assert client.secret(session, path) == (b"v", "text/plain")
    client.connection.close()
    # The session goes with its connection. The provider hears of it from the bus daemon.
    def is_closed():
        try:
            attacker.call(session.path, SESSION, "Close")
        except Refused as error:
            return error.name == NO_OBJECT
        return False

    until(is_closed, "the session stays")


def bad_keys():
    """Public keys that give a secret that everybody knows."""
    client = Client()
    for key in (0, 1, PRIME - 1, PRIME, PRIME + 1, 2 ** 1024 - 1):
        public = key.to_bytes(128, "big")
        refused(INVALID, client.call, ROOT, SERVICE, "OpenSession", "sv", DH, ("ay", public))
    for public in (b"", b"\1", bytes(128), bytes(200) + b"\5", b"\5" * 129, b"\5" * 100_000):
        refused(INVALID, client.call, ROOT, SERVICE, "OpenSession", "sv", DH, ("ay", public))
    refused(INVALID, client.call, ROOT, SERVICE, "OpenSession", "sv", DH, ("s", "5"))
    # A number may have zeros before it. Java writes one.
    public = b"\0" + pow(2, 2 ** 1000 - 1, PRIME).to_bytes(128, "big")
    client.call(ROOT, SERVICE, "OpenSession", "sv", DH, ("ay", public))
    session = client.encrypted()
    path, vector, value, content = session.seal(b"v", "text/plain")
    for broken in ((path, vector[:15], value, content), (path, vector, value[:15], content), (path, vector, b"", content),
                   (path, b"", value, content)):
        refused(INVALID, client.call, DEFAULT, COLLECTION, "CreateItem", "a{sv}(oayays)b", {}, broken, False)


def session_flood():
    client = Client()
    session = None
    for _ in range(1024):
        session = client.plain()
    refused(LIMIT, client.plain)
    client.call(session.path, SESSION, "Close")
    client.plain()
    # Another client is not hindered.
    Client().plain()


def large_message():
    client = Client()
    session = client.plain()
    refused(LIMIT, client.create, session, "L", {"l": "l"}, bytes(5 << 20))
    refused(LIMIT, client.call, ROOT, SERVICE, "SearchItems", "a{ss}", {str(n): "" for n in range(30_000)})
    refused(LIMIT, client.create, session, "L", {"l": "l"}, bytes((1 << 20) + 1))
    refused(LIMIT, client.create, session, "L", {str(n): "x" for n in range(65)}, b"")
    assert client.search({"l": "l"}) == ([], [])
    deep = ("s", "x")
    for _ in range(12):
        deep = ("v", deep)
    refused(LIMIT, client.call, ROOT, SERVICE, "OpenSession", "sv", "plain", deep)


# ---- a locked vault ----

def lock(client):
    locked, prompt = client.call(ROOT, SERVICE, "Lock", "ao", [LOGIN])
    assert (locked, prompt) == ([LOGIN], "/"), (locked, prompt)


def unlock(client, *paths):
    """Unlocks and returns what Completed says."""
    unlocked, prompt = client.call(ROOT, SERVICE, "Unlock", "ao", list(paths))
    assert unlocked == [] and prompt != "/", (unlocked, prompt)
    client.call(prompt, PROMPT, "Prompt", "s", "")
    return client.signal("Completed", prompt).body


def locked():
    client = Client()
    client.listen()
    session = client.plain()
    path = client.create(session, "Kept", {"k": "1"}, b"v")
    lock(client)
    assert client.signal("ItemChanged").body == (path,)
    assert client.get(LOGIN, COLLECTION, "Locked") is True and client.get(path, ITEM, "Locked") is True
    assert client.get(path, ITEM, "Label") == "Kept" and client.get(path, ITEM, "Attributes") == {"k": "1"}
    assert client.search({"k": "1"}) == ([], [path])
    refused(LOCKED, client.secret, session, path)
    refused(LOCKED, client.create, session, "New", {"k": "2"}, b"w")
    refused(LOCKED, client.call, path, ITEM, "SetSecret", "(oayays)", session.seal(b"w", "text/plain"))
    refused(LOCKED, client.call, path, ITEM, "Delete")
    refused(LOCKED, client.set, path, ITEM, "Label", "s", "x")
    refused(LOCKED, client.set, path, ITEM, "Attributes", "a{ss}", {})
    refused(LOCKED, client.set, LOGIN, COLLECTION, "Label", "s", "x")
    assert client.call(ROOT, SERVICE, "GetSecrets", "aoo", [path], session.path) == ({},)
    transient = client.create(session, "T", {"t": "t"}, b"t", collection=TRANSIENT)
    assert client.secret(session, transient) == (b"t", "text/plain")
    assert unlock(client, DEFAULT) == (False, ("ao", [DEFAULT]))
    assert client.get(LOGIN, COLLECTION, "Locked") is False
    assert client.secret(session, path) == (b"v", "text/plain")
    lock(client)
    assert unlock(client, path) == (False, ("ao", [path]))
    assert client.call(ROOT, SERVICE, "Unlock", "ao", [path, LOGIN]) == ([path, LOGIN], "/")
    # A collection that a locked vault gets after the prompt.
    lock(client)
    none, prompt = client.call(ROOT, SERVICE, "CreateCollection", "a{sv}s", {COLLECTION + ".Label": ("s", "Later")}, "")
    assert none == "/" and prompt != "/"
    client.call(prompt, PROMPT, "Prompt", "s", "")
    assert client.signal("Completed", prompt).body == (False, ("o", ROOT + "/collection/Later"))


def wrong_answer():
    """The person is asked three times, and the vault stays locked."""
    client = Client()
    client.listen()
    lock(client)
    assert unlock(client, LOGIN) == (True, ("ao", []))
    assert client.get(LOGIN, COLLECTION, "Locked") is True


def dismissed():
    """Nobody answers. Dismiss ends the prompt at once."""
    client, attacker = Client(), Client()
    for one in (client, attacker):
        one.listen()
    lock(client)
    _, prompt = client.call(ROOT, SERVICE, "Unlock", "ao", [LOGIN])
    refused(NO_OBJECT, attacker.call, prompt, PROMPT, "Prompt", "s", "")
    refused(NO_OBJECT, attacker.call, prompt, PROMPT, "Dismiss")
    client.call(prompt, PROMPT, "Prompt", "s", "")
    # Others are served while the person is asked.
    assert attacker.get(LOGIN, COLLECTION, "Locked") is True
    wait_for_prompt()
    # A second call changes nothing: Dismiss still ends the question that is open.
    refused("org.freedesktop.DBus.Error.Failed", client.call, prompt, PROMPT, "Prompt", "s", "")
    with open(os.environ["PROMPTS"] + ".processes") as file:
        asking = int(file.read().split()[-1])
    client.call(prompt, PROMPT, "Dismiss")
    until(lambda: not os.path.exists(f"/proc/{asking}"), "the question is still open")
    assert client.signal("Completed", prompt).body == (True, ("ao", []))
    refused(NO_OBJECT, client.call, prompt, PROMPT, "Dismiss")
    # One that was never shown.
    _, prompt = client.call(ROOT, SERVICE, "Unlock", "ao", [LOGIN])
    client.call(prompt, PROMPT, "Dismiss")
    assert client.signal("Completed", prompt).body == (True, ("ao", []))


def prompts_come_and_go():
    """The limit is for prompts at once."""
    client = Client()
    lock(client)
    for _ in range(3 * 32):
        _, prompt = client.call(ROOT, SERVICE, "Unlock", "ao", [LOGIN])
        client.call(prompt, PROMPT, "Dismiss")


def wiped():
    """Values that were stored and read in encrypted sessions are not left in the provider's memory."""
    client = Client()
    session = client.encrypted()
    # All of other lengths: the memory of one that was freed would soon be another's.
    values = [os.urandom(96 + 48 * number) for number in range(96)]
    for number, value in enumerate(values):
        path = client.create(session, f"item {number}", {"wiped": str(number)}, value, replace=True)
        if number % 2:
            values[number] = os.urandom(len(values[number]))
            client.call(path, ITEM, "SetSecret", "(oayays)", session.seal(values[number], "text/plain"))
        if number % 3 == 0:
            assert client.secret(session, path)[0] == values[number]
    bus = Client("org.freedesktop.DBus")
    provider = bus.call("/org/freedesktop/DBus", "org.freedesktop.DBus", "GetConnectionUnixProcessID", "s", NAME)
    provider = provider[0] if isinstance(provider, tuple) else provider
    memory = b""
    with open(f"/proc/{provider}/maps") as maps, open(f"/proc/{provider}/mem", "rb", 0) as file:
        for line in maps:
            fields = line.split()
            first, last = (int(number, 16) for number in fields[0].split("-"))
            if "w" not in fields[1]: continue
            try:
                file.seek(first)
                memory += file.read(last - first)
            except OSError: continue
    # The allocator writes into the beginning of what is free.
    parts = lambda value: [value[start:start + 32] for start in range(40, len(value) - 31, 200)]
    assert not [number for number, value in enumerate(values) if any(part in memory for part in parts(value))]


def prompt_flood():
    client = Client()
    lock(client)
    for _ in range(32):
        client.call(ROOT, SERVICE, "Unlock", "ao", [LOGIN])
    refused(LIMIT, client.call, ROOT, SERVICE, "Unlock", "ao", [LOGIN])
    Client().call(ROOT, SERVICE, "Unlock", "ao", [LOGIN])


# ---- items that require a person; the test has made gated/one and gated/two with presence, and gated/own with a password ----

def wait_for_prompt():
    until(lambda: os.path.exists(os.environ["PROMPTS"]), "nobody was asked")


def gated():
    client = Client()
    session = client.encrypted()
    found = {client.get(path, ITEM, "Label"): path for path in client.search({"service": "gated"})[0]}
    one, two, own = found["gated/one"], found["gated/two"], found["gated/own"]
    assert client.get(one, ITEM, "Attributes") == {"service": "gated", "account": "one", "username": "one"}
    assert client.secret(session, one) == (b"secret one", "text/plain")
    with open(os.environ["PROMPTS"]) as file:
        shown = file.read()
    assert '"gated" / "one"' in shown, shown
    assert f"Asked for over D-Bus by \"{os.path.realpath('/proc/self/exe')}\" (process {os.getpid()})" in shown, shown
    plain = client.create(session, "Plain", {"p": "p"}, b"plain")
    entries = client.call(ROOT, SERVICE, "GetSecrets", "aoo", [one, two, plain, own], session.path)[0]
    assert {p: session.open(s) for p, s in entries.items()} == {one: b"secret one", two: b"secret two", plain: b"plain"}
    with open(os.environ["PROMPTS"]) as file:
        assert file.read().count("--\n") == 2
    refused(NOT_SUPPORTED, client.secret, session, own)
    # What replaces its secret keeps what it requires.
    client.call(one, ITEM, "SetSecret", "(oayays)", session.seal(b"changed", "text/plain"))
    assert client.secret(session, one) == (b"changed", "text/plain")
    with open(os.environ["PROMPTS"]) as file:
        assert file.read().count("--\n") == 3


def unanswered():
    """Nobody answers: other calls go on, the call ends before D-Bus does, with an error and no secret."""
    client, other = Client(), Client()
    session = client.plain()
    one = client.search({"service": "gated", "account": "one"})[0][0]
    number = client.send(one, ITEM, "GetSecret", "o", session.path)
    wait_for_prompt()
    theirs = other.plain()
    path = other.create(theirs, "Other", {"o": "o"}, b"other")
    assert other.secret(theirs, path) == (b"other", "text/plain")
    begun = time.monotonic()
    refused("org.freedesktop.DBus.Error.Timeout", client.reply, number)
    assert time.monotonic() - begun < 25
    # The end of a client ends its prompt, too: the next one's is shown.
    os.unlink(os.environ["PROMPTS"])
    client.send(one, ITEM, "GetSecret", "o", session.path)
    wait_for_prompt()
    os.unlink(os.environ["PROMPTS"])
    client.connection.close()
    number = other.send(one, ITEM, "GetSecret", "o", theirs.path)
    wait_for_prompt()
    with open(os.environ["ANSWER"], "w") as file:
        file.write("sandbox")
    (secret,) = other.reply(number)
    assert theirs.open(secret) == b"secret one"


def nobody_to_ask():
    """The provider has no terminal, no display and no program that asks. The errors say what to do."""
    import secretstorage as library
    client = Client()
    client.listen()
    session = client.plain()
    gated = client.search({"service": "gated"})[0][0]
    for _ in range(3):
        text = refused("org.freedesktop.DBus.Error.AccessDenied", client.secret, session, gated)
        assert "there is no terminal to ask at" in text and "coffer agent" in text and "COFFER_ASKPASS" in text, text
    text = refused("org.freedesktop.DBus.Error.AccessDenied", client.call, ROOT, SERVICE, "GetSecrets", "aoo", [gated], session.path)
    assert "coffer agent" in text, text
    # A client that can show no reason for a dismissed prompt gets it with its next call.
    plain = client.create(session, "Plain", {"p": "p"}, b"plain")
    lock(client)
    text = refused(LOCKED, client.secret, session, plain)
    assert "coffer unlock" in text, text
    for _ in range(3):
        _, prompt = client.call(ROOT, SERVICE, "Unlock", "ao", [LOGIN])
        client.call(prompt, PROMPT, "Prompt", "s", "")
        assert client.signal("Completed", prompt).body == (True, ("ao", []))
    secret = session.seal(b"x", "text/plain")
    properties = {ITEM + ".Label": ("s", "Other"), ITEM + ".Attributes": ("a{ss}", {"q": "q"})}
    for call in (
        lambda: client.secret(session, plain),
        lambda: client.call(plain, ITEM, "SetSecret", "(oayays)", secret),
        lambda: client.call(plain, ITEM, "Delete"),
        lambda: client.set(plain, ITEM, "Label", "s", "Other"),
        lambda: client.set(LOGIN, COLLECTION, "Label", "s", "Other"),
        lambda: client.call(DEFAULT, COLLECTION, "CreateItem", "a{sv}(oayays)b", properties, secret, False),
    ):
        text = refused(LOCKED, call)
        assert "there is no terminal to ask at" in text and "coffer unlock" in text and "COFFER_ASKPASS" in text, text
    # Other connections have shown no prompt.
    other = Client()
    assert "there is no terminal" not in refused(LOCKED, other.secret, other.plain(), plain)
    connection = library.dbus_init()
    collection = library.get_default_collection(connection)
    assert collection.unlock() is True and collection.is_locked()
    item = next(library.search_items(connection, {"p": "p"}))
    try:
        item.get_secret()
        raise AssertionError("read from a locked vault")
    except library.LockedException:
        pass


# ---- one provider after the other ----

ALLOW, REPLACE, NO_QUEUE = 1, 2, 4


def own(client, flags):
    """Asks for the name. 1: has it, 2: waits for it, 3: refused."""
    return client.answer(client.connection.send_and_get_reply(message_bus.RequestName(NAME, flags), timeout=600))[0]


def owner(client):
    """The process that has the name; 0 if there is none. Starts nothing."""
    try:
        name = client.answer(client.connection.send_and_get_reply(message_bus.GetNameOwner(NAME), timeout=600))[0]
        return client.answer(client.connection.send_and_get_reply(message_bus.GetConnectionUnixProcessID(name), timeout=600))[0]
    except Refused:
        return 0


def running(client):
    """The process that has the name. A signal to process 0 would go to this check itself."""
    process = owner(client)
    assert process > 0, "nobody has the name of the service"
    return process


def has_ended(process):
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


def start(*options):
    """A provider of this check's own, without a terminal."""
    program = os.environ["PROVIDER"]
    # coffer, which starts the program that asks, is beside it.
    environment = dict(os.environ, COFFER_ASKPASS=os.environ["ASKPASS"], PATH=os.path.dirname(program) + ":/usr/bin:/bin")
    return subprocess.Popen(
        [program, *options], env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True)


def replaced():
    client, other = Client(), Client()
    client.listen()
    session = client.plain()
    one = client.search({"service": "gated", "account": "one"})[0][0]
    kept = client.create(session, "Kept", {"k": "1"}, b"v")
    client.create(session, "Gone", {"k": "2"}, b"v", collection=TRANSIENT)
    # A call that waits for a person.
    waiting = client.send(one, ITEM, "GetSecret", "o", session.path)
    wait_for_prompt()
    first = owner(other)
    second = start("--replace")
    until(lambda: owner(other) == second.pid, "the second provider did not get the name")
    try:
        client.reply(waiting)
        raise AssertionError("a secret without an answer")
    except Refused as error:
        assert "another program has become the Secret Service; try again" in error.text, error
    until(lambda: has_ended(first), "the first provider goes on")
    with open(os.environ["PROMPTS"] + ".processes") as file:
        asking = file.read().split()
    until(lambda: all(has_ended(process) for process in asking), "a person is still asked")
    # The second one has the items, but no session of the first, even with as many sessions of its own.
    again = client.plain()
    refused(NO_SESSION, client.secret, session, kept)
    assert client.secret(again, kept) == (b"v", "text/plain")
    assert client.search({"k": "2"}) == ([], [])
    # A prompt that is shown, and one that is not.
    lock(client)
    os.unlink(os.environ["PROMPTS"])
    prompts = [client.call(ROOT, SERVICE, "Unlock", "ao", [LOGIN])[1] for _ in range(2)]
    client.call(prompts[0], PROMPT, "Prompt", "s", "")
    wait_for_prompt()
    third = start("--replace")
    for prompt in prompts:
        assert client.signal("Completed", prompt).body == (True, ("ao", []))
    assert second.wait(600) == 0
    until(lambda: owner(other) == third.pid, "the third provider did not get the name")
    _, prompt = client.call(ROOT, SERVICE, "Unlock", "ao", [LOGIN])
    assert prompt not in prompts
    refused(NO_OBJECT, client.call, prompts[1], PROMPT, "Prompt", "s", "")
    third.kill()
    third.wait()


def given_up():
    """A predecessor that allows it gives the name up. It waits, and gets the name back when the provider ends."""
    other = Client()
    assert own(other, ALLOW) == 1
    provider = start()
    until(lambda: provider.poll() is not None or owner(other) == provider.pid, "the provider does neither")
    assert provider.poll() == 1 and owner(other) == os.getpid(), "taken without --replace"
    provider = start("--replace")
    until(lambda: owner(other) == provider.pid, "the provider did not get the name")
    client = Client()
    session = client.plain()
    assert client.secret(session, client.create(session, "L", {"a": "b"}, b"v")) == (b"v", "text/plain")
    provider.terminate()
    provider.wait()
    until(lambda: owner(other) == os.getpid(), "the one that waits did not get the name back")


def kept():
    """A predecessor that does not allow it keeps the name, and the error names it."""
    other = Client()
    assert own(other, 0) == 1
    for options, advice in (([], f"end it, or run: {os.path.realpath(os.environ['PROVIDER'])} --replace"), (["--replace"], "it does not give the name up; end it")):
        provider = start(*options)
        _, errors = provider.communicate(timeout=600)
        assert provider.returncode == 1, provider.returncode
        program = os.path.realpath("/proc/self/exe")
        assert f"{program} (process {os.getpid()}) serves org.freedesktop.secrets already" in errors, errors
        assert advice in errors, errors
    assert owner(other) == os.getpid()


def terminal():
    """A provider that is started in a terminal leaves it: what the person lets the terminal's programs do is not for every program on the bus."""
    other = Client()
    program = os.environ["PROVIDER"]
    child, screen = pty.fork()
    if child == 0:
        os.execv(program, [program, "--replace"])
    until(lambda: owner(other) == child, "the provider did not get the name")
    with open(f"/proc/{child}/stat") as file:
        device = file.read().rsplit(")", 1)[1].split()[4]
    assert device == "0", device
    os.kill(child, signal.SIGTERM)
    os.waitpid(child, 0)
    os.close(screen)


def taken_away():
    """Another program takes the name over: the provider ends, and does not wait for the name."""
    other = Client()
    assert Client().call(ROOT, SERVICE, "SearchItems", "a{ss}", {}) == ([], [])
    provider = owner(other)
    assert own(other, NO_QUEUE) == 3, "given up without being asked"
    # One that waits gets nothing while the provider runs.
    waiting = Client()
    assert own(waiting, 0) == 2 and owner(other) == provider
    assert own(other, REPLACE) == 1
    until(lambda: has_ended(provider), "the provider goes on")
    assert owner(other) == os.getpid()


# ---- libraries that programs use ----

def secretstorage():
    import secretstorage as library
    connection = library.dbus_init()
    assert library.check_service_availability(connection)
    collection = library.get_default_collection(connection)
    assert not collection.is_locked()
    item = collection.create_item("Label", {"application": "check", "n": "1"}, b"pa$$word")
    empty = collection.create_item("Label", {"application": "check", "n": "1"}, b"", content_type="data/null")
    assert item != empty and empty.get_secret() == b"" and empty.get_secret_content_type() == "data/null"
    assert {i.item_path for i in library.search_items(connection, {"application": "check"})} == {item.item_path, empty.item_path}
    item.set_attributes({"application": "check", "n": "2"})
    item.set_secret("тест")
    item.set_label("Hello!")
    assert item.get_secret() == "тест".encode() and item.get_label() == "Hello!"
    collection.lock()
    assert item.is_locked() and collection.is_locked()
    assert item.unlock() is False and not collection.is_locked()
    empty.delete()
    try:
        empty.delete()
        raise AssertionError("deleted twice")
    except library.ItemNotFoundException:
        pass
    made = library.create_collection(connection, "Of a library")
    assert made.get_label() == "Of a library" and list(made.get_all_items()) == []
    made.delete()


def keyring():
    import keyring.backends.SecretService as backend
    ring = backend.Keyring()
    assert ring.priority == 5
    ring.set_password("check", "me", "first")
    ring.set_password("check", "me", "second")
    assert ring.get_password("check", "me") == "second"
    assert ring.get_password("check", "you") is None
    assert ring.get_credential("check", None).password == "second"
    ring.delete_password("check", "me")
    assert ring.get_password("check", "me") is None
    # What "coffer set" has made is there as well.
    assert ring.get_password("from-coffer", "me") == "set by coffer"


if __name__ == "__main__":
    globals()[sys.argv[1]]()
