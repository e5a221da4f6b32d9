"""Wallets of KDE on the session bus, for a command. usage: kwallet.py real|odd|closing|listing COMMAND…

real      kwalletd5 of this machine, with a home of its own. The wallet is opened as pam_kwallet opens it at a login.
odd       what kwalletd6 would answer for a wallet with entries that cannot be read, and for one that the person does not open
closing   what it answers if the wallet is closed while it is read: empty values and no error
listing   the same, while its entries are listed: no names and no error
"""
import hashlib
import os
import signal
import subprocess
import sys
import threading

import keyring.backends.kwallet
from gi.repository import Gio, GLib
from jeepney import HeaderFields, MessageType, message_bus, new_method_return
from jeepney.io.blocking import open_dbus_connection

INTERFACE = "org.kde.KWallet"
PASSWORD, BYTES, MAP = 1, 2, 3
# Python must not give up on a slow machine.
PATIENCE = 300_000


def qt_map(fields):
    """A QMap<QString, QString>, as QDataStream writes it."""
    def text(value):
        units = value.encode("utf-16-be")
        return len(units).to_bytes(4, "big") + units

    return len(fields).to_bytes(4, "big") + b"".join(text(name) + text(value) for name, value in fields.items())


class Service:
    """kwalletd5."""

    def __init__(self, home):
        os.makedirs(home + "/share/kwalletd")
        os.makedirs(home + "/config")
        with open(home + "/config/kwalletrc", "w") as file:
            file.write("[Wallet]\nFirst Use=false\nPrompt on Open=false\n")
        variables = {"HOME": home, "XDG_DATA_HOME": home + "/share", "XDG_CONFIG_HOME": home + "/config",
                     "XDG_CACHE_HOME": home + "/cache", "QT_QPA_PLATFORM": "offscreen"}
        self.bus = Gio.bus_get_sync(Gio.BusType.SESSION)
        self.bus.call_sync("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
                           "UpdateActivationEnvironment", GLib.Variant("(a{ss})", (variables,)), None, 0, PATIENCE, None)
        salt = os.urandom(56)
        with open(home + "/share/kwalletd/kdewallet.salt", "wb") as file:
            file.write(salt)
        key = hashlib.pbkdf2_hmac("sha512", b"password", salt, 50_000, 56)
        self.call("pamOpen", "(sayi)", "kdewallet", key, 0)
        self.handle = self.call("open", "(sxs)", "kdewallet", 0, "test")
        assert self.handle >= 0

    def end(self):
        """It does not end with its bus."""
        os.kill(self.bus.call_sync(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetConnectionUnixProcessID",
            GLib.Variant("(s)", ("org.kde.kwalletd5",)), None, 0, PATIENCE, None).unpack()[0], signal.SIGTERM)

    def call(self, member, signature, *arguments):
        answer = self.bus.call_sync("org.kde.kwalletd5", "/modules/kwalletd5", INTERFACE, member,
                                    GLib.Variant(signature, arguments), None, 0, PATIENCE, None).unpack()
        return answer[0] if answer else None

    def write(self, folder, name, value, kind):
        self.call("createFolder", "(iss)", self.handle, folder, "test")
        if kind == PASSWORD:
            written = self.call("writePassword", "(issss)", self.handle, folder, name, value, "test")
        else:
            written = self.call("writeEntry", "(issayis)", self.handle, folder, name, value, kind, "test")
        assert written == 0, (folder, name)


def real():
    service = Service(os.getcwd() + "/kde")
    service.write("Passwords", "https://wiki.example/login", "wiki s3cret", PASSWORD)
    service.write("Passwords", "share.example", qt_map({"login": "me", "password": "p\u00e4ss", "domain": "work"}), MAP)
    service.write("Nextcloud", "me:https://cloud.example/:1", "token", PASSWORD)
    service.write("Nextcloud", "key", bytes(range(256)), BYTES)
    service.write("Chromium Keys", "Chromium Safe Storage", "Y2hyb21pdW0=", PASSWORD)
    service.write("Network Management", "{2d5d1d7a-6f8b-4a51-9f57-0123456789ab};802-11-wireless-security",
                  qt_map({"psk": "wireless", "wep-key0": ""}), MAP)
    service.write("Form Data", "https://shop.example/pay#form", qt_map({"pin": "1234", "name": "Me"}), MAP)
    service.write("Empty", "nothing", "", PASSWORD)
    # What a program writes.
    keyring.backends.kwallet.DBusKeyring().set_password("from-python", "me", "by a program")
    return service


# ---- what a real service cannot be made to say ----

# What each method takes, in one form or another, and its answer.
METHODS = {
    "isEnabled": ([""], "b"), "wallets": ([""], "as"), "isOpen": (["s", "i"], "b"), "open": (["sxs"], "i"),
    "close": (["ibs"], "i"), "folderList": (["is"], "as"), "entryList": (["iss"], "as"), "entryType": (["isss"], "i"),
    "readPassword": (["isss"], "s"), "readEntry": (["isss"], "ay"), "readMap": (["isss"], "ay"),
}
ODD = {
    "good": (PASSWORD, "fine"), "cut": (MAP, qt_map({"a": "b"})[:-1]), "much": (MAP, b"\xff\xff\xff\xfe"),
    "more": (MAP, qt_map({"a": "b"}) + b"\0"), "surrogate": (MAP, qt_map({"a": "bc"})[:-4] + b"\xd8\x00\0c"),
    "odd length": (MAP, b"\0\0\0\1\0\0\0\1x\0\0\0\0"), "unknown\n\x1b[31m": (9, b""), "large": (BYTES, bytes((1 << 20) + 1)),
    "large password": (PASSWORD, "x" * ((1 << 20) + 1)), "largest": (BYTES, bytes(1 << 20)),
}
CLOSING = {"a": (PASSWORD, "fine"), "b": (PASSWORD, "")}


def serve(mode):
    entries, closes = ODD if mode == "odd" else CLOSING, mode == "closing"
    connection = open_dbus_connection(bus="SESSION")
    answer = connection.send_and_get_reply(message_bus.RequestName("org.kde.kwalletd6"))
    assert answer.body == (1,), answer.body
    is_open = [True]

    def reply(member, arguments):
        if member in ("readPassword", "readEntry", "readMap"):
            value = entries[arguments[2]][1]
            # From its first empty value on, a wallet that closes is closed.
            if closes and not value:
                is_open[0] = False
            return value
        if member == "entryType":
            return entries[arguments[2]][0]
        if member == "entryList" and mode == "listing":
            is_open[0] = False
            return []
        return {
            "isEnabled": True, "wallets": ["kdewallet", "refused"], "close": 0, "folderList": ["F"],
            "isOpen": is_open[0] and arguments != ("refused",), "open": -1 if arguments[:1] == ("refused",) else 7,
            "entryList": sorted(entries),
        }[member]

    def run():
        while True:
            message = connection.receive()
            if message.header.message_type == MessageType.method_call:
                fields = message.header.fields
                member = fields[HeaderFields.member]
                given, back = METHODS[member]
                assert fields.get(HeaderFields.signature, "") in given, (member, fields)
                connection.send(new_method_return(message, back, (reply(member, message.body),)))

    threading.Thread(target=run, daemon=True).start()


if __name__ == "__main__":
    mode, *command = sys.argv[1:]
    service = real() if mode == "real" else serve(mode)
    try:
        status = subprocess.run(command).returncode
    finally:
        if service:
            service.end()
    sys.exit(status)
