"""An LDAP directory with one account, and the name service and PAM module that ask it. Everything runs in the clean root, on a Unix socket."""
import pathlib
import subprocess
import time

from installation import run

SOCKET = "ldapi://%2Frun%2Ftest-ldap%2Fldapi"
BASE = "dc=example,dc=org"


class Directory:
    def __init__(self, user, password):
        """Makes the directory, with an account that this machine's own files do not have."""
        for folder in ("/run/test-ldap", "/var/lib/test-ldap", "/run/nslcd"):
            pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
        pathlib.Path("/etc/test-slapd.conf").write_text(f"""
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/nis.schema
modulepath /usr/lib/ldap
moduleload back_mdb
pidfile /run/test-ldap/pid
database mdb
suffix "{BASE}"
rootdn "cn=admin,{BASE}"
directory /var/lib/test-ldap
access to attrs=userPassword by anonymous auth by * none
access to * by * read
""")
        hashed = run("slappasswd", "-s", password)[1].decode().strip()
        entries = f"""dn: {BASE}
objectClass: dcObject
objectClass: organization
o: test
dc: example

dn: uid={user},{BASE}
objectClass: account
objectClass: posixAccount
uid: {user}
cn: {user}
uidNumber: 20001
gidNumber: 100
homeDirectory: /home/{user}
loginShell: /bin/sh
userPassword: {hashed}
"""
        subprocess.run(["slapadd", "-f", "/etc/test-slapd.conf"], input=entries.encode(), check=True, capture_output=True)
        pathlib.Path("/etc/nslcd.conf").write_text(f"uid nslcd\ngid nslcd\nuri {SOCKET}\nbase {BASE}\n")
        names = pathlib.Path("/etc/nsswitch.conf")
        self.names = names.read_text()
        names.write_text("".join(f"{line.split()[0]} files ldap\n" if line.startswith(("passwd:", "group:", "shadow:")) else line + "\n"
                                 for line in self.names.splitlines()))
        subprocess.run(["chown", "nslcd:nslcd", "/run/nslcd"], check=True)
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "start_new_session": True}
        self.processes = [
            subprocess.Popen(["slapd", "-d", "0", "-f", "/etc/test-slapd.conf", "-h", SOCKET], **quiet),
            subprocess.Popen(["nslcd", "--nofork"], **quiet),
        ]
        end = time.monotonic() + 60
        while run("getent", "passwd", user)[0] != 0:
            if time.monotonic() > end or any(process.poll() is not None for process in self.processes):
                raise SystemExit("the directory did not start")
            time.sleep(0.1)

    def close(self):
        for process in reversed(self.processes):
            process.terminate()
            process.wait(30)
        pathlib.Path("/etc/nsswitch.conf").write_text(self.names)
