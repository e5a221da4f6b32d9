"""Checks with many deletions. usage: deletions.py NAME"""
import sys

from bus import *
from pressure import LABEL, make

PROPERTIES = "org.freedesktop.DBus.Properties"


def clear():
    """Deletes all items that have been made for it, one after the other."""
    client = Client()
    paths, _ = client.search({"many": "yes"})
    assert len(paths) == 200, len(paths)
    for path in paths:
        assert client.call(path, ITEM, "Delete") == ("/",)
    assert client.search({"many": "yes"}) == ([], [])


def write():
    """Writes while others delete."""
    client = Client()
    session = client.plain()
    for n in range(60):
        path = client.create(session, "L", {"written": str(n)}, b"one")
        client.create(session, "L", {"written": str(n)}, b"two", replace=True)
        client.call(path, ITEM, "SetSecret", "(oayays)", session.seal(b"three", "text/plain"))
        client.set(path, ITEM, "Label", "s", "other")
        assert client.secret(session, path)[0] == b"three"


def delete_one():
    client = Client()
    (path,), _ = client.search({"held": "yes"})
    assert client.call(path, ITEM, "Delete") == ("/",)


def write_beside():
    """Everything that another program may write while a deletion is not done."""
    client = Client()
    session = client.plain()
    path = client.create(session, "L", {"beside": "1"}, b"one")
    client.create(session, "L", {"beside": "1"}, b"two", replace=True)
    client.call(path, ITEM, "SetSecret", "(oayays)", session.seal(b"three", "text/plain"))
    client.set(path, ITEM, "Attributes", "a{ss}", {"beside": "2"})
    collection = make(client, "Beside", "beside")
    client.set(collection, COLLECTION, "Label", "s", "Beside it")
    client.call(ROOT, SERVICE, "SetAlias", "so", "other", collection)
    client.create(session, "L", {"beside": "3"}, b"one", collection=collection)
    assert client.secret(session, path)[0] == b"three"


def fill_collection():
    client = Client()
    session = client.plain()
    path = make(client, "Full", "full")
    for n in range(150):
        client.create(session, "L", {"full": str(n)}, b"v", collection=path)


def delete_collection():
    client = Client()
    path = client.call(ROOT, SERVICE, "ReadAlias", "s", "full")[0]
    assert client.call(path, COLLECTION, "Delete") == ("/",)
    for n in range(150):
        assert client.search({"full": str(n)}) == ([], []), n
    assert path not in client.get(ROOT, SERVICE, "Collections")


def same_attributes():
    """Programs that store an item of the same attributes at the same moment make one."""
    clients = [Client() for _ in range(8)]
    sessions = [client.plain() for client in clients]
    for n in range(20):
        numbers = []
        for client, session in zip(clients, sessions):
            properties = {ITEM + ".Label": ("s", "L"), ITEM + ".Attributes": ("a{ss}", {"same": str(n)})}
            numbers.append(client.send(
                DEFAULT, COLLECTION, "CreateItem", "a{sv}(oayays)b", properties, session.seal(b"v", "text/plain"), True))
        paths = {client.reply(number)[0] for client, number in zip(clients, numbers)}
        assert len(paths) == 1, paths


if __name__ == "__main__":
    globals()[sys.argv[1]]()
