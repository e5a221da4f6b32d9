"""The installed product in a clean root without systemd: a TPM simulator, and the daemons as the units start them."""
import os
import pathlib
import pwd
import signal
import subprocess
import sys
import time

PASSWORD = "correct horse"
TPM = "/run/test-tpm/swtpm.sock"
SETTINGS = f"\n# For the test: no TPM and no system bus are here.\ntcti = swtpm:path={TPM}\nsystem-bus = no\nnotifications = no\n"
failures = 0


def check(name, holds, detail=""):
    """Prints a line. A failure shows the detail, and the run ends with 1."""
    global failures
    print(f"{'ok  ' if holds else 'FAIL'}  {name}" + ("" if holds or not detail else f"\n      {detail}"), flush=True)
    failures += not holds
    return holds


def finish():
    print(f"{'all passed' if failures == 0 else f'{failures} failed'}", flush=True)
    sys.exit(failures != 0)


def run(*command, user=None, input=None, env=None, limit=120):
    """Runs a command without a terminal. Returns status, standard output and standard error."""
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": "/root", **(env or {})}
    words = list(command)
    if user:
        account = pwd.getpwnam(user)
        environment["HOME"] = account.pw_dir if "HOME" not in (env or {}) else env["HOME"]
        words = ["setpriv", f"--reuid={account.pw_uid}", f"--regid={account.pw_gid}", "--clear-groups", "--", *words]
    done = subprocess.run(words, input=input, capture_output=True, env=environment, timeout=limit, start_new_session=True, cwd="/")
    return done.returncode, done.stdout, done.stderr.decode(errors="replace")


def succeed(name, *command, **options):
    status, out, err = run(*command, **options)
    check(name, status == 0, f"exit {status}: {err or out.decode(errors='replace')}")
    return out


def person(name):
    """An account with a password, and a program that answers for it."""
    subprocess.run(["useradd", "--create-home", "--shell", "/bin/sh", name], check=True)
    subprocess.run(["chpasswd"], input=f"{name}:{PASSWORD}\n".encode(), check=True)
    answer = pathlib.Path(f"/home/{name}/askpass")
    answer.write_text(f"#!/bin/sh\necho '{PASSWORD}'\n")
    answer.chmod(0o755)
    return {"COFFER_ASKPASS": str(answer)}


class Daemons:
    """Broker and authenticator, as their units name user, program and folders."""

    def __init__(self):
        self.processes = []

    def _start(self, user, *command):
        words = list(command)
        if user:
            words = ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups", "--inh-caps=-all", "--no-new-privs", "--", *words]
        log = open(f"/var/log/{pathlib.Path(command[0]).name}.log", "ab")
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, cwd="/")
        self.processes.append(process)
        return process

    @staticmethod
    def _wait(process, path, limit=120):
        end = time.monotonic() + limit
        while not any(line.endswith(f" {path}") and " 00010000 " in line for line in open("/proc/net/unix").read().splitlines()):
            if process.poll() is not None or time.monotonic() > end:
                log = pathlib.Path(f"/var/log/{pathlib.Path(process.args[-1]).name}.log")
                raise SystemExit(f"nobody listens on {path}: {process.args}: {log.read_text() if log.exists() else ''}")
            time.sleep(0.02)

    def start(self):
        subprocess.run(["systemd-tmpfiles", "--create", "coffer.conf"], check=True)
        folder = pathlib.Path(TPM).parent
        state = pathlib.Path("/var/lib/test-tpm")
        for path in (folder, state):
            path.mkdir(exist_ok=True)
            subprocess.run(["chown", "-R", "coffer:coffer", str(path)], check=True)
        for path in (TPM, f"{TPM}.ctrl", "/run/coffer/coffer.sock", "/run/coffer-auth/auth.sock"):
            pathlib.Path(path).unlink(missing_ok=True)
        # It serves one connection at a time, and forgets no state.
        tpm = self._start("coffer", "swtpm", "socket", "--tpm2", "--tpmstate", f"dir={state}", "--flags", "not-need-init,startup-clear",
                          "--server", f"type=unixio,path={TPM},mode=0600", "--ctrl", f"type=unixio,path={TPM}.ctrl,mode=0600")
        self._wait(tpm, TPM)
        broker = self._start("coffer", "/usr/libexec/coffer/cofferd")
        self._wait(broker, "/run/coffer/coffer.sock")
        authenticator = self._start(None, "/usr/libexec/coffer/coffer-authenticator", "serve")
        self._wait(authenticator, "/run/coffer-auth/auth.sock")

    def stop(self):
        for process in reversed(self.processes):
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        self.processes = []
