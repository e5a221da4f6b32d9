"""A keyring with texts that a vault does not take as they are, such as noncharacters of Unicode. usage: keyring.py

It says “ready” when it serves the bus, and ends with it.
"""
from jeepney import HeaderFields, MessageType, message_bus, new_error, new_method_return
from jeepney.io.blocking import open_dbus_connection

NAME = "org.freedesktop.secrets"
ROOT = "/org/freedesktop/secrets"
ODD = ROOT + "/collection/odd"
# Labels and attributes, by the last words of the paths.
ITEMS = {
    "1": ("first", {"a": "1"}), "2": ("sec\uffffond", {"a": "2"}), "3": ("third", {"a": "\ufdd0"}), "4": ("fourth", {}),
    # Its name takes long to compare.
    "5": ("fifth", {"e" + "\u0301" * 300: "v"}),
}


def properties(path):
    if path == ROOT:
        return {"Collections": ("ao", [ODD])}
    if path == ODD:
        items = [f"{ODD}/{word}" for word in ITEMS]
        return {"Label": ("s", "Odd\ufffe"), "Locked": ("b", False), "Items": ("ao", items)}
    label, attributes = ITEMS[path.rsplit("/", 1)[1]]
    return {"Label": ("s", label), "Attributes": ("a{ss}", attributes), "Locked": ("b", False), "Created": ("t", 1),
            "Modified": ("t", 2)}


def answer(call):
    fields = call.header.fields
    member = fields[HeaderFields.member]
    if member == "OpenSession":
        return new_method_return(call, "vo", (("s", ""), ROOT + "/session/s"))
    if member == "Get":
        return new_method_return(call, "v", (properties(fields[HeaderFields.path])[call.body[1]],))
    if member == "GetSecret":
        return new_method_return(call, "(oayays)", ((call.body[0], b"", b"pw", "text/plain"),))
    return new_error(call, "org.freedesktop.DBus.Error.UnknownMethod", "s", (member,))


connection = open_dbus_connection(bus="SESSION")
reply = connection.send_and_get_reply(message_bus.RequestName(NAME, 4), timeout=600)
assert reply.body == (1,), reply.body
print("ready", flush=True)
while True:
    try:
        message = connection.receive()
    except ConnectionResetError:
        break
    if message.header.message_type == MessageType.method_call:
        connection.send(answer(message))
