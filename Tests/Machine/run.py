"""The steps of one start of a machine or a container. The host says which start it is."""
import grp
import os
import pwd
import re
import shutil
import signal
import subprocess
import sys
import time

from machine import IS_CONTAINER, LIMIT, Login, demand, journal, note, protocol, report, run, start_name, step, wait_for

PASSWORDS = {"alice": "correct horse", "mallory": "battery staple"}
HOMES = "/home"
MODULE_PACKAGE = "/opt/packages/libpam-coffer.deb"
SOCKETS = ["cofferd.socket", "coffer-authenticator.socket", "coffer-authenticator-report.socket"]
TPM_SOCKET = "/opt/tpm/swtpm.sock"
AUTH, CLIENTS = "/run/coffer-auth/auth.sock", "/run/coffer/coffer.sock"
# The offer of a recovery code, which follows the first vault. The step that ties a vault makes one.
NO_CODE = (r"\[y/N\] ?", "n")
state = {}


def coffer(user, *words, input="", limit=LIMIT, answer=True):
    """As a program of the user without a terminal. It answers a question with the user's password, or not at all."""
    return run("coffer", *words, user=user, input=input, limit=limit, askpass=f"{HOMES}/{user}/askpass" if answer else None)


def value(outcome, expected):
    outcome.expect(0)
    demand(outcome.out.strip() == expected, f"{expected!r} was expected: {outcome}")


def is_locked(user, item="plain"):
    return coffer(user, "get", item, "me", "--no-prompt", answer=False).code == 5


# ---- the machine ----


def up():
    state_now = run("systemctl", "is-system-running", "--wait").out.strip()
    failed = run("systemctl", "--failed", "--plain", "--no-legend").out.strip()
    expected = state.get("may fail", [])
    failed = "\n".join(line for line in failed.splitlines() if line.split()[0] not in expected)
    demand(state_now in ("running", "degraded") and not failed, f"{state_now}: {failed}")


def device():
    named = run("stat", "--format=%G %a", "/dev/tpmrm0").expect(0).out.split()
    demand(named == ["tss", "660"], f"/dev/tpmrm0: {named}")


def enabled(names):
    for name in names:
        run("systemctl", "is-active", name).expect(0, "active")
        run("systemctl", "is-enabled", name).expect(0, "enabled")


def package():
    """The package has enabled its sockets, and coffer alone says what comes next."""
    enabled(SOCKETS[:2])
    demand(not os.path.exists("/etc/systemd/system/sockets.target.wants/" + SOCKETS[2]), "nobody asked for the module yet")
    said = run("coffer").expect(0).out
    demand("You have no vault yet" in said, said)


def accounts():
    for name, password in PASSWORDS.items():
        run("useradd", "--create-home", "--shell", "/bin/bash", name).expect(0)
        run("chpasswd", input=f"{name}:{password}\n").expect(0)
        os.chmod(f"{HOMES}/{name}", 0o755)
        path = f"{HOMES}/{name}/askpass"
        with open(path, "w") as file:
            file.write(f"#!/bin/sh\necho '{password}'\n")
        os.chmod(path, 0o755)


# ---- two users ----


def first_vault():
    """By hand, at a terminal, as in the README."""
    alice = state["alice"] = Login("alice", PASSWORDS["alice"])
    alice.run("coffer unlock", PASSWORDS["alice"], NO_CODE).expect(0, "You have no recovery code")
    alice.run("printf one | coffer set plain me").expect(0)
    alice.run("printf two | coffer set gated me --require presence").expect(0)
    alice.run("coffer status").expect(0)
    note(alice.run("coffer doctor").out)


def reads():
    alice = state["alice"]
    demand("one" in alice.run("coffer get plain me").expect(0).out, "plain")
    demand("two" in alice.run("coffer get gated me", PASSWORDS["alice"]).expect(0).out, "gated")
    # At a terminal, one gets three tries.
    refused = alice.run("coffer get gated me", "wrong", "wrong", "wrong")
    demand(refused.code == 4 and "two" not in refused.out, f"{refused}")
    alice.run("coffer get gated me --no-prompt").expect(4)
    value(coffer("alice", "get", "plain", "me", answer=False), "one")
    value(coffer("alice", "get", "gated", "me"), "two")


def logout():
    state.pop("alice").leave()
    wait_for(lambda: is_locked("alice"), "the lock at the last logout")


def module_package():
    """pam-auth-update puts the line behind everything else of common-auth."""
    demand("pam_coffer.so" not in open("/etc/pam.d/common-auth").read(), "not yet")
    run("env", "DEBIAN_FRONTEND=noninteractive", "dpkg", "--install", MODULE_PACKAGE).expect(0)
    lines = [line.split() for line in open("/etc/pam.d/common-auth") if not line.startswith("#") and line.strip()]
    places = [number for number, words in enumerate(lines) if "pam_coffer.so" in words]
    permits = [number for number, words in enumerate(lines) if "pam_permit.so" in words]
    demand(len(places) == 1 and permits and places[0] > permits[0], f"{lines}")
    enabled(SOCKETS)


SSH = ("/usr/bin/ssh", "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "{user}@127.0.0.1")


def remote_login():
    """sshd's PAM stack has the module, and sshd is not among the login programs."""
    alice = Login("alice", PASSWORDS["alice"], SSH)
    alice.run("coffer get plain me --no-prompt").expect(5)
    alice.leave()


def login_opens():
    demand(is_locked("alice"), "locked before")
    alice = state["alice"] = Login("alice", PASSWORDS["alice"])
    demand("one" in alice.run("coffer get plain me --no-prompt").expect(0).out, "plain")
    note(journal("--unit=coffer-authenticator-report@*", "--lines=6"))


def others_see_nothing():
    mallory = state["mallory"] = Login("mallory", PASSWORDS["mallory"])
    mallory.run("coffer unlock", PASSWORDS["mallory"], NO_CODE).expect(0)
    mallory.run("printf hers | coffer set plain me").expect(0)
    mallory.run("coffer get gated me --no-prompt").expect(3)
    demand("hers" in mallory.run("coffer get plain me").expect(0).out, "her own")
    demand(run("cat", "/var/lib/coffer/user-1000.vault", user="mallory").code != 0, "the file is closed")
    if IS_CONTAINER:
        demand(run("python3", "/opt/machine/flood.py", TPM_SOCKET, "1", user="mallory").code != 0, "the TPM is closed")
    else:
        demand(run("head", "-c1", "/dev/tpmrm0", user="mallory").code != 0, "the TPM is closed")
    demand(run("python3", "/opt/machine/flood.py", "/run/coffer-auth/report.sock", "1", user="mallory").code != 0, "report.sock is closed")


# As the units, tmpfiles.d and sysusers.d say.
OWNERS = {
    "/run/coffer": "755 coffer coffer", "/run/coffer-auth": "755 root root",
    CLIENTS: "666 root root", AUTH: "666 root root", "/run/coffer-auth/report.sock": "600 root root",
    "/var/lib/coffer": "700 coffer coffer", "/var/lib/coffer-auth": "755 root root",
}


def main_pid(unit):
    return int(run("systemctl", "show", "--property=MainPID", "--value", unit).expect(0).out)


def owners():
    for path, expected in OWNERS.items():
        found = run("stat", "--format=%a %U %G", path).expect(0).out.strip()
        demand(found == expected, f"{path}: {found}, {expected} was expected")
    lines = open(f"/proc/{main_pid('cofferd.service')}/status").read().splitlines()
    status = {name: value.strip() for name, value in (line.split(":", 1) for line in lines if ":" in line)}
    account, tss = pwd.getpwnam("coffer"), grp.getgrnam("tss")
    demand(status["Uid"].split() == [str(account.pw_uid)] * 4, f"the broker runs as {status['Uid']}")
    demand(set(status["Groups"].split()) <= {str(account.pw_gid), str(tss.gr_gid)}, f"the broker's groups: {status['Groups']}")
    rights = [status[name] for name in ("CapEff", "CapPrm", "CapBnd", "CapAmb")]
    demand(set(rights) == {"0" * 16} and status["NoNewPrivs"] == "1" and status["Seccomp"] == "2", f"the broker's rights: {status}")


DROP_IN = "/run/systemd/system/cofferd.service.d/test.conf"


def cannot_start():
    """Whoever calls is told why at once, and the broker is not started again every second."""
    os.makedirs(os.path.dirname(DROP_IN), exist_ok=True)
    with open(DROP_IN, "w") as file:
        file.write("[Service]\nLimitMEMLOCK=64K\n")
    run("systemctl", "daemon-reload").expect(0)
    run("systemctl", "--no-block", "restart", "cofferd.service").expect(0)
    began = time.monotonic()
    try:
        wait_for(lambda: coffer("alice", "status", answer=False).code != 0, "the broker that cannot start")
        for _ in range(5):
            refused = coffer("alice", "get", "plain", "me", answer=False)
            refused.expect(1, "the broker cannot start", "errno", "LimitMEMLOCK is too small (it is 65536 bytes)", "@memlock")
            time.sleep(1)
        restarts = int(run("systemctl", "show", "--property=NRestarts", "--value", "cofferd.service").out)
        # It says why for 30 seconds.
        passed = time.monotonic() - began
        demand(restarts <= passed / 30, f"it was started again {restarts} times in {passed:.0f} s")
    finally:
        os.unlink(DROP_IN)
        run("systemctl", "daemon-reload").expect(0)
        run("systemctl", "restart", "cofferd.service").expect(0)
    for user in ("alice", "mallory"):
        state[user].run("coffer unlock", PASSWORDS[user]).expect(0)


def silent_broker():
    """At a terminal, a command says what it waits for."""
    pid = main_pid("cofferd.service")
    os.kill(pid, signal.SIGSTOP)
    try:
        told = ("waiting for the broker, which takes no calls yet", lambda: os.kill(pid, signal.SIGCONT))
        state["alice"].run("coffer status", told).expect(0)
    finally:
        os.kill(pid, signal.SIGCONT)


def session_of(user):
    for line in run("loginctl", "--no-legend", "list-sessions").expect(0).out.splitlines():
        if line.split()[2] == user:
            return line.split()[0]
    raise Exception(f"{user} has no session")


def screen_lock():
    value(coffer("alice", "get", "plain", "me", answer=False), "one")
    session = session_of("alice")
    run("loginctl", "lock-session", session).expect(0)
    wait_for(lambda: is_locked("alice"), "the lock that logind asked for")
    run("loginctl", "unlock-session", session).expect(0)
    value(coffer("mallory", "get", "plain", "me", answer=False), "hers")
    demand(is_locked("alice"), "an unlocking that logind tells must open nothing")
    state["alice"].run("coffer unlock", PASSWORDS["alice"]).expect(0)
    value(coffer("alice", "get", "plain", "me", answer=False), "one")


# ---- floods ----


class Flood:
    def __init__(self, *words, user=None):
        command = ["python3", "/opt/machine/flood.py", *map(str, words)]
        if user:
            command = ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups", *command]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def made(self):
        return self.process.stdout.readline().strip()

    def end(self):
        self.process.stdin.close()
        self.process.wait(LIMIT)


def flood_of_conversations():
    """Every read in it must succeed, and the socket must never fail."""
    flood = Flood(AUTH, 900, user="mallory")
    times = []
    try:
        for _ in range(5):
            began = time.monotonic()
            value(coffer("alice", "get", "gated", "me"), "two")
            times.append(time.monotonic() - began)
        note(f"during the flood a gated read took {', '.join(f'{t:.1f}' for t in times)} s")
        made = flood.made()
        note(f"mallory: {made}")
        value(coffer("alice", "get", "gated", "me"), "two")
    finally:
        note(run("systemctl", "show", "--property=ActiveState,Result,NConnections,NAccepted,NRefused", "coffer-authenticator.socket").out.replace("\n", " "))
        flood.end()
    run("systemctl", "is-active", "coffer-authenticator.socket").expect(0, "active")
    value(coffer("alice", "get", "gated", "me"), "two")


def after_a_flood():
    """Sets up what the next step needs."""
    run("systemctl", "reset-failed", "coffer-authenticator.socket", "cofferd.socket")
    run("systemctl", "start", *SOCKETS).expect(0)
    # Conversations that were cut off may take some time to end.
    wait_for(lambda: coffer("alice", "get", "gated", "me").code == 0, "a gated read")
    value(coffer("alice", "get", "gated", "me"), "two")


def idle_connections():
    """By a user, and by subordinate uids without accounts."""
    own = Flood(CLIENTS, 64, user="mallory")
    note(f"mallory: {own.made()}")
    foreign = Flood(CLIENTS, 64, 200000, 24)
    note(f"24 uids without an account: {foreign.made()}")
    try:
        for _ in range(5):
            value(coffer("alice", "get", "plain", "me", answer=False), "one")
            value(coffer("alice", "get", "gated", "me"), "two")
        coffer("alice", "set", "plain", "me", input="one").expect(0)
    finally:
        own.end()
        foreign.end()
    value(coffer("mallory", "get", "plain", "me", answer=False), "hers")


# ---- sleep ----


def sleep_cycle():
    def times():
        return run("dmesg").out.count("PM: suspend exit")

    before = times()
    run("rtcwake", "--mode", "no", "--seconds", "20").expect(0)
    run("systemctl", "suspend").expect(0)
    wait_for(lambda: times() > before, "waking up")
    wait_for(lambda: is_locked("alice"), "the lock before sleep")
    demand(is_locked("mallory"), "all vaults lock")
    for user in ("alice", "mallory"):
        state[user].run("coffer unlock", PASSWORDS[user]).expect(0)


def inhibitors():
    return run("systemd-inhibit", "--list", "--no-legend", "--no-pager").out


def without_polkit():
    demand(run("systemctl", "cat", "polkit.service").code != 0, "polkit is not installed")
    note(f"inhibitors: {inhibitors().strip() or 'none'}")
    coffer("alice", "status").expect(0, "logind gave no inhibitor")


def with_polkit():
    demand(run("systemctl", "cat", "polkit.service").code == 0, "polkit is installed")
    held = [line for line in inhibitors().splitlines() if "Coffer" in line]
    demand(len(held) == 1 and "delay" in held[0] and "sleep" in held[0], f"inhibitors: {held}")
    demand("inhibitor" not in coffer("alice", "status").expect(0).out, "status says that there is none")


# ---- a service ----

SERVICE = """[Unit]
Requires=coffer-unlock@nightly.service
After=coffer-unlock@nightly.service

[Service]
Type=oneshot
RemainAfterExit=yes
User=nightly
RuntimeDirectory=nightly
ExecStart=/bin/sh -c 'coffer get restic repository >/run/nightly/secret'

[Install]
WantedBy=multi-user.target
"""


def service():
    """docs/service-accounts.md."""
    run("useradd", "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", "nightly").expect(0)
    run("coffer", "vault", "create", "--owner", "nightly").expect(0)
    words = ["coffer", "set", "restic", "repository", "--user", "nightly", "--access", "after-first-unlock"]
    run(*words, input="correct horse").expect(0)
    with open("/etc/systemd/system/nightly.service", "w") as file:
        file.write(SERVICE)
    run("systemctl", "daemon-reload").expect(0)
    run("systemctl", "enable", "coffer-unlock@nightly.service", "nightly.service").expect(0)
    run("systemctl", "start", "nightly.service").expect(0)
    service_has_it()


def service_has_it():
    run("systemctl", "is-active", "nightly.service").expect(0)
    demand(open("/run/nightly/secret").read().strip() == "correct horse", "the service's secret")


UNLOCK = "coffer-unlock@nightly.service"


def after_another_broker():
    """The service reads again, and the users open their vaults for the next steps."""
    wait_for(lambda: run("systemctl", "is-active", UNLOCK).code == 0, "the service's vault is opened again")
    value(run("coffer", "get", "restic", "repository", user="nightly"), "correct horse")
    run("systemctl", "start", "nightly.service").expect(0)
    service_has_it()
    for user in ("alice", "mallory"):
        state[user].run("coffer unlock", PASSWORDS[user]).expect(0)


def broker_crash():
    """Nobody waits for a lock of the broker that has gone."""
    before, first = main_pid("cofferd.service"), len(journal(f"--unit={UNLOCK}").splitlines())
    began = time.monotonic()
    os.kill(before, signal.SIGKILL)
    wait_for(lambda: main_pid("cofferd.service") not in (0, before), "another broker")
    coffer("mallory", "list", answer=False).expect(0)
    note(f"after the crash another broker answered in {time.monotonic() - began:.1f} s")
    after_another_broker()
    said = "\n".join(journal(f"--unit={UNLOCK}").splitlines()[first:])
    demand("status=" not in said and "timed out" not in said, f"the unit did not end in good order: {said}")


def failed_start():
    """A line that the broker does not know. It says so for a while, and ends."""
    path = "/etc/coffer/cofferd.conf"
    settings = open(path).read()
    restarts = int(run("systemctl", "show", "--property=NRestarts", "--value", "cofferd.service").out)
    with open(path, "a") as file:
        file.write("\nnonsense = 1\n")
    try:
        run("systemctl", "--no-block", "restart", "cofferd.service").expect(0)
        wait_for(lambda: coffer("mallory", "status", answer=False).code != 0, "the broker that cannot start")
    finally:
        with open(path, "w") as file:
            file.write(settings)
    after_another_broker()
    note(f"the broker was started again {int(run('systemctl', 'show', '--property=NRestarts', '--value', 'cofferd.service').out) - restarts} times")


FLEET = "/srv/fleet"
YES = "#!/bin/sh\necho yes\n"


def shared_files():
    return {name for _, _, names in os.walk(FLEET) for name in names}


def courier():
    """docs/how-to/fleet.md, with a folder in place of the bucket. Root is shown what is signed."""
    import pwd

    os.mkdir(FLEET, 0o700)
    os.chown(FLEET, pwd.getpwnam("nightly").pw_uid, -1)
    with open("/opt/yes", "w") as file:
        file.write(YES)
    os.chmod("/opt/yes", 0o700)
    run("coffer", "sync", "init", FLEET, "--name", "admin", "--user", "nightly", askpass="/opt/yes").expect(0, "coffer-courier@nightly")
    run("systemctl", "is-active", "coffer-courier@nightly.service").expect(0)
    run("systemctl", "is-enabled", "coffer-courier@nightly.service").expect(0)
    before = shared_files()
    run("coffer", "set", "restic", "other", "--user", "nightly", input="from root").expect(0)
    wait_for(lambda: shared_files() - before, "the courier carries what root has set")
    owners = {os.lstat(os.path.join(folder, name)).st_uid for folder, _, names in os.walk(FLEET) for name in names}
    demand(owners == {pwd.getpwnam("nightly").pw_uid}, f"the files are of {owners}")
    run("coffer", "sync", "status", "--user", "nightly").expect(0, "admin")
    # Root invites, and a service of root's waits for those who come.
    run("coffer", "sync", "invite", "--output", "/opt/invitation", "--user", "nightly").expect(0, "coffer-admit@nightly")
    run("systemctl", "is-active", "coffer-admit@nightly.service").expect(0)
    demand(os.stat("/var/lib/coffer-invitations").st_mode & 0o7777 == 0o700, "others read root's invitations")
    credentials_program()
    admission_is_shut()
    name = run("coffer", "sync", "invite", "--list", "--user", "nightly").expect(0).out.split()[0]
    run("coffer", "sync", "invite", "--end", name, "--user", "nightly").expect(0)
    wait_for(lambda: run("systemctl", "is-active", "coffer-admit@nightly.service").code != 0, "it ends with the last invitation")
    demand(run("systemctl", "is-failed", "coffer-admit@nightly.service").code != 0, "it ends in good order")
    run("coffer", "sync", "leave", user="nightly").expect(6)
    run("coffer", "sync", "leave", "--user", "nightly", askpass="/opt/yes").expect(0)
    wait_for(lambda: run("systemctl", "is-active", "coffer-courier@nightly.service").code != 0, "the courier ends")
    demand(run("systemctl", "is-enabled", "coffer-courier@nightly.service").code != 0, "it is not started again")


CREDENTIALS = "#!/bin/sh\nid -un >/var/tmp/credentials-ran\necho me\necho secret\n"
ADMIT_TRIES = """[Service]
Type=oneshot
Restart=no
ExecStart=
ExecStart={}
"""
STORE_SET = "/usr/bin/coffer sync store set https://127.0.0.1:9/none --credentials-command /opt/credentials --user nightly"


def try_in_admission(command):
    """Runs a command in place of that of coffer-admit@, within all else that the unit says."""
    folder = "/run/systemd/system/coffer-admit@tries.service.d"
    os.makedirs(folder)
    with open(f"{folder}/tries.conf", "w") as file:
        file.write(ADMIT_TRIES.format(command))
    run("systemctl", "daemon-reload").expect(0)
    code = run("systemctl", "start", "coffer-admit@tries.service").code
    shutil.rmtree(folder)
    run("systemctl", "daemon-reload").expect(0)
    run("systemctl", "reset-failed", "coffer-admit@tries.service")
    return code


def credentials_program():
    """A program that gives the credentials of a store runs as the account, within what root's service may do."""
    with open("/opt/credentials", "w") as file:
        file.write(CREDENTIALS)
    os.chmod("/opt/credentials", 0o755)
    demand(try_in_admission(STORE_SET) != 0, "a server that is not there was reached")
    with open("/var/tmp/credentials-ran") as file:
        demand(file.read() == "nightly\n", "who ran it")
    said = run("journalctl", "--no-pager", "--unit", "coffer-admit@tries.service").expect(0).out
    # It was left to the server, or to the library that would ask it.
    demand("secret" not in said and "gives no credentials" not in said, said)


# What root's service could read or use, were it not shut. Each of them is there.
ADMIT_REACH = """#!/bin/sh
exec >/var/tmp/admit-reaches
[ ! -s /var/lib/coffer-auth/signing-key.pem ] || echo signing key
[ -z "$(ls /var/lib/coffer)" ] || echo vaults
[ ! -s /etc/shadow ] || echo password hashes
[ ! -e ~root/told ] || echo folder of root
! systemctl --quiet is-active cofferd.service || echo service manager
[ -z "$(ls /run/dbus)" ] || echo bus
for folder in /etc /usr /run /run/systemd/system /var/spool /var/lib/dpkg /var/lib/systemd; do
    ! touch $folder/coffer-was-here 2>/dev/null || echo $folder
done
# What it needs.
touch /srv/fleet/tried /var/lib/coffer-invitations/tried && rm /srv/fleet/tried /var/lib/coffer-invitations/tried || echo no store
id nightly >/dev/null || echo no accounts
[ -S /run/coffer/coffer.sock ] && [ -S /run/coffer-auth/auth.sock ] || echo no sockets
echo end
"""


def admission_is_shut():
    """A store's bytes are read as root there. Who takes the program over by them finds no key of Coffer's, and no way to root's own programs."""
    for path, text, mode in (("/opt/reach", ADMIT_REACH, 0o755), (os.path.expanduser("~root/told"), "x", 0o600)):
        with open(path, "w") as file:
            file.write(text)
        os.chmod(path, mode)
    demand(os.path.getsize("/var/lib/coffer-auth/signing-key.pem") > 0 and os.listdir("/var/lib/coffer"), "there is nothing to reach")
    demand(try_in_admission("/opt/reach") == 0, "it could not be tried")
    with open("/var/tmp/admit-reaches") as file:
        reached = file.read()
    demand(reached == "end\n", reached)


# ---- the boot ----


def tie():
    making = subprocess.Popen(
        ["setpriv", "--reuid=alice", "--regid=alice", "--init-groups", "setsid", "-w", "coffer", "recovery", "new", "--script"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env={"PATH": "/usr/bin", "COFFER_ASKPASS": f"{HOMES}/alice/askpass"})
    code, group = making.stdout.readline().strip(), int(making.stdout.readline())
    making.stdin.write(code.split("-")[group - 1] + "\n")
    making.stdin.close()
    demand(making.wait(LIMIT) == 0, f"recovery new ended with {making.returncode}; {len(code.split('-'))} groups, asked {group}")
    coffer("alice", "boot", "bind", "--registers", "4,7,9").expect(0)
    coffer("alice", "status").expect(0, "Tied to the boot")
    note(coffer("alice", "boot").out)
    # What the kernel measured of its own command line. It helps to understand a failure.
    value(coffer("alice", "get", "plain", "me", answer=False), "one")


def unit_files():
    """Every installed service, and a template with a name in it."""
    names = sorted(name for name in os.listdir("/usr/lib/systemd/system") if name.startswith("coffer") and name.endswith(".service"))
    return [name.replace("@.", "@check.") for name in names]


def scores():
    for unit in unit_files():
        text = run("systemd-analyze", "--no-pager", "security", unit).expect(0).out
        note(text.strip().splitlines()[-1].lstrip("→ "))
        protocol.write(f"{unit}\n{text}\n")


def scores_hold():
    """What the units forbid stays forbidden."""
    most = {"cofferd": 1.0, "coffer-authenticator": 6.7, "coffer-authenticator-report": 2.6, "coffer-unlock": 2.9, "coffer-boot-log": 1.0, "coffer-courier": 2.0, "coffer-admit": 3.1}
    for unit in unit_files():
        text = run("systemd-analyze", "--no-pager", "security", unit).expect(0).out
        score = float(re.search(r"exposure level for \S+: ([0-9.]+)", text).group(1))
        limit = most.pop(re.split("[.@]", unit)[0])
        demand(score <= limit, f"{unit}: {score}, at most {limit} was expected")
    demand(not most, f"not there: {most}")


def polkit_comes():
    packages = [f"/opt/later/{name}" for name in os.listdir("/opt/later")]
    environment = ["env", "DEBIAN_FRONTEND=noninteractive"]
    run(*environment, "dpkg", "--install", *packages).expect(0)


def tied_opens():
    alice = state["alice"] = Login("alice", PASSWORDS["alice"])
    demand("one" in alice.run("coffer get plain me --no-prompt").expect(0).out, "the login opened it")
    demand("two" in alice.run("coffer get gated me", PASSWORDS["alice"]).expect(0).out, "gated")


def sealed_after_start():
    for user in PASSWORDS:
        coffer(user, "get", "plain", "me", "--no-prompt", answer=False).expect(5)
    names = coffer("mallory", "list", answer=False).expect(0).out
    demand("plain" in names, names)


def mallory_opens():
    mallory = state["mallory"] = Login("mallory", PASSWORDS["mallory"])
    demand("hers" in mallory.run("coffer get plain me --no-prompt").expect(0).out, "the login opened it")


def other_boot():
    """Another command line: the login succeeds, and the vault stays closed."""
    alice = state["alice"] = Login("alice", PASSWORDS["alice"])
    alice.run("coffer get plain me --no-prompt").expect(8)
    note(coffer("alice", "unlock").expect(8).err.strip())
    for words in (["get", "plain", "me"], ["get", "gated", "me"], ["list"]):
        outcome = coffer("alice", *words)
        demand(outcome.code == 8 and "one" not in outcome.out and "plain" not in outcome.out, f"{words}: {outcome}")
    note(coffer("alice", "boot").out)


# ---- another TPM ----


def no_tpm_state():
    for user in PASSWORDS:
        state[user] = Login(user, PASSWORDS[user])
        refused = coffer(user, "unlock").expect(8)
        note(refused.err.strip())
        demand(re.search("TPM.*(cleared|replaced|another|other)", refused.err), f"{refused}")
        coffer(user, "get", "plain", "me").expect(8)
        note(coffer(user, "doctor").out)


# ---- the end ----


def update():
    """The same package once more is an update for dpkg. The package says beforehand that vaults lock, and they do."""
    value(coffer("alice", "get", "plain", "me", "--no-prompt", answer=False), "one")
    before = run("systemctl", "show", "--property=MainPID", "cofferd.service").out
    packages = [f"/opt/packages/{name}" for name in sorted(os.listdir("/opt/packages")) if name.startswith("coffer")]
    said = run("env", "DEBIAN_FRONTEND=noninteractive", "dpkg", "--install", *packages).expect(0).out
    note(said)
    demand("locks all vaults" in said.split("Unpacking coffer (")[0], "it did not say so before")
    demand(run("systemctl", "show", "--property=MainPID", "cofferd.service").out != before, "the broker is still the old one")
    enabled(SOCKETS)
    coffer("alice", "get", "plain", "me", "--no-prompt", answer=False).expect(5)
    value(coffer("alice", "get", "plain", "me"), "one")


def removal():
    laid = run("dpkg", "--listfiles", "coffer", "libpam-coffer").expect(0).out.splitlines()
    laid = [path for path in laid if path.startswith("/") and os.path.isfile(path)]
    with open("/etc/coffer/cofferd.conf", "a") as file:
        file.write("idle-lock = 10\n")
    note(run("env", "DEBIAN_FRONTEND=noninteractive", "dpkg", "--remove", "libpam-coffer", "coffer").expect(0).out)
    left = [path for path in laid if os.path.isfile(path) and not path.startswith("/etc/")]
    demand(len(laid) > 50 and not left, f"left: {left}")
    demand("idle-lock = 10" in open("/etc/coffer/cofferd.conf").read(), "the settings are kept")
    demand("pam_coffer.so" not in open("/etc/pam.d/common-auth").read(), "the line is out of common-auth")
    demand(not os.path.exists("/usr/libexec/coffer"), "folders are left")
    listed = run("systemctl", "list-units", "--all", "--plain", "--no-legend", "coffer*").out
    running = [line for line in listed.splitlines() if "coffer-machine" not in line and (" active " in line or " activating " in line)]
    demand(not running, f"still there: {running}")
    for path in (AUTH, CLIENTS):
        demand(run("python3", "/opt/machine/flood.py", path, "1").out.startswith("0 connections"), f"somebody listens at {path}")
    demand(os.path.isfile("/var/lib/coffer/user-1000.vault") and os.path.isdir("/var/lib/coffer-auth"), "the vaults are kept")


def purge():
    """Nobody answers the question, so the vaults stay."""
    outcome = run("env", "DEBIAN_FRONTEND=noninteractive", "dpkg", "--purge", "libpam-coffer", "coffer").expect(0)
    demand("Kept the vaults" in outcome.out + outcome.err, f"{outcome}")
    demand(os.path.isfile("/var/lib/coffer/user-1000.vault") and not os.path.exists("/etc/coffer/cofferd.conf"), "vaults are kept, settings are not")
    links = run("find", "/etc/systemd/system", "-xtype", "l", "-name", "coffer*.socket").out
    demand(not links.strip(), f"links to nothing: {links}")


def login_without():
    """The line with pam_coffer.so is gone, and people get in."""
    for user in PASSWORDS:
        state.pop(user).leave()
    alice = Login("alice", PASSWORDS["alice"])
    alice.run("true").expect(0)
    alice.leave()


FIRST = [
    ("the system is up, no unit failed", up),
    ("the TPM's device is the broker's group's", device),
    ("the package has enabled what it installed; coffer says what is next", package),
    ("two users", accounts),
    ("a login; the first unlock makes the vault; items", first_vault),
    ("plain and gated reads, a wrong password, nobody to ask", reads),
    ("the last logout locks", logout),
    ("libpam-coffer puts the module into common-auth", module_package),
    ("a login over ssh opens nothing", remote_login),
    ("a login opens the vault", login_opens),
    ("another user reads nothing", others_see_nothing),
    ("sockets, folders and the broker have their owners, modes and rights", owners),
    ("a broker that cannot start says why, and is left alone for a while", cannot_start),
    ("a command says at its terminal that the broker takes no calls", silent_broker),
    ("logind's lock locks; its unlocking opens nothing", screen_lock),
    ("a service gets its secret as it starts", service),
    ("a broker that crashes holds nobody up, and the service's vault is opened again", broker_crash),
    ("a start of the broker that fails once leaves no service's vault sealed", failed_start),
    ("a service's vault shares by a courier of its account", courier),
    ("without polkit there is no inhibitor, and status says so", without_polkit),
    ("sleep without polkit locks", sleep_cycle),
    ("idle connections of others shut nobody out", idle_connections),
    ("900 conversations of one user, and another's gated reads", flood_of_conversations),
    ("after the flood all is as before", after_a_flood),
    ("the units are as closed as they were", scores_hold),
    ("a vault tied to the boot, with the command line", tie),
    ("polkit is installed", polkit_comes),
]
AGAIN = [
    ("the system is up, no unit failed", up),
    ("the service had its secret from the start", service_has_it),
    ("every other vault is sealed", sealed_after_start),
    ("a login opens the first user's, which the same boot opens if it is tied", tied_opens),
    ("a login opens the other user's", mallory_opens),
    ("with polkit there is an inhibitor", with_polkit),
    ("sleep with polkit locks", sleep_cycle),
    ("after sleep there is an inhibitor again", with_polkit),
    ("an update says beforehand that vaults lock, and keeps the sockets", update),
]
CHANGED = [
    ("the system is up, no unit failed", up),
    ("another command line: the tied vault is refused", other_boot),
    ("the vault that is not tied opens", mallory_opens),
    ("the service had its secret from the start", service_has_it),
]
AS_WAS = [
    ("the system is up, no unit failed", up),
    ("the boot as it was opens the tied vault", tied_opens),
]
NEW_TPM = [
    ("the system is up, only the service's units failed", up),
    ("another TPM: every vault is refused, and says why", no_tpm_state),
    ("the packages' removal stops and removes all, and keeps the vaults", removal),
    ("a purge that asks nobody keeps them too", purge),
    ("a login goes on without pam_coffer.so", login_without),
]
STARTS = {"first": FIRST, "again": AGAIN, "changed": CHANGED, "as-was": AS_WAS, "new-tpm": NEW_TPM}

# These need a kernel, firmware or a TPM driver of their own.
MACHINE_ONLY = {device, sleep_cycle, tie}

name = start_name()
if name == "new-tpm":
    state["may fail"] = ["coffer-unlock@nightly.service", "nightly.service"]
complete = True
for text, action in STARTS[name]:
    if IS_CONTAINER and action in MACHINE_ONLY or len(sys.argv) > 1 and sys.argv[1] not in text:
        continue
    complete = step(text, action)
    if not complete:
        break
if name == "first":
    scores()
protocol.write(journal())
protocol.flush()
if complete:
    report.write("end\n")
run("sync")
# The first restart is the machine's own.
run("systemctl", "--no-block", "reboot" if name == "first" and not IS_CONTAINER else "poweroff")
time.sleep(LIMIT)
