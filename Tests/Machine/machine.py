"""The parts of the steps: a report for the host, commands as another user, logins at a terminal of their own."""
import os
import pty
import re
import select
import signal
import subprocess
import time

# Seconds that any step may take. An emulated machine beside others is slow.
LIMIT = 600

# What the host gives a container. A machine has its ports and a second disk in their place.
HOST = "/opt/host"
IS_CONTAINER = os.path.isdir(HOST)


def start_name():
    return open(f"{HOST}/start" if IS_CONTAINER else "/dev/vdb").readline().strip("\n\0")


def port(name):
    """A line to the host. It may come after output of the machine's start."""
    path = f"{HOST}/{name}" if IS_CONTAINER else f"/dev/virtio-ports/coffer.{name}"
    end = time.monotonic() + LIMIT
    while not os.path.exists(path) and time.monotonic() < end:
        time.sleep(0.1)
    return open(path, "w", buffering=1)


report = port("report")
protocol = port("journal")


class Failed(Exception):
    pass


def note(text):
    for line in str(text).splitlines() or [""]:
        report.write(f"note  {line[:400]}\n")


def step(name, action):
    """One line of the report.

    Returns whether it succeeded. The next steps build on it.
    """
    began = time.monotonic()
    try:
        action()
    except Exception as error:
        text = " / ".join(str(error).split("\n"))[:1200]
        report.write(f"FAIL  {name}: {type(error).__name__}: {text}\n")
        return False
    report.write(f"ok    {name} ({time.monotonic() - began:.0f} s)\n")
    return True


def demand(condition, text):
    if not condition:
        raise Failed(text)


class Outcome:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def __str__(self):
        return f"exit {self.code}; out: {self.out[-600:]!r}; err: {self.err[-600:]!r}"

    def expect(self, code, *texts):
        demand(self.code == code, f"exit {code} was expected: {self}")
        for text in texts:
            demand(text in self.out + self.err, f"{text!r} was expected: {self}")
        return self


def run(*words, user=None, input="", limit=LIMIT, askpass=None):
    """A command as root or as another user, without a terminal. askpass answers its questions."""
    environment = {"PATH": "/usr/bin:/usr/sbin", "LC_ALL": "C.UTF-8"}
    as_user = {}
    if user:
        import grp
        import pwd

        account = pwd.getpwnam(user)
        groups = os.getgrouplist(user, account.pw_gid)
        as_user = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": groups}
        environment["HOME"] = account.pw_dir
    if askpass:
        environment["COFFER_ASKPASS"] = askpass
    done = subprocess.run(
        words, input=input, capture_output=True, text=True, errors="replace", timeout=limit,
        env=environment, start_new_session=True, cwd="/", **as_user)
    return Outcome(done.returncode, done.stdout, done.stderr)


def wait_for(condition, what, limit=LIMIT):
    end = time.monotonic() + limit
    while not condition():
        demand(time.monotonic() < end, f"waited {limit} s for: {what}")
        time.sleep(0.2)


# A question at the end of what came so far.
QUESTION = re.compile(r"(\[[yY]/[nN]\]|[Pp]assword[^\n]*:) ?\Z")
# So long nothing more comes after a question that nobody expected.
SILENCE = 10


class Login:
    """Somebody at a terminal: login(1), its PAM stack, their shell."""

    def __init__(self, user, password, command=("/bin/login", "{user}")):
        self.text = ""
        self.count = 0
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            words = [word.format(user=user) for word in command]
            os.execve(words[0], words, {"TERM": "dumb", "PATH": "/usr/bin:/usr/sbin"})
        self.expect(r"[Pp]assword: ?")
        self.send(password)
        # A question instead of a shell counts as a refusal.
        self.expect(r"\$ |login:|incorrect|denied")
        self.send("stty -echo; PS1=; PS2=; echo is-\"in\"")
        self.expect(r"is-in\r?\n")

    def send(self, line):
        os.write(self.terminal, line.encode() + b"\n")

    def expect(self, pattern, limit=LIMIT, unless=None):
        """What comes before the pattern. It fails at once if the other pattern comes first, and soon if there is a question that nobody answers."""
        end = time.monotonic() + limit
        silent_since = time.monotonic()
        while True:
            found = re.search(pattern, self.text)
            other = re.search(unless, self.text[: found.start()] if found else self.text) if unless else None
            demand(not other, f"{pattern!r} did not come: {self.text[-500:]!r}")
            if found:
                before, self.text = self.text[: found.start()], self.text[found.end():]
                return before
            now = time.monotonic()
            demand(now < end, f"{pattern!r} did not come within {limit} s: {self.text[-500:]!r}")
            demand(now < silent_since + SILENCE or not QUESTION.search(self.text), f"{pattern!r} was expected, and it asks: {self.text[-500:]!r}")
            if not select.select([self.terminal], [], [], 1)[0]:
                continue
            try:
                self.text += os.read(self.terminal, 65536).decode(errors="replace")
            except OSError:
                raise Failed(f"the terminal was closed before {pattern!r} came: {self.text[-500:]!r}")
            silent_since = time.monotonic()

    def run(self, command, *answers):
        """Types a command, and each answer at the next question for a password. An answer may be a pair: what is waited for, and the answer or what is done then."""
        self.count += 1
        self.send(f"{command}; echo \"<$?>{self.count}.\"")
        out = ""
        for answer in answers:
            question, words = answer if isinstance(answer, tuple) else (r"[Pp]assword[^\n]*: ?", answer)
            out += self.expect(question, unless=rf"<\d+>{self.count}\.")
            if callable(words):
                words()
            else:
                self.send(words)
        out += self.expect(rf"<(?=\d+>{self.count}\.)")
        code = int(self.expect(rf">{self.count}\.[^\n]*\n"))
        return Outcome(code, out.replace("\r", ""), "")

    def leave(self):
        self.send("exit")
        try:
            self.expect(r"there-is-no-such-line", limit=60)
        except Failed:
            pass
        os.close(self.terminal)
        try:
            os.kill(self.pid, signal.SIGHUP)
        except ProcessLookupError:
            pass
        os.waitpid(self.pid, 0)


def journal(*words):
    return run("journalctl", "--no-pager", "--boot", "--output=short-monotonic", *words).out
