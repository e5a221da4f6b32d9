"""Installs, updates, removes and purges the packages in a clean root, as scripts/packages starts it there.

/opt/packages has the packages, and /opt/next the same ones with a higher version. The packages and what they depend on are installed already."""
import glob
import grp
import os
import pathlib
import pwd
import stat
import subprocess

from directory import Directory
from installation import PASSWORD, SETTINGS, Daemons, check, finish, person, run, succeed

CONFIGURATION = pathlib.Path("/etc/coffer/cofferd.conf")


def dpkg(name, *words):
    # Nobody is there to answer.
    status, out, err = run("dpkg", *words, limit=300, env={"DEBIAN_FRONTEND": "noninteractive"})
    check(name, status == 0, f"exit {status}: {out.decode()}{err}")
    return out.decode() + err


def mode(path):
    found = os.lstat(path)
    return f"{stat.S_IMODE(found.st_mode):04o} {pwd.getpwuid(found.st_uid).pw_name}:{grp.getgrgid(found.st_gid).gr_name}"


def installed_files():
    names = run("dpkg-query", "--listfiles", "coffer", "libpam-coffer", *(["coffer-secret-service"] if provider else []))[1].decode().split("\n")
    return [name for name in names if name.startswith("/") and os.path.lexists(name)]


def common_auth():
    return pathlib.Path("/etc/pam.d/common-auth").read_text()


packages = sorted(glob.glob("/opt/packages/*.deb"))
updates = sorted(glob.glob("/opt/next/*.deb"))
provider = any("coffer-secret-service_" in name for name in packages)

# ---- after the installation ----
check("the broker's account is a system account in group tss", "coffer" in grp.getgrnam("tss").gr_mem and pwd.getpwnam("coffer").pw_uid < 1000)
check("it cannot log in", pwd.getpwnam("coffer").pw_shell.endswith("nologin"), pwd.getpwnam("coffer").pw_shell)
for path, expected in {"/var/lib/coffer": "0700 coffer:coffer", "/var/lib/coffer-auth": "0755 root:root"}.items():
    check(f"{path} is {expected}", mode(path) == expected, mode(path))
wrong = [
    f"{path} {mode(path)}" for path in installed_files()
    if not os.path.islink(path) and (os.lstat(path).st_mode & 0o7022 or os.lstat(path).st_uid != 0) and path not in ("/tmp", "/run", "/var/lib/coffer")
]
check("nobody but root can write what is installed, and nothing is set-user-id", not wrong, wrong)
units = [path for path in installed_files() if "/systemd/system/coffer" in path]
status, out, err = run("systemd-analyze", "verify", "--man=no", *[unit.replace("@.", "@root.") for unit in units], limit=300)
check("systemd accepts every unit", len(units) == 10 and status == 0 and not err.strip(), f"{units} {status} {err}")
for name in ("cofferd.socket", "coffer-authenticator.socket", "coffer-authenticator-report.socket"):
    check(f"{name} is enabled", os.path.islink(f"/etc/systemd/system/sockets.target.wants/{name}"))
check("pam-auth-update has put the module behind the others", common_auth().rstrip().split("\n")[-2].split()[-1] == "pam_coffer.so"
      or "pam_permit.so\n" in common_auth().split("pam_coffer.so")[0], common_auth())
check("the agent's socket is enabled for everybody", os.path.islink("/etc/systemd/user/sockets.target.wants/coffer-agent.socket"))
check("sharing is switched on for nobody", not glob.glob("/etc/systemd/user/*/coffer-sync*.service"))
if provider:
    check("gnome-keyring's D-Bus file would be put aside", "by coffer-secret-service" in run("dpkg-divert", "--list", "*secrets*")[1].decode())
conffiles = run("dpkg-query", "--show", "--showformat=${Conffiles}", "coffer")[1].decode()
check("the files in /etc are configuration", all(f" /etc/{name} " in conffiles for name in ("coffer/cofferd.conf", "pam.d/coffer", "pam.d/coffer-passcode", "pam.d/coffer-biometric")))

# ---- a vault, made by the installed programs ----
status, out, err = run("coffer")
check("coffer alone says how to start the broker", status == 9 and b"sandbox" in out, (status, out, err))
CONFIGURATION.write_text(CONFIGURATION.read_text() + SETTINGS)
alice = person("alice")
daemons = Daemons()
daemons.start()
check("coffer alone says how to make a vault", b"coffer set github me" in succeed("coffer answers", "coffer", user="alice"))
# The root has pam_ldap, and its directory does not answer yet.
succeed("the first secret makes the vault, and needs no directory", "coffer", "set", "mail", "alice", "--require", "presence", user="alice", env=alice, input=b"kept through all")
check("a password read by real PAM gives the secret", succeed("coffer get", "coffer", "get", "mail", "alice", user="alice", env=alice) == b"kept through all")
succeed("the authenticator says no to a wrong password", "sh", "-c", "! COFFER_ASKPASS=/bin/true coffer get mail alice", user="alice")

# ---- an account of a directory ----
directory = Directory("dora", PASSWORD)
check("the account is not in this machine's files", "dora" not in pathlib.Path("/etc/passwd").read_text())
pathlib.Path("/run/wrong").write_text("#!/bin/sh\necho wrong\n")
pathlib.Path("/run/wrong").chmod(0o755)
wrong_answer = {"COFFER_ASKPASS": "/run/wrong", "HOME": "/"}
right_answer = {**alice, "HOME": "/"}
# Everybody may run alice's program here.
pathlib.Path("~alice").expanduser().chmod(0o755)
status, out, err = run("coffer", "unlock", user="dora", env=wrong_answer)
check("a password that LDAP refuses makes no vault", status == 4, (status, err))
succeed("one that LDAP accepts does", "coffer", "set", "mail", "dora", "--require", "passcode", user="dora", env=right_answer, input=b"of the directory")
check("and reads an item that asks for the login password",
      succeed("coffer get", "coffer", "get", "mail", "dora", user="dora", env=right_answer) == b"of the directory")
directory.close()

# ---- a service vault ----
subprocess.run(["useradd", "--system", "nightly"], check=True)
succeed("root makes a service vault", "coffer", "vault", "create", "--owner", "nightly")
shut = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs", "--"]
for words in (["lock"], ["unlock"]):
    succeed(f"coffer {words[0]} --user works without privileges, as in its unit", *shut, "coffer", *words, "--user", "nightly", "--quiet")
daemons.stop()

# ---- an update ----
rules = pathlib.Path("/etc/pam.d/coffer-passcode")
rules.write_text(rules.read_text() + "# edited\n")
precious = pathlib.Path("/etc/precious")
precious.write_text("root's\n")
precious.chmod(0o600)
# What a taken-over broker could leave for root's scripts to follow.
subprocess.run(["setpriv", "--reuid=coffer", "--regid=coffer", "--clear-groups", "sh", "-c",
                "ln -s /etc/precious /var/lib/coffer/user-9.vault; ln -s /etc /var/lib/coffer/etc; chmod 0777 /var/lib/coffer"], check=True)
said = dpkg("the update installs", "--force-confdef", "--install", *updates)
check("edited files in /etc are kept", "# edited" in rules.read_text() and SETTINGS in CONFIGURATION.read_text())
check("root's scripts follow no link of the broker's", mode("/etc/precious") == "0600 root:root" and mode("/etc") == "0755 root:root", (mode("/etc/precious"), mode("/etc")))
check("and close its folder again", mode("/var/lib/coffer") == "0700 coffer:coffer", mode("/var/lib/coffer"))
for name in ("user-9.vault", "etc"):
    pathlib.Path(f"/var/lib/coffer/{name}").unlink()
daemons.start()
check("the secret is there after the update", succeed("coffer get", "coffer", "get", "mail", "alice", user="alice", env=alice) == b"kept through all")
daemons.stop()

# ---- removal, and another installation ----
names = ["coffer", "libpam-coffer"] + (["coffer-secret-service"] if provider else [])
dpkg("the packages can be removed", "--remove", *names)
check("no login program names the module any more", "pam_coffer" not in common_auth(), common_auth())
check("and D-Bus files are where they were", run("dpkg-divert", "--list", "*secrets*")[1] == b"")
check("the programs are gone", not os.path.exists("/usr/libexec/coffer") and not os.path.exists("/usr/bin/coffer"))
check("vault, registry and settings are kept", glob.glob("/var/lib/coffer/*.vault") and os.path.exists("/var/lib/coffer-auth") and CONFIGURATION.exists())
dpkg("they can be installed again", "--install", *updates)
daemons.start()
check("the secret is there after another installation", succeed("coffer get", "coffer", "get", "mail", "alice", user="alice", env=alice) == b"kept through all")
daemons.stop()

# ---- purge ----
# As the unit coffer-admit@ makes it.
invitations = pathlib.Path("/var/lib/coffer-invitations")
invitations.mkdir(mode=0o700)
said = dpkg("a purge that asks nobody goes through", "--purge", *names)
check("it keeps the vaults, and says so", glob.glob("/var/lib/coffer/*.vault") and "Kept the vaults" in said, said)
check("it names each folder that is left", "rm -r /var/lib/coffer /var/lib/coffer-auth /var/lib/coffer-invitations\n" in said and invitations.exists(), said)
check("settings are gone", not CONFIGURATION.exists())
dpkg("they can be installed once more", "--install", *updates)
# The TPM of the test is not in the shipped configuration.
CONFIGURATION.write_text(CONFIGURATION.read_text() + SETTINGS)
daemons.start()
check("the vaults open after a purge that kept them", succeed("coffer get", "coffer", "get", "mail", "alice", user="alice", env=alice) == b"kept through all")
daemons.stop()
subprocess.run(["setpriv", "--reuid=coffer", "--regid=coffer", "--clear-groups", "ln", "-s", "/etc", "/var/lib/coffer/etc"], check=True)
subprocess.run(["debconf-set-selections"], input=b"coffer coffer/delete-vaults boolean true\n", check=True)
# A mount point cannot be removed.
subprocess.run(["mount", "--bind", "/var/lib/coffer", "/var/lib/coffer"], check=True)
said = dpkg("a purge with the answer yes goes through", "--purge", *names)
check("it empties a mount point, and says so", os.listdir("/var/lib/coffer") == [] and "The folder itself stays" in said, said)
subprocess.run(["umount", "/var/lib/coffer"], check=True)
os.rmdir("/var/lib/coffer")
check("it deletes the vaults, and nothing behind a link", not os.path.exists("/var/lib/coffer") and not os.path.exists("/var/lib/coffer-auth") and not invitations.exists() and os.path.exists("/etc/precious"), said)
check("the common PAM files are as before", "pam_coffer" not in common_auth() and "pam_unix.so" in common_auth())
finish()
