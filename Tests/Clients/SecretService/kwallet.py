"""What kwalletd6 of Plasma 6 does when its own keyring is off. usage: kwallet.py NAME

It serves KDE's programs with the wallets of org.freedesktop.secrets, by libsecret and by calls of its own. Debian 12 has no kwalletd6.
The class Bridge does the same calls in the same order. It was written after KDE/kwallet, src/runtime/kwalletd, of August 2026.
"""
import base64
import json
import os
import sys
import time

import gi

gi.require_version("Secret", "1")
from gi.repository import Gio, GLib, Secret

from bus import COLLECTION, NAME, ROOT, SERVICE, TRANSIENT, Client

SCHEMA = Secret.Schema.new("org.qt.keychain", Secret.SchemaFlags.DONT_MATCH_NAME, {
    name: Secret.SchemaAttributeType.STRING for name in ("user", "server", "type")})
PASSWORD, STREAM, MAP = "plaintext", "base64", "map"
# Python must not wait for the bus for ever, nor give up on a slow machine.
PATIENCE = 1000 * int(os.environ.get("COFFER_TEST_PATIENCE", "300"))


def called(method):
    """A call of a program. The bridge reads its signals before, and none during the call."""
    def run(*arguments):
        while GLib.MainContext.default().iteration(False):
            pass
        return method(*arguments)

    return run


class Bridge:
    """kwalletd6 between a program of KDE and the Secret Service."""

    def __init__(self):
        # libsecret keeps one connection a process, with what it knows of the items. This is a new process.
        Secret.Service.disconnect()
        self.bus = Gio.bus_get_sync(Gio.BusType.SESSION)
        self.service = Secret.Service.get_sync(Secret.ServiceFlags.OPEN_SESSION | Secret.ServiceFlags.LOAD_COLLECTIONS)
        self.opened = {}
        self.signals = []
        self.folders = {}
        for name in self.wallets():
            self.watch(name)
        for member in ("CollectionCreated", "CollectionDeleted"):
            self.listen(ROOT, SERVICE, member)
        for wallet in self.wallets():
            self.folders[wallet] = self.present_folders(wallet)
        self.network_wallet()

    # ---- calls of its own, which Qt makes: it looks at the object first ----

    def call(self, path, interface, member, signature, *arguments):
        return self.bus.call_sync(NAME, path, interface, member, GLib.Variant(signature, arguments), None,
                                  Gio.DBusCallFlags.NONE, PATIENCE, None).unpack()

    def introspect(self, path, interface):
        (text,) = self.call(path, "org.freedesktop.DBus.Introspectable", "Introspect", "()")
        found = Gio.DBusNodeInfo.new_for_xml(text).lookup_interface(interface)
        assert found, (path, interface)
        return found

    def label(self, path):
        declared = self.introspect(path, COLLECTION).lookup_property("Label")
        assert declared.signature == "s" and declared.flags & Gio.DBusPropertyInfoFlags.READABLE
        return self.call(path, "org.freedesktop.DBus.Properties", "Get", "(ss)", COLLECTION, "Label")[0]

    def network_wallet(self):
        assert self.introspect(ROOT, SERVICE).lookup_method("ReadAlias")
        (path,) = self.call(ROOT, SERVICE, "ReadAlias", "(s)", "default")
        return self.label(path)

    def listen(self, path, interface, member):
        def told(bus, sender, path, interface, member, arguments):
            self.signals.append((member, path, arguments.unpack()[0]))

        self.bus.signal_subscribe(NAME, interface, member, path, None, Gio.DBusSignalFlags.NONE, told)

    def signal(self, member, path):
        """Waits for a signal of an object."""
        deadline = time.monotonic() + PATIENCE / 1000
        while True:
            for signal in self.signals:
                if signal[:2] == (member, path):
                    self.signals.remove(signal)
                    return signal[2]
            assert time.monotonic() < deadline, f"no {member} of {path}, only {self.signals}"
            GLib.timeout_add(100, lambda: False)
            GLib.MainContext.default().iteration(True)

    # ---- wallets, which are collections named by their labels ----

    def wallets(self):
        self.service.load_collections_sync()
        return [c.get_label() for c in self.service.get_collections() if c.get_label()]

    def wallet(self, name):
        if name not in self.opened:
            self.service.load_collections_sync()
            for one in self.service.get_collections():
                if one.get_label() == name:
                    self.opened[name] = one
                    break
        return self.opened.get(name)

    def watch(self, name):
        for member in ("ItemChanged", "ItemCreated", "ItemDeleted"):
            self.listen(self.wallet(name).get_object_path(), COLLECTION, member)

    @called
    def open(self, name):
        """False for a wallet that was made just now: the bridge knows nothing of it before it has read its signals. Programs try again."""
        if name not in self.wallets():
            Secret.Collection.create_sync(self.service, name, None, Secret.CollectionCreateFlags.NONE)
        collection = self.wallet(name)
        if collection is None:
            return False
        self.watch(name)
        if collection.get_locked():
            count, _ = self.service.unlock_sync([collection])
            assert count == 1, "it stays locked"
        self.folders.setdefault(name, set()).update(self.present_folders(name))
        return True

    @called
    def delete_wallet(self, name):
        assert self.wallet(name).delete_sync()
        del self.opened[name]

    def set_default(self, name):
        assert self.service.set_alias_sync("default", self.wallet(name))

    # ---- folders, which are what entries have as "server" ----

    def present_folders(self, wallet):
        found = (item.get_attributes().get("server") for item in self.wallet(wallet).get_items())
        return {folder for folder in found if folder is not None}

    def create_folder(self, wallet, folder):
        self.folders[wallet].add(folder)

    @called
    def remove_folder(self, wallet, folder):
        for item in self.wallet(wallet).search_sync(SCHEMA, {"server": folder}, Secret.SearchFlags.ALL):
            item.delete_sync()
        self.folders[wallet].discard(folder)

    # ---- entries ----

    @called
    def entry_list(self, wallet, folder):
        found = self.wallet(wallet).search_sync(SCHEMA, {"server": folder}, Secret.SearchFlags.ALL)
        return {item.get_attributes()["user"] for item in found}

    def item(self, wallet, folder, key, kind=None):
        attributes = {"server": folder, "user": key}
        if kind:
            attributes["type"] = kind
        found = self.wallet(wallet).search_sync(
            SCHEMA, attributes, Secret.SearchFlags.ALL | Secret.SearchFlags.LOAD_SECRETS)
        return found[0] if found else None

    @called
    def entry_type(self, wallet, folder, key):
        item = self.item(wallet, folder, key)
        return item and item.get_attributes()["type"]

    @called
    def read(self, wallet, folder, key, kind):
        item = self.item(wallet, folder, key, kind)
        if item is None and kind == STREAM:
            # As its first versions kept files.
            item = self.item(wallet, folder, key, "binary")
            return bytes(item.get_secret().get()) if item else None
        if item is None:
            return None
        if item.get_locked():
            self.service.unlock_sync([item])
            item.load_secret_sync()
        secret = item.get_secret()
        # kwalletd6 takes text only.
        text = secret.get_text()
        assert text is not None, f"the content type is {secret.get_content_type()}"
        return base64.b64decode(text) if kind == STREAM else json.loads(text) if kind == MAP else text

    @called
    def write(self, wallet, folder, key, value, kind):
        text = (base64.b64encode(value).decode() if kind == STREAM
                else json.dumps(value, separators=(",", ":"), ensure_ascii=False) if kind == MAP else value)
        before = self.entry_list(wallet, folder)
        Secret.Item.create_sync(
            self.wallet(wallet), SCHEMA, {"user": key, "type": kind, "server": folder}, f"{folder}/{key}",
            Secret.Value.new(text, -1, "text/plain"), Secret.ItemCreateFlags.REPLACE)
        self.folders[wallet].add(folder)
        return key not in before

    @called
    def remove(self, wallet, folder, key):
        item = self.item(wallet, folder, key)
        assert item, f"{folder}/{key} is not there"
        item.delete_sync()

    @called
    def rename(self, wallet, folder, old, new):
        item = self.item(wallet, folder, old)
        if self.item(wallet, folder, new):
            return False
        kind, text = item.get_attributes()["type"], item.get_secret().get_text()
        self.remove(wallet, folder, old)
        value = base64.b64decode(text) if kind == STREAM else json.loads(text) if kind == MAP else text
        self.write(wallet, folder, new, value, kind)
        return True


def entries():
    """A program of KDE keeps everything that a wallet can hold."""
    bridge = Bridge()
    default = bridge.network_wallet()
    # Users of others are asked to make a new wallet, because the default one is not among them.
    assert default in bridge.wallets(), (default, bridge.wallets())
    before = bridge.wallets()
    assert bridge.open(default) and bridge.wallets() == before
    keep(bridge, default)
    # A wallet that a program asks for by a name of its own.
    bridge.open("kdewallet")
    path = bridge.signal("CollectionCreated", ROOT)
    assert bridge.label(path) == "kdewallet"
    assert sorted(bridge.wallets()) == sorted(before + ["kdewallet"])
    assert bridge.open("kdewallet") and bridge.wallet("kdewallet").get_object_path() == path
    assert bridge.wallets().count("kdewallet") == 1
    assert bridge.present_folders("kdewallet") == set()
    keep(bridge, "kdewallet")
    bridge.write("kdewallet", "Passwords", "mail", "the wallet's", PASSWORD)
    bridge.write(default, "Passwords", "mail", "the default's", PASSWORD)
    assert bridge.read("kdewallet", "Passwords", "mail", PASSWORD) == "the wallet's"
    bridge.write(default, "Elsewhere", "mail", "", PASSWORD)
    assert bridge.entry_list(default, "Elsewhere") == {"mail"} and bridge.entry_list("kdewallet", "Elsewhere") == set()
    bridge.set_default("kdewallet")
    assert Bridge().network_wallet() == "kdewallet"
    bridge.set_default(default)
    # A bridge that is started later sees the same.
    later = Bridge()
    assert later.folders["kdewallet"] == {"Passwords"} and later.folders[default] >= {"Passwords"}, later.folders
    bridge.delete_wallet("kdewallet")
    assert bridge.signal("CollectionDeleted", ROOT) == path
    assert sorted(bridge.wallets()) == sorted(before)
    assert bridge.read(default, "Passwords", "mail", PASSWORD) == "the default's"


def keep(bridge, wallet):
    place = bridge.wallet(wallet).get_object_path()
    bridge.create_folder(wallet, "Passwords")
    assert bridge.entry_list(wallet, "Passwords") == set()
    assert bridge.entry_type(wallet, "Passwords", "mail") is None
    binary, table = bytes(range(256)), {"login": "me", "pass": "p\u00e4ss\n\"word\"", "": ""}
    assert bridge.write(wallet, "Passwords", "mail", "first", PASSWORD)
    item = bridge.signal("ItemCreated", place)
    # kwalletd6 finds the wallet by the path of its item, which has six words.
    assert item.rsplit("/", 1)[0] == place and len(item.split("/")) == 7, item
    assert not bridge.write(wallet, "Passwords", "mail", "p\u00e4ss w\u00f6rd \U0001f511\n", PASSWORD)
    assert bridge.signal("ItemChanged", place) == item
    bridge.write(wallet, "Passwords", "key", binary, STREAM)
    bridge.write(wallet, "Form Data", "https://example.com/#login", table, MAP)
    # Names that a vault does not keep as they are.
    bridge.write(wallet, "", "no folder", "a", PASSWORD)
    bridge.write(wallet, "Passwords", "", "no name", PASSWORD)
    bridge.write(wallet, "Passwords", "empty", "", PASSWORD)
    bridge.write(wallet, "Passwords", "empty map", {}, MAP)
    assert bridge.entry_list(wallet, "Passwords") == {"mail", "key", "", "empty", "empty map"}
    assert bridge.entry_list(wallet, "") == {"no folder"}
    assert bridge.entry_type(wallet, "Passwords", "mail") == PASSWORD
    assert bridge.entry_type(wallet, "Passwords", "key") == STREAM
    assert bridge.read(wallet, "Passwords", "mail", PASSWORD) == "p\u00e4ss w\u00f6rd \U0001f511\n"
    assert bridge.read(wallet, "Passwords", "mail", STREAM) is None
    assert bridge.read(wallet, "Passwords", "key", STREAM) == binary
    assert bridge.read(wallet, "Form Data", "https://example.com/#login", MAP) == table
    assert bridge.read(wallet, "", "no folder", PASSWORD) == "a"
    assert bridge.read(wallet, "Passwords", "", PASSWORD) == "no name"
    assert bridge.read(wallet, "Passwords", "empty", PASSWORD) == ""
    assert bridge.read(wallet, "Passwords", "empty map", MAP) == {}
    assert Bridge().present_folders(wallet) >= {"", "Passwords", "Form Data"}
    assert bridge.rename(wallet, "Passwords", "mail", "post")
    assert not bridge.rename(wallet, "Passwords", "post", "key")
    assert bridge.entry_list(wallet, "Passwords") == {"post", "key", "", "empty", "empty map"}
    assert bridge.read(wallet, "Passwords", "post", PASSWORD) == "p\u00e4ss w\u00f6rd \U0001f511\n"
    bridge.remove(wallet, "Passwords", "key")
    assert bridge.read(wallet, "Passwords", "key", STREAM) is None
    bridge.remove_folder(wallet, "Passwords")
    assert bridge.entry_list(wallet, "Passwords") == set()
    assert bridge.entry_list(wallet, "") == {"no folder"}
    bridge.remove_folder(wallet, "")
    bridge.remove_folder(wallet, "Form Data")


def locked():
    """The vault is locked while the bridge runs, and when it starts."""
    bridge = Bridge()
    default = bridge.network_wallet()
    bridge.open(default)
    bridge.write(default, "Passwords", "mail", "secret", PASSWORD)
    bridge.service.lock_sync([bridge.wallet(default)])
    assert bridge.read(default, "Passwords", "mail", PASSWORD) == "secret"
    bridge.service.lock_sync([bridge.wallet(default)])
    later = Bridge()
    assert later.folders[default] == {"Passwords"}
    later.open(default)
    assert later.read(default, "Passwords", "mail", PASSWORD) == "secret"
    # A wallet is made in a locked vault after the person was asked.
    later.service.lock_sync([later.wallet(default)])
    later.open("kdewallet")
    later.signal("CollectionCreated", ROOT)
    assert later.open("kdewallet")
    later.write("kdewallet", "Passwords", "mail", "other", PASSWORD)
    assert later.read("kdewallet", "Passwords", "mail", PASSWORD) == "other"
    with open(os.environ["PROMPTS"]) as file:
        assert file.read().count("--\n") == 3


def imported():
    """Entries as "coffer import kwallet" stores them; the test has made some. Passwords/mail requires a person, and is asked for only then."""
    bridge = Bridge()
    default = bridge.network_wallet()
    assert bridge.folders[default] == {"Passwords"}, bridge.folders
    assert bridge.entry_list(default, "Passwords") == {"mail", "key"}
    assert bridge.entry_type(default, "Passwords", "key") == "binary"
    assert bridge.read(default, "Passwords", "key", STREAM) == bytes([0, 255, 10])
    assert not os.path.exists(os.environ["PROMPTS"])
    # kwalletd6 loads the secret for both.
    assert bridge.entry_type(default, "Passwords", "mail") == PASSWORD
    assert bridge.read(default, "Passwords", "mail", PASSWORD) == "guarded"
    with open(os.environ["PROMPTS"]) as file:
        assert file.read().count("--\n") == 2


def many():
    """libsecret loads all items of a collection at once, without waiting for an answer in between."""
    client = Client()
    session = client.plain()
    names = {f"Passwords/{number}" for number in range(300)}
    for name in names:
        # In memory, which is quick.
        client.create(session, name, {"server": "Passwords", "user": name, "type": PASSWORD}, b"secret", TRANSIENT)
    results = []
    loop = GLib.MainLoop()

    def loaded(source, result):
        results.append(Secret.Service.get_finish(result))
        loop.quit()

    Secret.Service.get(Secret.ServiceFlags.OPEN_SESSION | Secret.ServiceFlags.LOAD_COLLECTIONS, None, loaded)
    loop.run()
    collection = Secret.Collection.for_alias_sync(results[0], "session", Secret.CollectionFlags.LOAD_ITEMS)
    assert {item.get_label() for item in collection.get_items()} == names
    bridge = Bridge()
    wallet = bridge.label(TRANSIENT)
    assert bridge.folders[wallet] == {"Passwords"}
    assert bridge.entry_list(wallet, "Passwords") == names
    bridge.write(wallet, "New", "new", "new", PASSWORD)
    assert bridge.read(wallet, "New", "new", PASSWORD) == "new"


if __name__ == "__main__":
    globals()[sys.argv[1]]()
