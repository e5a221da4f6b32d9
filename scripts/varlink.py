"""Reads a Varlink interface file, strictly by the grammar of varlink.org. scripts/interfaces uses it."""
import re
from dataclasses import dataclass, field

TOKEN = re.compile(r"\s+|(?P<comment>#[^\n]*)|(?P<token>->|[\[\]?():,]|[A-Za-z][A-Za-z0-9_.\-]*)")
PLAIN = {"bool", "int", "float", "string", "object", "any"}


class Problem(Exception):
    """A mistake in the file, as a line for its author."""


@dataclass
class Token:
    text: str
    line: int
    comment: list[str]


@dataclass
class Kind:
    """A member's type. form: plain, name, array, dictionary, struct, or enum for a member without a type."""
    form: str
    name: str = ""
    element: "Kind | None" = None
    optional: bool = False


@dataclass
class Member:
    name: str
    kind: Kind
    comment: list[str] = field(compare=False)


@dataclass
class Declaration:
    keyword: str
    name: str
    comment: list[str]
    members: list[Member]
    reply: list[Member]


class Interface:
    """The file as it was read. Every comment must be directly above the thing that it describes."""

    def __init__(self, text):
        self.text, self.used, self.declarations = text, [], {}
        self.tokens = tokens(text)
        self.comment = self.take("interface", commented=True).comment
        self.name = self.take(r"[A-Za-z](-*[A-Za-z0-9])*(\.[A-Za-z0-9](-*[A-Za-z0-9])*)+").text
        while self.tokens:
            self.declaration()
        for used in self.used:
            if used.text not in self.declarations or self.declarations[used.text].keyword != "type":
                raise Problem(f"line {used.line}: there is no type {used.text}")

    def take(self, expected, commented=False):
        if not self.tokens:
            raise Problem("the file ends too early")
        token = self.tokens.pop(0)
        if not re.fullmatch(expected, token.text):
            raise Problem(f"line {token.line}: found {token.text!r}, expected {expected}")
        if token.comment and not commented:
            raise Problem(f"line {token.line}: the comment above it stands in the middle of something")
        return token

    def next_is(self, text):
        return bool(self.tokens) and self.tokens[0].text == text

    def take_if(self, text):
        return self.take(re.escape(text)) if self.next_is(text) else None

    def declaration(self):
        keyword = self.take("type|method|error", commented=True)
        name = self.take(r"[A-Z][A-Za-z0-9]*")
        if name.text in self.declarations:
            raise Problem(f"line {name.line}: {name.text} is there twice")
        members, reply = self.members(may_be_enum=keyword.text == "type"), []
        if keyword.text == "method":
            self.take("->")
            reply = self.members()
        self.declarations[name.text] = Declaration(keyword.text, name.text, keyword.comment, members, reply)

    def members(self, may_be_enum=False):
        opening, found = self.take(r"\("), {}
        while not self.next_is(")") or found:
            name = self.take(r"[A-Za-z](_?[A-Za-z0-9])*", commented=True)
            if name.text in found:
                raise Problem(f"line {name.line}: {name.text!r} stands here twice")
            typed = self.take_if(":") if may_be_enum else self.take(":")
            found[name.text] = Member(name.text, self.kind() if typed else Kind("enum"), name.comment)
            if not self.take_if(","):
                break
        self.take(r"\)")
        if len({member.kind.form == "enum" for member in found.values()}) > 1:
            raise Problem(f"line {opening.line}: some members have a type, and some have none")
        return list(found.values())

    def kind(self):
        if question := self.take_if("?"):
            kind = self.kind()
            if kind.optional:
                raise Problem(f"line {question.line}: a type has one question mark at most")
            kind.optional = True
            return kind
        if self.take_if("["):
            form = "dictionary" if self.take_if("string") else "array"
            self.take(r"\]")
            return Kind(form, element=self.kind())
        if self.next_is("("):
            self.members(may_be_enum=True)
            return Kind("struct")
        name = self.take(r"[A-Za-z][A-Za-z0-9]*")
        if name.text in PLAIN:
            return Kind("plain", name.text)
        self.used.append(name)
        return Kind("name", name.text)


def tokens(text):
    """The file's tokens, each with the lines of comment directly above it."""
    found, comment, position = [], [], 0
    while position < len(text):
        match = TOKEN.match(text, position)
        line = text.count("\n", 0, position) + 1
        if not match:
            raise Problem(f"line {line}: unexpected {text[position]!r}")
        if match["comment"]:
            if text[text.rfind("\n", 0, position) + 1:position].strip():
                raise Problem(f"line {line}: a comment has lines of its own, above what it is about")
            comment.append(match["comment"][1:].strip())
        elif match["token"]:
            found.append(Token(match["token"], line, comment))
            comment = []
        elif comment and match[0].count("\n") > 1:
            break
        position = match.end()
    if comment:
        raise Problem(f"line {line}: there is nothing directly below this comment")
    return found
