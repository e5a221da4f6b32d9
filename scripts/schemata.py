"""Many mutants in one build. Each is a branch beside the unchanged code, chosen by a number that only such a build reads."""
import re

# Every target with a branch gets this file. A process keeps the first mutant that it reads.
SWITCH = '''\
%(access)simport Glibc

let mutantInForce: Int = {
    guard let file = unsafe fopen("%(file)s", "r") else { return 0 }
    defer { unsafe fclose(file) }
    var number = 0
    while case let digit = unsafe fgetc(file), (48...57).contains(digit) { number = number * 10 + Int(digit - 48) }
    return number
}()

// One byte for each mutant, shared with the program that asks which of them are reached; nil if none asks.
nonisolated(unsafe) private let mutantsReached: UnsafeMutableRawPointer? = {
    let file = unsafe open("%(reached)s", O_RDWR | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    let memory = unsafe mmap(nil, %(size)d, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
    return unsafe memory == MAP_FAILED ? nil : memory
}()

func isMutantInForce(_ number: Int) -> Bool {
    if let reached = unsafe mutantsReached, number < %(size)d { unsafe reached.storeBytes(of: 1, toByteOffset: number, as: UInt8.self) }
    return mutantInForce == number
}
'''
# How many mutants can be asked about.
SIZE = 65536


def switch(access, file, reached):
    return SWITCH % {"access": access, "file": file, "reached": reached, "size": SIZE}


MODIFIERS = r"(?:@[\w.]+(?:\([^()]*\))?\s+|(?:public|private|fileprivate|internal|package|static|class|final|override|mutating|nonmutating"\
    r"|borrowing|consuming|nonisolated|isolated|convenience|required|lazy|unsafe)(?:\(\w+\))?\s+)*"
DECLARATION = re.compile(rf"^[ \t]*{MODIFIERS}(func|init|deinit|subscript|var|let|get|set|willSet|didSet)\b[^\n]*", re.MULTILINE)
CONSTANT = re.compile(rf"^([ \t]*{MODIFIERS}(?:let|var)\s+\w+(?:\s*:\s*[^=]+?)?\s*=\s*)(.+?)\s*$")


class Alone(Exception):
    """This mutant cannot share a build."""


def skip_string(text, at):
    """The end of the string literal that begins at `at`, with its interpolations."""
    hashes = 0
    while text[at + hashes] == "#":
        hashes += 1
    mark = '"""' if text.startswith('"""', at + hashes) else '"'
    end, escape = mark + "#" * hashes, "\\" + "#" * hashes
    at += hashes + len(mark)
    while at < len(text):
        if text.startswith(end, at):
            return at + len(end)
        if text.startswith(escape + "(", at):
            at, depth = at + len(escape) + 1, 1
            while depth:
                step = skip(text, at)
                depth += {"(": 1, ")": -1}.get(text[at], 0) if step == at + 1 else 0
                at = step
        elif text.startswith(escape, at):
            at += len(escape) + 1
        else:
            at += 1
    raise Alone("a string does not end")


def skip(text, at):
    """The place after the comment, string or character at `at`."""
    if text.startswith("//", at):
        end = text.find("\n", at)
        return len(text) if end < 0 else end
    if text.startswith("/*", at):
        depth, at = 1, at + 2
        while depth and at < len(text):
            if text.startswith("/*", at):
                depth, at = depth + 1, at + 2
            elif text.startswith("*/", at):
                depth, at = depth - 1, at + 2
            else:
                at += 1
        return at
    if text[at] == '"' or re.match(r'#+"', text[at:at + 8]):
        return skip_string(text, at)
    return at + 1


def bodies(text):
    """For each function, initializer and accessor: where its body begins and ends, and whether it returns a value."""
    found, stack, at, since = [], [], 0, 0
    while at < len(text):
        step = skip(text, at)
        if step == at + 1 and text[at] == "{":
            stack.append((at, text[since:at]))
            since = at + 1
        elif step == at + 1 and text[at] == "}":
            opened, header = stack.pop()
            since = at + 1
            kind = kind_of(header)
            if kind:
                found.append((opened + 1, at, kind == "value"))
        at = step
    return found


def kind_of(header):
    matches = list(DECLARATION.finditer(header))
    if not matches:
        return None
    word, declaration = matches[-1].group(1), header[matches[-1].start():]
    if word in ("init", "deinit", "set", "willSet", "didSet"):
        return "nothing"
    if word == "func":
        # The last arrow outside the parameters' parentheses.
        flat = re.sub(r"\([^()]*\)", "", re.sub(r"\([^()]*\)", "", declaration))
        return "value" if "->" in flat and not re.search(r"->\s*(Void|Never)\s*$", flat.strip()) else "nothing"
    if word in ("get", "subscript"):
        return "value"
    # A variable of one line, directly before its braces: not one whose next line is a statement with braces.
    return "value" if word == "var" and "=" not in declaration and ":" in declaration and "\n" not in declaration.strip() else None


def changed_part(text, before, after):
    """Where the two differ in the file: the first and last place, and the text that replaces it."""
    at = text.index(before)
    head = 0
    while head < min(len(before), len(after)) and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < min(len(before), len(after)) - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    return at + head, at + len(before) - tail, after[head:len(after) - tail]


def branch(body, gives):
    """A body as a branch. A single expression, which was the value, gets a return."""
    inner = body.strip()
    if gives and not re.search(r"\b(return|throw)\b", inner) and not inner.startswith(("get ", "fatalError(")):
        return "return " + inner
    return inner


class Shared:
    """One file's text with the branches of its mutants."""

    def __init__(self, text):
        self.text, self.all_bodies = text, bodies(text)
        self.groups, self.constants = {}, {}

    def add(self, number, edits):
        """`edits`: pairs (before, after), each in the unchanged text."""
        planned = {}
        for before, after in edits:
            first, last, instead = changed_part(self.text, before, after)
            inside = [body for body in self.all_bodies if body[0] <= first and last <= body[1]]
            if inside:
                planned.setdefault(max(inside), []).append((first, last, instead))
            else:
                planned[self.constant(first, last)] = [(first, last, instead)]
        for place, parts in planned.items():
            self.groups.setdefault(place, []).append((number, parts))

    def constant(self, first, last):
        """The line of a constant outside functions, if only its value differs."""
        start, end = self.text.rfind("\n", 0, first) + 1, self.text.find("\n", last)
        match = CONSTANT.match(self.text[start:end])
        if not match or first < start + match.end(1) or match.group(2).endswith(("{", "(", "[")):
            raise Alone("it is outside of functions")
        return start + match.start(2), start + match.end(2), None

    def remove(self, number):
        for place in list(self.groups):
            self.groups[place] = [entry for entry in self.groups[place] if entry[0] != number]
            if not self.groups[place]:
                del self.groups[place]

    def variant(self, first, last, parts):
        text, at = "", first
        for begin, end, instead in sorted(parts):
            text, at = text + self.text[at:begin] + instead, end
        return text + self.text[at:last]

    def rendered(self):
        """The whole text, the lines of each mutant in it, and of each body that has some: the first line, the last, and the mutants."""
        pieces, lines, places = [], {}, []

        def line():
            return sum(text.count("\n") for text in pieces) + 1

        def put(piece, number=None):
            start = line()
            pieces.append(piece)
            if number is not None:
                lines.setdefault(number, []).append((start, start + piece.count("\n")))

        def unchanged(first, last):
            at = first
            places = [place for place in self.groups if first <= place[0] and place[1] <= last]
            for place in sorted(places):
                if place[0] < at or any(other != place and other[0] <= place[0] and place[1] <= other[1] for other in places):
                    continue
                put(self.text[at:place[0]])
                group(place)
                at = place[1]
            put(self.text[at:last])

        def group(place):
            first, last, gives = place
            if gives is None:
                put("(")
                for number, parts in self.groups[place]:
                    put(f"isMutantInForce({number}) ? ({self.variant(first, last, parts)}) : ", number)
                put(f"{self.text[first:last]})")
                return
            begin = line()
            for index, (number, parts) in enumerate(self.groups[place]):
                put(f"\n{'} else ' if index else ''}if isMutantInForce({number}) {{\n")
                put(branch(self.variant(first, last, parts), gives), number)
                put("\n")
            put("} else {\n")
            body = self.text[first:last]
            spoken = branch(body, gives)
            if spoken != body.strip():
                put("return ")
            # Its own groups are inside it, never this one again.
            entries = self.groups.pop(place)
            lead, trail = len(body) - len(body.lstrip()), len(body) - len(body.rstrip())
            unchanged(first + lead, max(first + lead, last - trail))
            self.groups[place] = entries
            put("\n}\n")
            # The body's own brace comes next. A value that not every path returns is missed there.
            places.append((begin, line() + 1, {number for number, _ in entries}))

        unchanged(0, len(self.text))
        return "".join(pieces), lines, places
