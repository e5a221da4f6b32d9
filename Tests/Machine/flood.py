"""A hostile user's connections. They are held until standard input ends.

usage: flood.py SOCKET COUNT [UID COUNT-OF-UIDS]     as COUNT-OF-UIDS accounts from UID on, COUNT connections each; by default as the caller
"""
import os
import resource
import socket
import sys
import time

path, count = sys.argv[1], int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_NOFILE, (8192, 8192))
kept = []


def connect():
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    # If the queue has no place, it tries again for some time.
    end = time.monotonic() + 120
    connection.settimeout(5)
    while time.monotonic() < end:
        try:
            connection.connect(path)
            kept.append(connection)
            return True
        except (BlockingIOError, socket.timeout):
            time.sleep(0.01)
        except ConnectionError:
            return False
    return False


began = time.monotonic()
if len(sys.argv) > 3:
    made = 0
    for uid in range(int(sys.argv[3]), int(sys.argv[3]) + int(sys.argv[4])):
        os.setresuid(uid, uid, 0)
        made += sum(connect() for _ in range(count))
        os.setresuid(0, 0, 0)
else:
    made = sum(connect() for _ in range(count))
print(f"{made} connections in {time.monotonic() - began:.1f} s", flush=True)
sys.stdin.read()
