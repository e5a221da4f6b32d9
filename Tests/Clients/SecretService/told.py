"""Checks of what everybody on the bus is told. usage: told.py NAME

What a call changes is told before the call is answered, on the same connection. So no check waits for what must not come.
"""
import os
import signal
import subprocess
import sys
import tempfile

from bus import *
from checks import lock, running, unlock
from pressure import make


def listener():
    client = Client()
    client.listen()
    return client


def told(client):
    """What was told since the last look, in order: signals, objects and arguments."""
    messages, client.pending = client.pending, []
    return [(message.header.fields[HeaderFields.member], message.header.fields[HeaderFields.path], message.body)
            for message in messages if message.header.message_type == MessageType.signal
            and message.header.fields[HeaderFields.path].startswith(ROOT)]


def properties(heard, path):
    """The properties of an object that were told, with their last values."""
    found = {}
    for member, place, body in heard:
        if member == "PropertiesChanged" and place == path:
            assert body[2] == [], body
            found |= {name: value[1] for name, value in body[1].items()}
    return found


def coffer(*words, text=""):
    """Runs coffer. It opens the vault with the right answer."""
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/ask", "w") as file:
            file.write("#!/bin/sh\necho sandbox\n")
        os.chmod(folder + "/ask", 0o700)
        program = os.path.join(os.path.dirname(os.environ["PROVIDER"]), "coffer")
        result = subprocess.run(
            [program, *words], env=dict(os.environ, COFFER_ASKPASS=folder + "/ask"), input=text, capture_output=True, text=True)
    assert result.returncode == 0, (words, result)
    return result.stdout


def items():
    """Every change of an item, in memory and in the vault."""
    client = listener()
    session = client.plain()
    for collection in (TRANSIENT, LOGIN, make(client, "Mine")):
        told(client)
        path = client.create(session, "L", {"a": "1"}, b"v", collection=collection)
        heard = told(client)
        assert heard[0] == ("ItemCreated", collection, (path,)), heard
        new = properties(heard, collection)
        assert new["Items"] == [path] and "Modified" in new, heard

        def changed(**expected):
            heard = told(client)
            assert ("ItemChanged", collection, (path,)) in heard, heard
            new = properties(heard, path)
            assert {name: new[name] for name in expected} == expected and "Locked" in new and "Modified" in new, heard
            assert set(properties(heard, collection)) == {"Modified"}, heard
            assert not [one for one in heard if one[0] in ("ItemCreated", "ItemDeleted")], heard

        assert client.create(session, "N", {"a": "1"}, b"w", collection=collection, replace=True) == path
        changed(Label="N", Attributes={"a": "1"})
        client.call(path, ITEM, "SetSecret", "(oayays)", session.seal(b"x", "c/d"))
        changed(Label="N")
        client.set(path, ITEM, "Label", "s", "O")
        changed(Label="O")
        client.set(path, ITEM, "Attributes", "a{ss}", {"xdg:schema": "x"})
        changed(Attributes={"xdg:schema": "x"}, Type="x")
        assert client.get(path, ITEM, "Label") == "O" and client.secret(session, path) == (b"x", "c/d")
        told(client)
        client.call(path, ITEM, "Delete")
        heard = told(client)
        assert heard[0] == ("ItemDeleted", collection, (path,)), heard
        assert properties(heard, collection)["Items"] == [], heard


def collections():
    """Every change of a collection. What does not change is not told."""
    client = listener()
    session = client.plain()
    item = client.create(session, "L", {"a": "1"}, b"v")
    told(client)
    path = make(client, "One", "one")
    heard = told(client)
    assert heard[0] == ("CollectionCreated", ROOT, (path,)), heard
    assert properties(heard, ROOT)["Collections"] == [LOGIN, path, TRANSIENT], heard
    assert not [one for one in heard if one[0].startswith("Item") or one[1] == item], heard
    for collection, label in ((path, "Two"), (LOGIN, "Mine"), (TRANSIENT, "Short")):
        client.set(collection, COLLECTION, "Label", "s", label)
        heard = told(client)
        assert [body for member, _, body in heard if member == "CollectionChanged"] == [(collection,)], heard
        new = properties(heard, collection)
        assert new["Label"] == label and new["Locked"] is False and "Modified" in new, heard
        assert client.get(collection, COLLECTION, "Label") == label
        told(client)
    # It stays while others come and go.
    make(client, "Three")
    assert client.get(TRANSIENT, COLLECTION, "Label") == "Short"
    told(client)
    client.call(path, COLLECTION, "Delete")
    heard = told(client)
    assert ("CollectionDeleted", ROOT, (path,)) in heard, heard
    assert path not in properties(heard, ROOT)["Collections"], heard
    assert not [one for one in heard if one[0].startswith("Item") or one[1] == item], heard


def locks():
    """A lock is told of every collection and item that it concerns, and of no other."""
    client = listener()
    session = client.plain()
    mine = make(client, "Mine")
    kept = {collection: client.create(session, "L", {"a": "1"}, b"v", collection=collection) for collection in (LOGIN, mine)}
    short = client.create(session, "L", {"a": "1"}, b"v", collection=TRANSIENT)

    def concerned(heard, is_locked):
        assert {body[0] for member, _, body in heard if member == "CollectionChanged"} == {LOGIN, mine}, heard
        assert {body[0] for member, _, body in heard if member == "ItemChanged"} == set(kept.values()), heard
        for place in (LOGIN, mine, *kept.values()):
            assert properties(heard, place)["Locked"] is is_locked, (place, heard)
        assert properties(heard, TRANSIENT) == properties(heard, short) == {}, heard

    told(client)
    lock(client)
    concerned(told(client), True)
    assert unlock(client, LOGIN) == (False, ("ao", [LOGIN]))
    concerned(told(client), False)


def elsewhere():
    """What other programs do is told to a client that calls nothing."""
    client = listener()
    session = client.plain()
    path = client.create(session, "L", {"a": "1"}, b"v")
    told(client)
    for words in (["lock"], ["unlock"]):
        coffer(*words)
        assert client.signal("CollectionChanged", ROOT).body == (LOGIN,)
        assert client.signal("ItemChanged", LOGIN).body == (path,)
    # A collection whose record is gone leaves its items to the default one, and has them again when it is back.
    mine = make(client, "Mine")
    item = client.create(session, "L", {"b": "1"}, b"v", collection=mine)
    moved = item.replace(mine, LOGIN)
    told(client)
    coffer("rm", "-f", "org.freedesktop.secrets", "collection/Mine")
    assert client.signal("CollectionDeleted", ROOT).body == (mine,)
    heard = told(client)
    assert ("ItemDeleted", mine, (item,)) in heard and ("ItemCreated", LOGIN, (moved,)) in heard, heard
    assert client.search({"b": "1"}) == ([moved], []) and client.secret(session, moved)[0] == b"v"
    told(client)
    coffer("restore", "org.freedesktop.secrets", "collection/Mine")
    assert client.signal("CollectionCreated", ROOT).body == (mine,)
    assert client.signal("ItemCreated", mine).body == (item,)
    heard = told(client)
    assert ("ItemDeleted", LOGIN, (moved,)) in heard and properties(heard, LOGIN)["Items"] == [path], heard
    assert client.search({"b": "1"}) == ([item], [])


def unasked():
    """A provider that nobody has called yet tells of changes, too."""
    client, bus = listener(), Client("org.freedesktop.DBus")
    bus.call("/org/freedesktop/DBus", "org.freedesktop.DBus", "StartServiceByName", "su", NAME, 0)
    coffer("set", "elsewhere", "me", text="v")
    (path,) = client.signal("ItemCreated", LOGIN).body
    assert client.get(path, ITEM, "Label") == "elsewhere/me"


def lists():
    """A list of up to 256 items is told at once. A longer one is told a moment later, once for many changes."""
    client = listener()
    session = client.plain()
    for n in range(256):
        client.create(session, "L", {"n": str(n)}, b"", collection=TRANSIENT)
        assert len(properties(told(client), TRANSIENT)["Items"]) == n + 1
    client.create(session, "L", {"n": "256"}, b"", collection=TRANSIENT)
    assert "Items" not in properties(told(client), TRANSIENT)

    def next_list():
        message = client.receive(lambda m: m.header.message_type == MessageType.signal
                                 and m.header.fields[HeaderFields.path] == TRANSIENT
                                 and m.header.fields[HeaderFields.member] == "PropertiesChanged" and "Items" in m.body[1])
        return len(message.body[1]["Items"][1])

    assert next_list() == 257
    # All at once.
    process = running(Client())
    os.kill(process, signal.SIGSTOP)
    numbers = [
        client.send(TRANSIENT, COLLECTION, "CreateItem", "a{sv}(oayays)b", {},
                    session.seal(b"", "text/plain"), False) for _ in range(60)]
    os.kill(process, signal.SIGCONT)
    for number in numbers:
        client.reply(number)
    count = 1
    while next_list() != 317:
        count += 1
    # What was to be told has been told when the next list comes.
    client.create(session, "L", {"n": "last"}, b"", collection=TRANSIENT)
    while next_list() != 318:
        count += 1
    assert count < 30, count


if __name__ == "__main__":
    globals()[sys.argv[1]]()
