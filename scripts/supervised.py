"""Runs a program with a limit. What the program leaves behind is named and ended, also what has left its process group."""
import ctypes
import os
import pathlib
import select
import shutil
import signal
import subprocess
import time

# Seconds in which a process that is about to end may still be there.
GRACE = 10


def adopt_orphans():
    """From now on, processes that descendants leave behind are this program's children (PR_SET_CHILD_SUBREAPER)."""
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)


def children(pid="self"):
    """The processes that `pid` has started or adopted and not waited for."""
    found = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            found += map(int, pathlib.Path(f"/proc/{pid}/task/{thread}/children").read_text().split())
    except OSError:
        pass  # It has ended.
    return found


def descendants(pid):
    found = []
    for child in children(pid):
        found += [child, *descendants(child)]
    return found


def state(pid):
    """The letter of proc(5); nothing if there is no such process."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[0]
    except OSError:
        return ""


def command(pid):
    """The program and its arguments. A process that has ended has only its name left."""
    try:
        words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().rstrip(b"\0").replace(b"\0", b" ")
        return (words or pathlib.Path(f"/proc/{pid}/comm").read_bytes().strip()).decode(errors="replace")[:200]
    except OSError:
        return "it has ended"


class Run:
    """One run of a program, which leads a session. All its output goes to a file: a pipe would stay open in what it leaves behind."""

    def __init__(self, words, log, folder=None, environment=None):
        self.code, self.log = None, log
        # A signal of a child's end wakes `step`. Handlers are not inherited by programs.
        self.waking, other = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        signal.set_wakeup_fd(other, warn_on_full_buffer=False)
        self.other = other
        with open(log, "wb") as output:
            # Kept, because a value of this type that goes away early takes note of the end itself.
            self.process = subprocess.Popen(
                words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                start_new_session=True)
        self.pid = self.process.pid

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()
        signal.set_wakeup_fd(-1)
        os.close(self.waking)
        os.close(self.other)

    def reap(self):
        """Takes note of every child that has ended. An orphan that nobody waits for would still be there for the test that ended it."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid == self.pid:
                self.code = self.process.returncode = os.waitstatus_to_exitcode(status)

    def step(self, seconds=0.2):
        """Waits for a child's end, and no longer than that.

        Returns whether the program still runs.
        """
        select.select([self.waking], [], [], seconds)
        try:
            os.read(self.waking, 4096)
        except BlockingIOError:
            pass
        self.reap()
        return self.code is None

    def left(self):
        """What is still there when the program has ended, each as its number and its command. Waits for what is about to end."""
        limit = time.monotonic() + GRACE
        while children() and time.monotonic() < limit:
            self.step(0.05)
        return [(pid, command(pid)) for pid in children() for pid in [pid, *descendants(pid)]]

    def end(self):
        """Ends the program and everything that it started."""
        if self.code is None:
            try:
                os.killpg(self.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        while orphans := children():
            for orphan in orphans:
                os.kill(orphan, signal.SIGKILL)
            self.step(0.05)


def describe(pid):
    """What a process and everything below it stand in, as text. A debugger shows its stack; without one, the kernel says where each thread waits."""
    lines = []
    for each in [pid, *descendants(pid)]:
        lines.append(f"process {each} [{state(each)}] {command(each)}")
        if each == pid and (stack := debugged(pid)):
            lines += stack.splitlines()
        else:
            lines += threads(each)
    return "\n".join(lines)


def threads(pid):
    lines = []
    for folder in sorted(pathlib.Path(f"/proc/{pid}/task").glob("*")):
        def read(name):
            try:
                return (folder / name).read_text(errors="replace").strip()
            except OSError:
                return "?"
        lines.append(f"  thread {folder.name} {read('comm')}: {read('wchan')}; system call {read('syscall').split(' ')[0]}")
        lines += ["    " + line for line in read("stack").splitlines() if line != "?"]
    return lines


def debugged(pid):
    """The stack of each thread; nothing without a debugger that may look."""
    for words in (["eu-stack", "-p", str(pid)],
                  ["gdb", "-p", str(pid), "-batch", "-nx", "-ex", "set debuginfod enabled off", "-ex", "thread apply all backtrace 40"],
                  ["lldb", "--batch", "--no-lldbinit", "-p", str(pid), "-o", "thread backtrace all --count 40"]):
        if not shutil.which(words[0]):
            continue
        try:
            said = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, errors="replace").stdout
        except subprocess.TimeoutExpired:
            continue
        frames = [line[:240] for line in said.splitlines() if line.lstrip().startswith(("#", "Thread", "TID", "* ", "frame"))]
        if frames:
            return "\n".join("  " + line for line in frames[:400])
    return ""

