#!/usr/bin/env python3
"""Makes and checks the vectors of a circle, by docs/sync-format.md and docs/sync-members.md alone.

usage: circle.py FILE.json          compares what the file says with what this program computes
       circle.py --make FILE.json   writes a new file, with new signatures
"""
import hashlib
import hmac
import json
import struct
import sys

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, x25519
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551
VERSION = struct.pack(">H", 1)
BASE32 = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def u32(number): return struct.pack(">I", number)
def u64(number): return struct.pack(">Q", number)
def lp(data): return u32(len(data)) + data
def domain(name): return lp(b"org.coffer.circle." + name)
def sha(data): return hashlib.sha256(data).digest()
def listed(parts): return u32(len(parts)) + b"".join(parts)


def hkdf(key, salt, info):
    """RFC 5869 with HMAC-SHA-256, for 32 bytes."""
    extracted = hmac.new(salt or bytes(32), key, hashlib.sha256).digest()
    return hmac.new(extracted, info + b"\x01", hashlib.sha256).digest()


def point(private):
    return private.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def scalar(text): return ec.derive_private_key(int.from_bytes(sha(text.encode()), "big") % (ORDER - 1) + 1, ec.SECP256R1())


def sign(private, data):
    r, s = decode_dss_signature(private.sign(data, ec.ECDSA(hashes.SHA256())))
    return r.to_bytes(32, "big") + min(s, ORDER - s).to_bytes(32, "big")


def is_signed(key, signature, data):
    r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
    if len(signature) != 64 or s > ORDER // 2:
        return False
    try:
        ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), key).verify(encode_dss_signature(r, s), data, ec.ECDSA(hashes.SHA256()))
        return True
    except InvalidSignature:
        return False


def padme(length):
    if length <= 64:
        return 64
    exponent = length.bit_length() - 1
    step = 1 << (exponent - exponent.bit_length())
    return (length + step - 1) // step * step


def pad(body):
    plain = lp(body)
    return plain + bytes(padme(len(plain)) - len(plain))


def raised(signature):
    """The other signature that the curve takes for the same bytes: s and n − s."""
    return signature[:32] + (ORDER - int.from_bytes(signature[32:], "big")).to_bytes(32, "big")


class Device:
    def __init__(self, name):
        self.name = name
        self.membership, self.stream = scalar(name + " membership"), scalar(name + " stream")
        receiving = b"".join(public(x25519_key(f"{name} {one}")) for one in CLASSES)
        self.guards = [scalar(f"{name} {one}") for one in GUARDS]
        guards = b"".join(point(one) for one in self.guards)
        self.keys = point(self.membership) + point(self.stream) + receiving + guards + sha((name + " random").encode())
        self.id = device_id(self.keys)


def device_id(keys): return sha(domain(b"device") + keys)[:16]


def predecessor(end): return b"\x01" + end if end else b"\x00"
def first_chain(circle, device, run, before): return sha(domain(b"run") + circle + device + run + predecessor(before))
def next_chain(chain, record): return sha(domain(b"chain") + chain + lp(record))


def header(circle, device, run, number, generation): return VERSION + circle + device + run + u64(number) + generation
def record_key(half, head): return hkdf(half, head[-32:], domain(b"record") + head)


def record(head, half, body, nonce):
    return head + lp(nonce + AESGCM(record_key(half, head)).encrypt(nonce, pad(body), head))


def opened(data, half):
    head, sealed = data[:106], data[110:]
    assert len(sealed) == int.from_bytes(data[106:110], "big") and padme(len(sealed) - 28) == len(sealed) - 28, "length"
    plain = AESGCM(record_key(half, head)).decrypt(sealed[:12], sealed[12:], head)
    length = int.from_bytes(plain[:4], "big")
    assert len(plain) == padme(4 + length) and not any(plain[4 + length:]), "padding"
    return plain[4:4 + length]


def x25519_key(text): return x25519.X25519PrivateKey.from_private_bytes(sha(text.encode()))
def public(private): return private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
def agreed(private, other, info): return hkdf(lp(private.exchange(x25519.X25519PublicKey.from_public_bytes(other))), b"", info)


CLASSES = ("when unlocked", "after first unlock", "always")
GUARDS = ("presence", "biometry-any", "passcode")
GUARDED, NAME = bytes([1, 1, 0, 0, 0, 1]), (b"github", b"me", b"generic")
ITEM, FIELD, REVISION, ACCESS = sha(b"item")[:16], b"secret", sha(b"revision")[:16], bytes([1, 1, 0, 0, 0, 0])


def half_info(circle, device, half, receiving, ephemeral):
    return lp(b"org.coffer.circle.half") + b"".join(lp(one) for one in (circle, device, half, receiving, ephemeral))


def sealed_halves(circle, halves, device):
    """A receiver's part of a generation."""
    parts = []
    for half, name in zip(halves, CLASSES):
        ephemeral, receiving = x25519_key(f"{device.name} {name} ephemeral"), public(x25519_key(f"{device.name} {name}"))
        info = half_info(circle, device.id, public(x25519.X25519PrivateKey.from_private_bytes(half)), receiving, public(ephemeral))
        nonce = sha(f"{device.name} {name} nonce".encode())[:12]
        parts.append(public(ephemeral) + nonce + AESGCM(agreed(ephemeral, receiving, info)).encrypt(nonce, half, info))
    return device.id + b"".join(parts)


def change(writer, part, content, name=b""):
    return domain(b"change") + ITEM + bytes([part]) + lp(name) + u64(1767225600000) + writer + listed([]) + b"\x01" + content


def carried(one, value=None): return lp(one) + (b"\x01" + lp(value) if value else b"\x00")
def bound(name): return lp(b"org.coffer." + name) + lp(struct.pack(">H", 3)) + lp(ITEM) + lp(FIELD) + lp(REVISION) + lp(ACCESS)


def slot_info(circle, generation, half, ephemeral):
    return lp(b"org.coffer.circle.slot") + b"".join(lp(one) for one in (circle, generation, b"\x01", ITEM, FIELD, REVISION, ACCESS, half, ephemeral))


def carried_value(circle, generation, half, writer):
    """A value of the class when-unlocked, with a slot for the generation's members."""
    key, nonce = sha(b"item key"), sha(b"value nonce")[:12]
    sealed = nonce + AESGCM(key).encrypt(nonce, pad(b"a secret"), bound(b"value"))
    ephemeral, other = x25519_key("slot ephemeral"), sha(b"slot nonce")[:12]
    info = slot_info(circle, generation, half, public(ephemeral))
    slot = b"\x01\x01" + public(ephemeral) + other + AESGCM(agreed(ephemeral, half, info)).encrypt(other, key, info)
    value = lp(b"secret") + ITEM + hmac.new(key, bound(b"commitment"), hashlib.sha256).digest() + listed([lp(slot)]) + lp(sealed)
    return carried(change(writer, 8, b"\x06" + REVISION + sha(sealed) + ACCESS, FIELD), value)


def guarded_info(circle, device, receiving, guard, prefix):
    """What a slot for one device is bound to: a value that asks for the presence of that device's person."""
    name = sha(lp(b"org.coffer.name") + b"".join(lp(one) for one in (*NAME, FIELD)))
    parts = (circle, device, ITEM, FIELD, REVISION, GUARDED, name, prefix, receiving, guard)
    return name, lp(b"org.coffer.circle.guarded") + lp(struct.pack(">H", 3)) + b"".join(lp(one) for one in parts)


def point_of(data): return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), data)


def guarded_slot(circle, device, key):
    """The item key for a device, under its key of the class and its key that demands presence."""
    ephemeral, guard = x25519_key("guarded ephemeral"), scalar("guarded point")
    prefix = bytes([0, 1, 0, 0, 1]) + public(ephemeral) + point(guard)
    receiving, demanded = device.keys[130:162], device.keys[226:291]
    name, info = guarded_info(circle, device.id, receiving, demanded, prefix)
    shared = lp(ephemeral.exchange(x25519.X25519PublicKey.from_public_bytes(receiving))) + lp(guard.exchange(ec.ECDH(), point_of(demanded)))
    nonce = sha(b"guarded nonce")[:12]
    return b"\x02" + device.id + name + prefix + nonce + AESGCM(hkdf(shared, b"", info)).encrypt(nonce, key, info)


def segment(records, before):
    return domain(b"segment") + VERSION + records[0][2:66] + before + listed([lp(one) for one in records])


def head_bytes(circle, device, run, before, number, chain, time, digest, seen):
    return (domain(b"head") + VERSION + circle + device + run + predecessor(before) + u64(number) + chain + u64(time) + digest + listed(seen))


def longer(records, before):
    """The segment with a byte too many: behind its last record, behind what that record seals, and behind itself."""
    *former, last = records
    counted = last[:106] + lp(last[110:] + b"\x00")
    return [segment(former + [last + b"\x00"], before), segment(former + [counted], before), segment(records, before) + b"\x00"]


def characters(digest, count):
    bits = int.from_bytes(digest, "big")
    return "".join(BASE32[bits >> (len(digest) * 8 - 5 * (index + 1)) & 31] for index in range(count))


def join_code(request):
    secret = characters(sha(domain(b"join") + lp(request)), 25)
    return secret + characters(sha(domain(b"join.checksum") + lp(secret.encode())), 5)


PAPER_SIGNING, PAPER_RECEIVING = ("membership", "stream"), ("when-unlocked", "after-first-unlock", "always")


def paper_code(secret): return secret + characters(sha(domain(b"paper.checksum") + lp(secret.encode())), 5)


def paper_key(secret, circle, name, number=0): return hkdf(secret.encode(), circle, lp(b"org.coffer.circle.paper") + lp(name.encode()) + bytes([number]))


def paper_scalar(secret, circle, name):
    for number in range(255):
        value = int.from_bytes(paper_key(secret, circle, name, number), "big")
        if 0 < value < ORDER:
            return ec.derive_private_key(value, ec.SECP256R1())
    raise AssertionError("no key")


def paper_receiving(secret, circle, name): return x25519.X25519PrivateKey.from_private_bytes(paper_key(secret, circle, name))


def paper_keys(secret, circle):
    return (b"".join(point(paper_scalar(secret, circle, name)) for name in PAPER_SIGNING)
            + b"".join(public(paper_receiving(secret, circle, name)) for name in PAPER_RECEIVING)
            + b"".join(point(paper_scalar(secret, circle, name)) for name in GUARDS) + paper_key(secret, circle, "random"))


def envelope_info(circle, device, receiving, ephemeral): return domain(b"envelope") + b"".join(lp(one) for one in (circle, device, receiving, ephemeral))


def shown(code): return "JOIN-" + "-".join(code[index:index + 5] for index in range(0, 30, 5))


def check_words(circle, request):
    number = int.from_bytes(sha(domain(b"check") + circle + sha(request))[:8], "big")
    return [number // 1296 ** power % 1296 for power in (4, 3, 2, 1, 0)]


class Take:
    """Reads from the front, and never past the end."""
    def __init__(self, data): self.data = data

    def take(self, count):
        assert 0 <= count <= len(self.data), "cut off"
        part, self.data = self.data[:count], self.data[count:]
        return part

    def number(self, count): return int.from_bytes(self.take(count), "big")
    def lp(self): return self.take(self.number(4))
    def list(self, one): return [one() for _ in range(self.number(4))]
    def end(self): assert not self.data, "too long"


def make():
    desk, laptop = Device("desk"), Device("laptop")
    founding = domain(b"statement") + b"\x01" + desk.keys
    circle = sha(founding)
    addition = domain(b"statement") + b"\x02" + circle + desk.id + listed([circle]) + b"\x03" + laptop.keys
    phone = Device("phone")
    halves = [sha(f"half {index}".encode()) for index in range(3)]
    publics = b"".join(public(x25519.X25519PrivateKey.from_private_bytes(one)) for one in halves)
    generation = domain(b"generation") + circle + desk.id + sha(domain(b"removals") + listed([])) + publics + listed(sorted(sealed_halves(circle, halves, one) for one in (desk, laptop)))
    name = sha(generation)
    giving = domain(b"statement") + b"\x05" + circle + desk.id + listed([sha(addition)]) + b"\x01" + phone.keys + name
    run, later = sha(b"first run")[:16], sha(b"second run")[:16]
    signatures = [sign(desk.membership, one) for one in (founding, addition)]
    bodies = [(bytes(32), b"\x01" + signatures[0] + founding), (bytes(32), b"\x02" + generation), (name, b"\x01" + signatures[1] + addition),
              (name, b"\x03" + listed([carried(change(desk.id, 1, b"\x01" + lp(b"generic") + lp(b"github") + lp(b"me"))),
                                          carried_value(circle, name, publics[:32], desk.id)])), (name, b"\x04" + listed([laptop.id + later + u64(4) + sha(b"chain")]))]
    chain, ends, records = first_chain(circle, desk.id, run, None), [], []
    ends.append(run + u64(0) + chain)
    for number, (sealed_to, body) in enumerate(bodies, 1):
        head = header(circle, desk.id, run, number, sealed_to)
        records.append(record(head, halves[2] if any(sealed_to) else bytes(32), body, sha(b"nonce" + u64(number))[:12]))
        chain = next_chain(chain, records[-1])
        ends.append(run + u64(number) + chain)
    # A vault that was rolled back to its third record goes on with another run.
    chain, second = first_chain(circle, desk.id, later, ends[3]), []
    second_start = chain
    head = header(circle, desk.id, later, 4, name)
    another = b"\x03" + listed([carried(change(desk.id, 3, b"\x03" + lp(b"another label")))])
    second.append(record(head, halves[2], another, sha(b"later nonce")[:12]))
    chain = next_chain(chain, second[0])
    heads = [head_bytes(circle, desk.id, run, None, 5, ends[5][24:], 1767225600000, sha(b"state"), [laptop.id + later + u64(4) + sha(b"chain")]),
             head_bytes(circle, desk.id, later, ends[3], 4, chain, 1767225700000, sha(b"other state"), [])]
    heads = [one + sign(desk.stream, one) for one in heads]
    # Another record of the first run's last number: with the first head, a fork.
    other = record(header(circle, desk.id, run, 5, name), halves[2], b"\x03" + listed([carried(change(desk.id, 4, b"\x03" + lp(b"by a copy")))]), sha(b"fork nonce")[:12])
    fork = head_bytes(circle, desk.id, run, None, 5, next_chain(ends[4][24:], other), 1767225800000, sha(b"state"), [])
    # The same end, signed again after a crash.
    again = head_bytes(circle, desk.id, run, None, 5, ends[5][24:], 1767225650000, sha(b"state"), [])
    one_time = x25519.X25519PrivateKey.from_private_bytes(sha(b"one-time"))
    request = domain(b"request") + VERSION + laptop.keys + public(one_time) + b"\x01" + lp(b"laptop") + u64(1767225600000)
    code = join_code(request)
    ephemeral = x25519.X25519PrivateKey.from_private_bytes(sha(b"ephemeral"))
    info = domain(b"answer.keys") + circle + sha(request) + public(ephemeral)
    key = hkdf(lp(ephemeral.exchange(one_time.public_key())), b"", info)
    nonce = sha(b"keys nonce")[:12]
    statements = sorted(zip((founding, addition), signatures), key=lambda one: sha(one[0]))
    answer = (domain(b"answer") + VERSION + sha(request) + circle + desk.id + listed([signature + lp(one) for one, signature in statements])
              + listed([sha(generation)]) + lp(generation) + listed([lp(heads[1])]) + listed([desk.id + b"\x01" + lp(b"desk")]) + public(ephemeral) + lp(nonce + AESGCM(key).encrypt(nonce, b"".join(halves), info)))
    secret = code[:25].encode()
    written = characters(sha(b"paper"), 25)
    paper, always = paper_keys(written, circle), public(paper_receiving(written, circle, "always"))
    sender = x25519_key("paper ephemeral")
    front = device_id(paper) + u64(1767225600000) + listed([name]) + public(sender)
    content = listed([lp(signature + one) for one, signature in statements]) + listed([lp(generation) + sealed_halves(circle, halves, desk)[16:]])
    nonce = sha(b"paper nonce")[:12]
    sealed = nonce + AESGCM(agreed(sender, always, envelope_info(circle, device_id(paper), always, public(sender)))).encrypt(nonce, content, circle + front)
    paper_record = record(header(circle, desk.id, run, 6, bytes(32)), bytes(32), b"\x08" + front + lp(sealed), sha(b"paper record")[:12])
    return {
        "keys": {"desk": desk.keys.hex(), "laptop": laptop.keys.hex()}, "devices": {"desk": desk.id.hex(), "laptop": laptop.id.hex()},
        "circle": circle.hex(), "statements": [{"bytes": one.hex(), "signature": signature.hex(), "name": sha(one).hex()} for one, signature in statements],
        "giving": {"bytes": giving.hex(), "signature": sign(desk.membership, giving).hex(), "name": sha(giving).hex(), "device": phone.id.hex()},
        "generation": generation.hex(), "generationName": name.hex(), "metadataHalf": halves[2].hex(), "halves": b"".join(halves).hex(),
        "segments": [segment(records, ends[0][24:]).hex(), segment(second, second_start).hex()],
        "bodies": [body.hex() for _, body in bodies] + [another.hex()], "ends": [one.hex() for one in ends],
        "heads": [one.hex() for one in heads], "leftBehind": ends[3].hex(),
        "forkSegment": segment([other], ends[4][24:]).hex(), "forkHead": (fork + sign(desk.stream, fork)).hex(),
        "raisedHead": (heads[0][:-64] + raised(heads[0][-64:])).hex(), "headAgain": (again + sign(desk.stream, again)).hex(),
        "longerSegments": [one.hex() for one in longer(records, ends[0][24:])],
        "request": request.hex(), "code": shown(code), "checkWords": check_words(circle, request), "answer": answer.hex(),
        "paperCode": "PAPER" + shown(paper_code(written))[4:], "paperKeys": paper.hex(), "paperRecord": paper_record.hex(), "paperContent": content.hex(),
        "receivingKeys": {one.name: [sha(f"{one.name} {kind}".encode()).hex() for kind in CLASSES] for one in (desk, laptop)},
        "value": {"body": 3, "item": ITEM.hex(), "revision": REVISION.hex(), "itemKey": sha(b"item key").hex(), "plain": b"a secret".hex()},
        "guarded": {"service": "github", "account": "me", "item": ITEM.hex(), "revision": REVISION.hex(), "access": GUARDED.hex(), "itemKey": sha(b"item key").hex(),
                    "receivingKey": sha(b"laptop when unlocked").hex(), "presenceKey": laptop.guards[0].private_numbers().private_value.to_bytes(32, "big").hex(),
                    "slot": guarded_slot(circle, laptop, sha(b"item key")).hex()},
        "compaction": compaction(circle, name, halves[0], run, desk.id, laptop.id),
        "oneTimeKey": sha(b"one-time").hex(), "place": hkdf(secret, b"", b"org.coffer.circle.join.name")[:16].hex(),
        "requestKey": hkdf(secret, b"", b"org.coffer.circle.join.request").hex(), "answerKey": hkdf(secret, b"", b"org.coffer.circle.join.answer").hex(),
    }


def compaction(circle, name, half, run, desk, laptop):
    """The bodies of a compaction, in a record with the number 9."""
    plain, names = b"a former secret", [5, 2**63]
    digest = hkdf(half + plain, name, domain(b"past") + ITEM)[:8]
    past = listed([u64(one) for one in names]) + listed([name + listed([digest])])
    summary = u32(2) + u64(3) + listed([run + u64(5)]) + listed([laptop + run + u64(4) + sha(b"an end")])
    return {"again": (b"\x09" + name + b"\x06\x01" + lp(b"desk")).hex(), "past": (b"\x0a" + past).hex(), "summary": (b"\x0b" + summary).hex(),
            "device": desk.hex(), "run": run.hex(), "plain": plain.hex(), "half": half.hex(), "item": ITEM.hex(), "digest": digest.hex(), "names": [f"{one:016x}" for one in names]}


def check_compaction(given):
    """Each body by the page."""
    one = given["compaction"]
    again, past, summary = (Take(bytes.fromhex(one[kind])) for kind in ("again", "past", "summary"))
    assert again.number(1) == 9 and again.take(32).hex() == given["generationName"], "a body that is said again"
    assert again.number(1) == 6 and again.number(1) == 1 and again.lp() == b"desk", "a profile"
    again.end()
    assert past.number(1) == 10 and [f"{one:016x}" for one in past.list(lambda: past.number(8))] == one["names"], "names"
    (name, digests), = past.list(lambda: (past.take(32), past.list(lambda: past.take(8))))
    past.end()
    digest = hkdf(bytes.fromhex(one["half"]) + bytes.fromhex(one["plain"]), name, domain(b"past") + bytes.fromhex(one["item"]))[:8]
    assert digests == [digest] and digest.hex() == one["digest"], "a value's digest"
    assert summary.number(1) == 11 and summary.number(4) == 2 and summary.number(8) == 3, "a summary"
    assert summary.list(lambda: (summary.take(16).hex(), summary.number(8))) == [(one["run"], 5)], "former runs"
    assert [device.hex() for device, _ in summary.list(lambda: (summary.take(16), summary.take(56)))] == [given["devices"]["laptop"]], "ends"
    summary.end()


def check(given):
    """What the file holds, read by the page. Signatures are random, so they are verified and not compared."""
    check_compaction(given)
    def raw(name): return bytes.fromhex(given[name])
    keys = {name: bytes.fromhex(one) for name, one in given["keys"].items()}
    for name, one in keys.items():
        assert device_id(one).hex() == given["devices"][name], "a device's id"
    desk, circle = keys["desk"], raw("circle")
    membership, stream = desk[:65], desk[65:130]
    for one in given["statements"]:
        data = bytes.fromhex(one["bytes"])
        assert sha(data).hex() == one["name"], "a statement's name"
        assert is_signed(membership, bytes.fromhex(one["signature"]), data), "a statement's signature"
    assert given["circle"] in [one["name"] for one in given["statements"]], "the circle"
    assert sha(raw("generation")).hex() == given["generationName"], "the generation's name"
    # An addition that gives the generation's keys, to a device that is none of its receivers.
    one = given["giving"]
    data = bytes.fromhex(one["bytes"])
    assert sha(data).hex() == one["name"] and is_signed(membership, bytes.fromhex(one["signature"]), data), "a giving statement"
    part = Take(data[len(domain(b"statement")):])
    assert part.take(1) == b"\x05" and part.take(32) == circle and part.take(16) == device_id(desk), "a giving statement's place"
    past, role, added, generation = part.list(lambda: part.take(32)), part.take(1), part.take(453), part.take(32)
    part.end()
    assert all(name.hex() in [one["name"] for one in given["statements"]] for name in past) and role == b"\x01", "a giving statement's past"
    assert device_id(added).hex() == one["device"] and generation == sha(raw("generation")), "what a giving statement gives"
    # The generation: each receiver opens its three halves.
    part = Take(raw("generation")[len(domain(b"generation")):])
    assert part.take(32) == circle and part.take(16) == device_id(desk), "the generation's place"
    assert part.take(32) == sha(domain(b"removals") + listed([])), "the generation's removals"
    publics = part.take(96)
    for device, sealed in part.list(lambda: (part.take(16), part.take(276))):
        name = next(one for one, id in given["devices"].items() if id == device.hex())
        for place, private in enumerate(given["receivingKeys"][name]):
            private, one = x25519.X25519PrivateKey.from_private_bytes(bytes.fromhex(private)), sealed[place * 92:(place + 1) * 92]
            info = half_info(circle, device, publics[place * 32:(place + 1) * 32], public(private), one[:32])
            half = AESGCM(agreed(private, one[:32], info)).decrypt(one[32:44], one[44:], info)
            assert half == raw("halves")[place * 32:(place + 1) * 32], "a half"
            assert public(x25519.X25519PrivateKey.from_private_bytes(half)) == publics[place * 32:(place + 1) * 32], "a public half"
    part.end()
    # Segments: each record opens, and its chain hash leads to an end.
    chains, bodies, ends = {}, [], []
    for text in given["segments"] + [given["forkSegment"]]:
        data = Take(bytes.fromhex(text))
        assert data.take(len(domain(b"segment"))) == domain(b"segment") and data.take(2) == VERSION, "a segment's domain"
        assert data.take(32) == circle and data.take(16) == device_id(desk), "a segment's place"
        run, chain = data.take(16), data.take(32)
        ends.append((run, chain))
        for one in data.list(data.lp):
            bodies.append(opened(one, raw("metadataHalf") if any(one[74:106]) else bytes(32)))
            before, chain = chain, next_chain(chain, one)
            chains[chain] = (before, run, int.from_bytes(one[66:74], "big"))
        data.end()
    assert [one.hex() for one in bodies[:-1]] == given["bodies"], "a body"
    # A value: the slot gives the item key, the key fits the commitment, and opens the value.
    part = Take(bodies[given["value"]["body"]][1:])
    part.number(4), part.lp(), part.number(1)
    change_bytes, has_value = part.lp(), part.number(1)
    assert has_value and change_bytes.startswith(domain(b"change")), "a change"
    value = Take(part.lp())
    part.end()
    assert value.lp() == b"secret" and value.take(16) == ITEM, "a value's item"
    commitment, slots, sealed = value.take(32), value.list(value.lp), value.lp()
    value.end()
    assert change_bytes.endswith(REVISION + sha(sealed) + ACCESS), "a value's digest"
    info = slot_info(circle, raw("generationName"), publics[:32], slots[0][2:34])
    half = x25519.X25519PrivateKey.from_private_bytes(raw("halves")[:32])
    key = AESGCM(agreed(half, slots[0][2:34], info)).decrypt(slots[0][34:46], slots[0][46:], info)
    assert key.hex() == given["value"]["itemKey"] and commitment == hmac.new(key, bound(b"commitment"), hashlib.sha256).digest(), "an item key"
    plain = AESGCM(key).decrypt(sealed[:12], sealed[12:], bound(b"value"))
    assert plain[4:4 + int.from_bytes(plain[:4], "big")].hex() == given["value"]["plain"], "a value"
    # A slot for the laptop alone: its key of the class and the one that demands presence give the item key.
    one = given["guarded"]
    slot, laptop = Take(bytes.fromhex(one["slot"])), keys["laptop"]
    assert slot.number(1) == 2 and slot.take(16) == device_id(laptop), "a guarded slot's device"
    name, prefix = slot.take(32), slot.take(102)
    assert prefix[:5] == bytes([0, 1, 0, 0, 1]), "a guarded slot's shape"
    receiving, presence = x25519.X25519PrivateKey.from_private_bytes(bytes.fromhex(one["receivingKey"])), ec.derive_private_key(int(one["presenceKey"], 16), ec.SECP256R1())
    assert public(receiving) == laptop[130:162] and point(presence) == laptop[226:291], "the laptop's keys"
    bound_name, info = guarded_info(circle, device_id(laptop), laptop[130:162], laptop[226:291], prefix)
    assert name == bound_name, "a guarded slot's name"
    shared = lp(receiving.exchange(x25519.X25519PublicKey.from_public_bytes(prefix[5:37]))) + lp(presence.exchange(ec.ECDH(), point_of(prefix[37:])))
    assert AESGCM(hkdf(shared, b"", info)).decrypt(slot.take(12), slot.data, info).hex() == one["itemKey"], "a guarded item key"
    # Heads: well signed, and a walk back along the chain ends where the run began.
    for text in given["heads"] + [given["forkHead"], given["headAgain"]]:
        data = bytes.fromhex(text)
        assert is_signed(stream, data[-64:], data[:-64]), "a head's signature"
        part = Take(data[len(domain(b"head")):-64])
        assert data.startswith(domain(b"head")) and part.take(2) == VERSION, "a head's domain"
        assert part.take(32) == circle and part.take(16) == device_id(desk), "a head's place"
        run = part.take(16)
        before = part.take(56) if part.number(1) else None
        number, chain = part.number(8), part.take(32)
        part.take(40)
        part.list(lambda: part.take(72))
        part.end()
        start = first_chain(circle, device_id(desk), run, before)
        while chain != start:
            assert chain in chains and chains[chain][1:] == (run, number), "a chain"
            chain, number = chains[chain][0], number - 1
        assert number == (int.from_bytes(before[16:24], "big") if before else 0), "a run's first number"
        if before:
            assert before.hex() == given["leftBehind"] and before.hex() in given["ends"], "a predecessor"
    # A paper.
    written = given["paperCode"].replace("-", "")[5:]
    assert given["paperCode"].startswith("PAPER-") and written == paper_code(written[:25]), "the paper's code"
    assert paper_keys(written[:25], circle) == raw("paperKeys"), "the paper's keys"
    body = Take(opened(raw("paperRecord"), bytes(32)))
    assert raw("paperRecord")[74:106] == bytes(32) and body.number(1) == 8, "the paper's record"
    whole, device = body.data, body.take(16)
    assert device == device_id(raw("paperKeys")) and body.number(8) and body.list(lambda: body.take(32)) == [raw("generationName")], "the paper's generations"
    ephemeral = body.take(32)
    front, sealed, always = whole[:len(whole) - len(body.data)], body.lp(), paper_receiving(written[:25], circle, "always")
    body.end()
    key = agreed(always, ephemeral, envelope_info(circle, device, public(always), ephemeral))
    assert AESGCM(key).decrypt(sealed[:12], sealed[12:], circle + front) == raw("paperContent"), "what the paper is sent"
    # One end has one signature that counts, however often it is signed, and a record has one form.
    raised_head, first_head = raw("raisedHead"), bytes.fromhex(given["heads"][0])
    assert raised_head[:-64] == first_head[:-64] and raised_head[-64:] == raised(first_head[-64:]), "a raised signature"
    r, s = (int.from_bytes(raised_head[place:place + 32], "big") for place in (len(raised_head) - 64, len(raised_head) - 32))
    point_of(stream).verify(encode_dss_signature(r, s), raised_head[:-64], ec.ECDSA(hashes.SHA256()))
    assert not is_signed(stream, raised_head[-64:], raised_head[:-64]), "a raised signature counts"
    first_segment, place = bytes.fromhex(given["segments"][0]), len(domain(b"segment")) + 66
    part = Take(first_segment[place + 32:])
    assert given["longerSegments"] == [one.hex() for one in longer(part.list(part.lp), first_segment[place:place + 32])], "a byte too many"
    # Joining.
    request, code = raw("request"), given["code"].replace("-", "")
    assert code == "JOIN" + join_code(request), "the code"
    assert check_words(circle, request) == given["checkWords"], "the check words"
    secret = code[4:29].encode()
    for name, info in (("requestKey", b"org.coffer.circle.join.request"), ("answerKey", b"org.coffer.circle.join.answer")):
        assert hkdf(secret, b"", info).hex() == given[name] == HKDF(hashes.SHA256(), 32, None, info).derive(secret).hex(), name
    assert hkdf(secret, b"", b"org.coffer.circle.join.name")[:16].hex() == given["place"], "the place"
    answer = Take(raw("answer"))
    assert answer.take(len(domain(b"answer"))) == domain(b"answer") and answer.take(2) == VERSION, "the answer's domain"
    assert answer.take(32) == sha(request) and answer.take(32) == circle and answer.take(16) == device_id(desk), "the answer's place"
    names = [sha(one[1]).hex() for one in answer.list(lambda: (answer.take(64), answer.lp()))]
    assert names == sorted(one["name"] for one in given["statements"]), "the answer's statements"
    assert answer.list(lambda: answer.take(32)) == [sha(raw("generation"))] and answer.lp() == raw("generation") and answer.list(answer.lp) == [bytes.fromhex(given["heads"][1])], "the answer's lists"
    assert answer.list(lambda: (answer.take(16), answer.number(1), answer.lp())) == [(device_id(desk), 1, b"desk")], "the answer's profiles"
    ephemeral, sealed = answer.take(32), answer.lp()
    answer.end()
    info = domain(b"answer.keys") + circle + sha(request) + ephemeral
    shared = x25519.X25519PrivateKey.from_private_bytes(raw("oneTimeKey")).exchange(x25519.X25519PublicKey.from_public_bytes(ephemeral))
    assert AESGCM(hkdf(lp(shared), b"", info)).decrypt(sealed[:12], sealed[12:], info) == raw("halves"), "the answer's keys"


def main():
    if sys.argv[1] == "--make":
        with open(sys.argv[2], "w", encoding="utf-8") as file:
            json.dump(make(), file, indent=2)
            file.write("\n")
        return
    with open(sys.argv[1], encoding="utf-8") as file:
        check(json.load(file))


main()
