#!/usr/bin/env python3
"""Opens a vault of format 3 with the keys that are given beside it, by docs/vault-format.md alone, and compares what it finds.

usage: verify.py FILE.json
FILE.json has the vault's file and its keys in base64, the registry's record, the application passwords, and what the vault holds.
"""
import base64
import hashlib
import hmac
import json
import sqlite3
import struct
import sys
import tempfile

from cryptography.hazmat.primitives.asymmetric import ec, x25519
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

CLASSES = {1: "when-unlocked", 2: "after-first-unlock", 3: "passcode-set", 4: "always"}
# The bits of constraints, and the object of each that has a key.
CONSTRAINTS = {0: ("presence", 16), 1: ("biometry", 17), 2: ("biometry-current-set", 18), 3: ("passcode", 19), 4: ("app-password", None)}
EMPTY = bytes(32)


def lp(*parts):
    return b"".join(struct.pack(">I", len(part)) + part for part in (p.encode() if isinstance(p, str) else p for p in parts))


def u16(number): return struct.pack(">H", number)
def u64(number): return struct.pack(">Q", number)
def sha(data): return hashlib.sha256(data).digest()
def mac(key, data): return hmac.new(key, data, hashlib.sha256).digest()
def hkdf(key, salt, info): return HKDF(SHA256(), 32, salt or None, info if isinstance(info, bytes) else info.encode()).derive(key)
def unseal(key, sealed, bound): return AESGCM(key).decrypt(sealed[:12], sealed[12:], bound)


class Reader:
    """Reads from the front, and never past the end."""
    def __init__(self, data): self.data = data

    def take(self, count):
        assert 0 <= count <= len(self.data), "cut off"
        part, self.data = self.data[:count], self.data[count:]
        return part

    def number(self, count): return int.from_bytes(self.take(count), "big")
    def lp(self): return self.take(self.number(4))
    def end(self): assert not self.data, "too long"


def padme(length):
    if length <= 64:
        return 64
    exponent = length.bit_length() - 1
    step = 1 << (exponent - exponent.bit_length())
    return (length + step - 1) // step * step


def unpad(plain, size):
    length = int.from_bytes(plain[:4], "big")
    assert len(plain) == size(length + 4) and not any(plain[4 + length:]), "padding"
    return plain[4:4 + length]


def text(plain): return json.loads(unpad(plain, lambda count: (count + 255) // 256 * 256))


class Vault:
    def __init__(self, given):
        self.record, self.passwords = given["record"], given["applicationPasswords"]
        self.id = bytes.fromhex(self.record["vault"])
        with tempfile.NamedTemporaryFile() as file:
            file.write(base64.b64decode(given["file"]))
            file.flush()
            base = sqlite3.connect(f"file:{file.name}?immutable=1", uri=True)
            self.rows = {name: base.execute(f"SELECT * FROM {name}").fetchall()
                         for name in "header object keybag recovery transition item value posting node former field slot".split()}
            base.close()
        self.objects = {role: self.object(base64.b64decode(given["machineKey"]), public, private) for role, public, private in self.rows["object"]}
        root = self.objects[1]
        self.keys = {name: hkdf(root, self.id, f"org.coffer.key.{name}") for name in ["index", "metadata", "integrity", "class-mac", "always"]}
        self.header()
        self.tree = {}
        assert self.node(0, 0) == self.root, "tree"
        self.classes()

    def object(self, machine, public, private):
        """The secret of a software sealer's object."""
        return AESGCM(hkdf(machine, b"", "org.coffer.software")).decrypt(private[:12], private[12:], public)

    def header(self):
        (_, content, code), = self.rows["header"]
        assert hmac.compare_digest(code, mac(self.keys["integrity"], lp("org.coffer.header", content)))
        r = Reader(content)
        assert r.take(8) == b"COFFERV1" and r.number(2) == 3 and r.take(16) == self.id and r.number(1) == 2
        assert r.lp().decode() == self.record["owner"] and r.number(8) == self.record["created"]
        r.take(16)
        self.count, self.root = r.number(4), r.take(32)
        assert r.take(32) == sha(self.rows["keybag"][0][1])
        objects = b"".join(u16(role) + lp(public, private) for role, public, private in sorted(self.rows["object"]))
        assert r.take(32) == sha(objects)
        r.take(1 + 1 + 2 + 8 + 2 + 8)
        r.end()

    def node(self, level, number):
        """The digest of a node, with everything below."""
        content = next((row[2] for row in self.rows["node"] if row[:2] == (level, number)), b"")
        if not content:
            return EMPTY
        if level == 3:
            entries = [(content[at:at + 32], content[at + 32:at + 64]) for at in range(0, len(content), 64)]
            assert entries == sorted(entries) and all(int.from_bytes(key[:2], "big") >> 4 == number for key, _ in entries)
            self.tree.update(entries)
            return sha(b"\0" + u16(number) + content)
        assert content == b"".join(self.node(level + 1, number * 16 + child) for child in range(16))
        return sha(bytes([1, level]) + u16(number) + content)

    def vouched(self, key, digest): assert self.tree.pop(key) == digest, "the tree does not know a row"

    def classes(self):
        bag = hkdf(self.objects[2], self.id, "org.coffer.key.keybag")
        r = Reader(self.rows["keybag"][0][1])
        self.private, self.public = {}, {}
        for _ in range(r.number(1)):
            kind, public, sealed, code = r.take(2), r.take(32), r.lp(), r.take(32)
            assert code == mac(self.keys["class-mac"], lp("org.coffer.class", u16(1), self.id, kind, public))
            if sealed:
                half = unseal(bag, sealed, lp("org.coffer.keybag", u16(1), self.id, kind, public))
            else:
                half = self.keys["always"] if kind[0] == 4 else self.objects[3]
            self.private[kind], self.public[kind] = x25519.X25519PrivateKey.from_private_bytes(half), public
            assert self.private[kind].public_key().public_bytes(Encoding.Raw, PublicFormat.Raw) == public
        r.end()

    def open(self, name, access, field, record):
        """A value, through each of its slots."""
        r = Reader(record)
        version, revision, place, form, item, own = r.number(8), r.take(16), r.lp(), r.number(2), r.take(16), r.take(6)
        digest, commitment, others, count = r.take(32), r.take(32), r.take(32), r.number(1)
        assert form == 3 and place == revision and own == access and others == EMPTY
        sealed = next(row[1] for row in self.rows["value"] if row[0] == place)
        assert sha(sealed) == digest
        bound = lp(u16(3), item, field, revision, access)
        values = {self.through(Reader(r.lp()), name, item, field, revision, access, commitment, bound, sealed) for _ in range(count)}
        r.end()
        assert len(values) == 1, "its slots give different values"
        return version, values.pop()

    def through(self, r, name, item, field, revision, access, commitment, bound, sealed):
        whole = r.data
        r.take(1)
        kind, bits, ephemeral = r.take(2), r.number(2), r.take(32)
        shared = [self.private[kind].exchange(x25519.X25519PublicKey.from_public_bytes(ephemeral))]
        points = []
        for bit, (_, role) in CONSTRAINTS.items():
            if bits >> bit & 1 and role:
                key = ec.derive_private_key(int.from_bytes(self.objects[role], "big"), ec.SECP256R1())
                point = r.take(65)
                term = mac(self.keys["index"], lp("point", point))
                assert next(row[1] for row in self.rows["posting"] if row[0] == term) == item
                shared.append(key.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)))
                numbers = key.public_key().public_numbers()
                points.append(b"\4" + numbers.x.to_bytes(32, "big") + numbers.y.to_bytes(32, "big"))
        if bits >> 4 & 1:
            password = self.passwords["/".join(name[:2])].encode()
            shared.append(hashlib.scrypt(password, salt=r.take(16), n=1 << 17, r=8, p=1, maxmem=256 << 20, dklen=32))
        head, wrapped = whole[:-60], r.take(60)
        r.end()
        asked = sha(lp("org.coffer.name", *name, field)) if bits else b""
        context = lp("org.coffer.slot", u16(3), self.id, item, field, revision, access, asked, head, self.public[kind], *points)
        key = unseal(hkdf(lp(*shared), b"", context), wrapped, context)
        assert hmac.compare_digest(commitment, mac(key, lp("org.coffer.commitment") + bound)), "commitment"
        return unpad(unseal(key, sealed, lp("org.coffer.value") + bound), padme)

    def items(self):
        fields, found = dict(self.rows["field"]), []
        for item, record in self.rows["item"]:
            self.vouched(sha(lp("org.coffer.tree.item", item)), sha(lp("org.coffer.row.item", item, record)))
            r = Reader(record)
            version, access, sealed, digest = r.number(8), r.take(6), r.lp(), r.take(32)
            r.end()
            content = fields.pop(item)
            assert sha(content) == digest
            meta = text(unseal(self.keys["metadata"], sealed, lp("org.coffer.metadata", u16(3), self.id, item, access)))
            r = Reader(content)
            stamps = unseal(self.keys["metadata"], r.lp(), lp("org.coffer.stamps", u16(3), self.id, item))
            stamps = unpad(stamps, lambda count: (count + 63) // 64 * 64)
            name, names = (meta["service"], meta["account"], meta.get("kind", "generic")), self.fields(meta)
            assert len(stamps) >= 26 and r.number(1) == len(names)
            values = {}
            for field in names:
                assert r.number(1) == 1, "one value"
                number, value = self.open(name, access, field, r.lp())
                assert number <= version
                values[field] = {"version": number, "value": value.decode()}
            r.end()
            requires = [word for bit, (word, _) in CONSTRAINTS.items() if int.from_bytes(access[4:], "big") >> bit & 1]
            found.append({"name": list(name), "class": CLASSES[access[1]], "requires": requires, "version": version, "fields": values,
                          "attributes": meta["attributes"], "isDeleted": "deleted" in meta, "former": self.former(item)})
        assert not fields and len(found) == self.count and not self.rows["slot"]
        return sorted(found, key=lambda item: item["name"])

    def fields(self, meta):
        names = (["secret"] if "valueSet" in meta else []) + [field["name"] for field in meta.get("fields", [])]
        assert 1 <= len(names) == len(set(names)) <= 16
        return names

    def former(self, item):
        records = dict(self.rows["former"]).get(item)
        if not records:
            return []
        self.vouched(sha(lp("org.coffer.tree.former", item)), sha(lp("org.coffer.row.former", item, records)))
        r, values = Reader(records), []
        for _ in range(r.number(1)):
            r.take(8)
            sealed, record = r.lp(), r.lp()
            revision, at = record[8:24], 8 + 16 + 4 + int.from_bytes(record[24:28], "big") + 2 + 16
            head = text(unseal(self.keys["metadata"], sealed, lp("org.coffer.heading", u16(3), self.id, item, revision)))
            name = (head["service"], head["account"], head.get("kind", "generic"))
            field, = self.fields(head)
            version, value = self.open(name, record[at:at + 6], field, record)
            values.append({"name": list(name), "field": field, "version": version, "value": value.decode()})
        r.end()
        return values


given = json.load(open(sys.argv[1], encoding="utf-8"))
vault = Vault(given)
items = vault.items()
for term, ids in vault.rows["posting"]:
    vault.vouched(term, sha(lp("org.coffer.row.posting", term, ids)))
if vault.rows["recovery"]:
    vault.vouched(sha(lp("org.coffer.tree.recovery")), sha(lp("org.coffer.row.recovery", vault.rows["recovery"][0][1])))
vault.tree.pop(sha(lp("org.coffer.tree.log")), None)
assert not vault.tree, "the tree has an entry without a row"
if items != given.get("items"):
    sys.exit(json.dumps(items, indent=2, ensure_ascii=False))
print(f"{len(items)} items, as expected")
