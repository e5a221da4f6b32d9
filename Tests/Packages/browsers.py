"""Two browsers without a window, each told over its own protocol to keep something secret, as a person would who fills in a form."""
import contextlib
import json
import os
import pathlib
import pwd
import signal
import socket
import sqlite3
import subprocess
import time

from installation import check

LIMIT = 300


def start(someone, log, *command, **options):
    """A browser with all that it starts, as this person. It leads a session, so that nothing of it is left."""
    account = pwd.getpwnam(someone.user)
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": str(someone.home), **someone.env}
    words = ["setpriv", f"--reuid={account.pw_uid}", f"--regid={account.pw_gid}", "--init-groups", "--", *command]
    with open(log, "ab") as output:
        return subprocess.Popen(words, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True, cwd="/", **options)


@contextlib.contextmanager
def ended(process):
    try:
        yield
    finally:
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


class Chromium:
    """The DevTools protocol on two pipes: JSON, each message ended by a zero byte."""

    def __init__(self, someone, profile):
        theirs_in, self.output = os.pipe()
        self.input, theirs_out = os.pipe()
        # It takes commands on descriptor 3 and answers on 4.
        line = f'exec "$@" 3<&{theirs_in} 4>&{theirs_out}'
        command = ["sh", "-c", line, "sh", "chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
                   "--password-store=gnome-libsecret", f"--user-data-dir={profile}", "--remote-debugging-pipe", "about:blank"]
        self.process = start(someone, "/var/log/chromium.log", *command, pass_fds=(theirs_in, theirs_out))
        os.close(theirs_in)
        os.close(theirs_out)
        self.rest = b""
        self.number = 0
        self.end = time.monotonic() + LIMIT
        page = self.call("Target.createTarget", url="chrome://password-manager/passwords")["targetId"]
        self.page = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]

    def call(self, method, page=None, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters, **({"sessionId": page} if page else {})}
        os.write(self.output, json.dumps(message).encode() + b"\0")
        while True:
            *messages, self.rest = self.rest.split(b"\0")
            answers = [json.loads(text) for text in messages]
            for answer in answers:
                if answer.get("id") == self.number:
                    if "error" in answer:
                        raise OSError(f"chromium: {method}: {answer['error']}")
                    return answer["result"]
            more = self.read()
            self.rest += more

    def read(self):
        os.set_blocking(self.input, False)
        while time.monotonic() < self.end:
            with contextlib.suppress(BlockingIOError):
                more = os.read(self.input, 1 << 16)
                if not more:
                    raise OSError(f"chromium ended: {pathlib.Path('/var/log/chromium.log').read_text(errors='replace')[-2000:]}")
                return more
            time.sleep(0.02)
        os.killpg(self.process.pid, signal.SIGKILL)
        raise OSError("chromium does not answer")

    def script(self, text):
        """The value of an expression on the page of passwords, as soon as the page has what it needs."""
        while time.monotonic() < self.end:
            answer = self.call("Runtime.evaluate", self.page, expression=text, awaitPromise=True, returnByValue=True)
            if "exceptionDetails" not in answer:
                return answer["result"].get("value")
            time.sleep(0.1)
        raise OSError(f"chromium: {answer}")

    def users(self):
        """The users of the passwords that it can open. It writes and reads them a moment after it was asked to."""
        while time.monotonic() < self.end:
            groups = self.script("chrome.passwordsPrivate.getCredentialGroups()")
            if groups:
                return [entry["username"] for group in groups for entry in group["entries"]]
            time.sleep(0.1)
        return []

    def quit(self):
        with ended(self.process):
            self.call("Browser.close")
        os.close(self.input)
        os.close(self.output)


def chromium(alice, _):
    """Chromium seals the passwords that it keeps. The key for that is in the Secret Service."""
    profile = alice.home / "chromium"
    browser = Chromium(alice, profile)
    browser.script('chrome.passwordsPrivate.addPassword({url: "https://example.com/", username: "alice", password: "p4ss", '
                   'note: "", useAccountStore: false}).then(() => "stored")')
    check("chromium stores a password", browser.users() == ["alice"])
    browser.quit()
    out, err = alice.run("secret-tool", "search", "--all", "application", "chromium")[1:]
    check("chromium has stored its key", b"Chromium Safe Storage" in out and b"secret = " in out, (out, err))
    with contextlib.closing(sqlite3.connect(profile / "Default/Login Data")) as logins:
        sealed = logins.execute("select username_value, substr(password_value, 1, 3) from logins").fetchall()
    # v11: by a key of the Secret Service; v10: by one that everybody knows.
    check("and sealed a password by it", sealed == [("alice", b"v11")], sealed)
    alice.succeed("coffer lock", "coffer", "lock")
    browser = Chromium(alice, profile)
    # It leaves out what it cannot open.
    users = browser.users()
    browser.quit()
    check("started again, it opens the password", users == ["alice"], users)
    check("with the same key", alice.run("secret-tool", "search", "--all", "application", "chromium")[1] == out)


class Firefox:
    """Marionette: JSON with its length before it."""

    def __init__(self, someone, profile):
        port = profile / "MarionetteActivePort"
        port.unlink(missing_ok=True)
        # The browser's own part of the protocol: the one that may use what is behind the pages.
        self.process = start(someone, "/var/log/firefox.log", "firefox-esr", "--headless", "--no-remote", "--marionette",
                             "--remote-allow-system-access", "--profile", str(profile))
        end = time.monotonic() + LIMIT
        while not (port.exists() and port.read_text().strip()):
            if self.process.poll() is not None or time.monotonic() > end:
                raise OSError(f"firefox does not listen: {pathlib.Path('/var/log/firefox.log').read_text(errors='replace')[-2000:]}")
            time.sleep(0.05)
        self.line = socket.create_connection(("127.0.0.1", int(port.read_text())), timeout=LIMIT)
        self.stream = self.line.makefile("rb")
        self.receive()
        self.call("WebDriver:NewSession")
        self.call("Marionette:SetContext", value="chrome")

    def receive(self):
        length = b""
        while not length.endswith(b":"):
            byte = self.stream.read(1)
            if not byte:
                raise OSError("firefox closed the connection")
            length += byte
        return json.loads(self.stream.read(int(length[:-1])))

    def call(self, name, **parameters):
        message = json.dumps([0, 1, name, parameters]).encode()
        self.line.sendall(b"%d:%s" % (len(message), message))
        _, _, error, result = self.receive()
        if error:
            raise OSError(f"firefox: {name}: {error}")
        return result

    def script(self, text):
        wrapped = f"const done = arguments[arguments.length - 1]; (async () => {{ {text} }})().then(done, error => done(`${{error}}`));"
        return self.call("WebDriver:ExecuteAsyncScript", script=wrapped, args=[])["value"]

    def quit(self):
        with ended(self.process):
            self.call("Marionette:Quit", flags=["eForceQuit"])
        self.stream.close()
        self.line.close()


def firefox(alice, _):
    """Firefox keeps logins in files of its own. What it seals by the system's key store are the numbers of payment cards."""
    profile = alice.home / "firefox"
    profile.mkdir()
    (profile / "user.js").write_text('user_pref("marionette.port", 0);\nuser_pref("datareporting.policy.dataSubmissionEnabled", false);\n')
    os.chown(profile, pwd.getpwnam(alice.user).pw_uid, -1)
    card = "4111111111111111"
    storage = 'const { formAutofillStorage: storage } = ChromeUtils.importESModule("resource://autofill/FormAutofillStorage.sys.mjs"); await storage.initialize();'
    browser = Firefox(alice, profile)
    added = browser.script(f'{storage} await storage.creditCards.add({{"cc-name": "Alice", "cc-number": "{card}", "cc-exp-month": 1, "cc-exp-year": 2040}}); '
                           "await storage._saveImmediately(); return 'stored';")
    check("firefox stores a payment card", added == "stored", added)
    browser.quit()
    out, err = alice.run("secret-tool", "search", "--all", "xdg:schema", "mozilla.firefox")[1:]
    check("firefox has stored its key", b"Firefox Encrypted Storage" in out and b"secret = " in out, (out, err))
    check("and no file of its profile has the number", not any(card.encode() in path.read_bytes() for path in profile.rglob("*") if path.is_file()))
    alice.succeed("coffer lock", "coffer", "lock")
    browser = Firefox(alice, profile)
    # Asked for all of a card, it opens the number. Without the key it has the last digits only.
    opened = browser.script(f'{storage} const [card] = await storage.creditCards.getAll({{ rawData: true }}); return card["cc-number"];')
    browser.quit()
    check("started again, it opens the number", opened == card, opened)
