"""Calls on the bus, for checks that look at what the provider really sends."""
import hashlib
import hmac
import os
import secrets

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from jeepney import DBusAddress, HeaderFields, MatchRule, MessageType, message_bus, new_method_call
from jeepney.io.blocking import open_dbus_connection

NAME = "org.freedesktop.secrets"
ROOT = "/org/freedesktop/secrets"
SERVICE = "org.freedesktop.Secret.Service"
COLLECTION = "org.freedesktop.Secret.Collection"
ITEM = "org.freedesktop.Secret.Item"
SESSION = "org.freedesktop.Secret.Session"
PROMPT = "org.freedesktop.Secret.Prompt"
LOGIN = ROOT + "/collection/login"
DEFAULT = ROOT + "/aliases/default"
TRANSIENT = ROOT + "/collection/session"
DH = "dh-ietf1024-sha256-aes128-cbc-pkcs7"
PRIME = int(
    "FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A08798E3404DDEF9519B3CD3A431B"
    "302B0A6DF25F14374FE1356D6D51C245E485B576625E7EC6F44C42E9A637ED6B0BFF5CB6F406B7EDEE386BFB5A899FA5AE9F24117C4B1FE6"
    "49286651ECE65381FFFFFFFFFFFFFFFF", 16)


class Refused(Exception):
    """An error from the provider, with its name on the bus."""

    def __init__(self, name, text):
        super().__init__(f"{name}: {text}")
        self.name = name
        self.text = text


class Client:
    """One connection to the bus."""

    def __init__(self, destination=NAME):
        self.connection = open_dbus_connection(bus="SESSION", enable_fds=True)
        self.destination = destination
        self.pending = []

    def call(self, path, interface, member, signature="", *body):
        # The library's own call drops signals that come before the answer.
        return self.reply(self.send(path, interface, member, signature, *body))

    @staticmethod
    def answer(reply):
        if reply.header.message_type == MessageType.error:
            raise Refused(reply.header.fields[HeaderFields.error_name], reply.body[0] if reply.body else "")
        return reply.body

    def send(self, path, interface, member, signature="", *body):
        """Sends a call, and does not wait. Returns its number."""
        message = new_method_call(DBusAddress(path, self.destination, interface), member, signature or None, body)
        number = next(self.connection.outgoing_serial)
        self.connection.send(message, serial=number)
        return number

    def receive(self, wanted):
        """The next message for which wanted(message) is true. Others are kept for later."""
        for index, message in enumerate(self.pending):
            if wanted(message):
                return self.pending.pop(index)
        while True:
            message = self.connection.receive(timeout=600)
            if wanted(message):
                return message
            self.pending.append(message)

    def reply(self, number):
        return self.answer(self.receive(lambda m: m.header.fields.get(HeaderFields.reply_serial) == number))

    def signal(self, member, path=None):
        return self.receive(lambda m: m.header.message_type == MessageType.signal
                            and m.header.fields[HeaderFields.member] == member
                            and path in (None, m.header.fields[HeaderFields.path]))

    def listen(self):
        self.answer(self.connection.send_and_get_reply(
            message_bus.AddMatch(MatchRule(type="signal", sender=NAME)), timeout=600))

    def get(self, path, interface, name):
        return self.call(path, "org.freedesktop.DBus.Properties", "Get", "ss", interface, name)[0][1]

    def set(self, path, interface, name, signature, value):
        self.call(path, "org.freedesktop.DBus.Properties", "Set", "ssv", interface, name, (signature, value))

    # ---- sessions and secrets ----

    def plain(self):
        output, path = self.call(ROOT, SERVICE, "OpenSession", "sv", "plain", ("s", ""))
        assert output == ("s", ""), output
        return Plain(path)

    def encrypted(self):
        private = secrets.randbits(1000)
        public = pow(2, private, PRIME).to_bytes(128, "big").lstrip(b"\0")
        (signature, theirs), path = self.call(ROOT, SERVICE, "OpenSession", "sv", DH, ("ay", public))
        assert signature == "ay" and len(theirs) == 128, (signature, len(theirs))
        shared = pow(int.from_bytes(theirs, "big"), private, PRIME).to_bytes(128, "big")
        middle = hmac.new(bytes(32), shared, hashlib.sha256).digest()
        return Encrypted(path, hmac.new(middle, b"\1", hashlib.sha256).digest()[:16])

    def create(self, session, label, attributes, value, collection=DEFAULT, replace=False, content="text/plain"):
        properties = {ITEM + ".Label": ("s", label), ITEM + ".Attributes": ("a{ss}", attributes)}
        path, prompt = self.call(
            collection, COLLECTION, "CreateItem", "a{sv}(oayays)b", properties, session.seal(value, content), replace)
        assert prompt == "/", prompt
        return path

    def secret(self, session, path):
        (secret,) = self.call(path, ITEM, "GetSecret", "o", session.path)
        assert secret[0] == session.path, secret[0]
        return session.open(secret), secret[3]

    def search(self, attributes):
        """Paths of unlocked and of locked items."""
        return self.call(ROOT, SERVICE, "SearchItems", "a{ss}", attributes)


class Plain:
    def __init__(self, path):
        self.path = path

    def seal(self, value, content):
        return (self.path, b"", value, content)

    def open(self, secret):
        assert bytes(secret[1]) == b"", secret[1]
        return bytes(secret[2])


class Encrypted:
    def __init__(self, path, key):
        self.path = path
        self.key = key

    def seal(self, value, content):
        vector = os.urandom(16)
        padding = 16 - len(value) % 16
        cipher = Cipher(algorithms.AES(self.key), modes.CBC(vector)).encryptor()
        return (self.path, vector, cipher.update(value + bytes([padding]) * padding) + cipher.finalize(), content)

    def open(self, secret):
        cipher = Cipher(algorithms.AES(self.key), modes.CBC(bytes(secret[1]))).decryptor()
        padded = cipher.update(bytes(secret[2])) + cipher.finalize()
        return padded[:-padded[-1]]


def refused(name, call, *arguments, **named):
    """The call fails with the error of this name."""
    try:
        result = call(*arguments, **named)
    except Refused as error:
        assert error.name == name, f"{error} instead of {name}"
        return error.text
    raise AssertionError(f"{result!r} instead of {name}")
