"""A login program that lets a person try again on one handle, as login(1) and lockers do. It is for the tests of pam_coffer.

usage: retries.py SERVICE USER
Each line of the input is the password of one attempt. Prints libpam's result of each, as a number.
"""
import ctypes
import sys


class Message(ctypes.Structure):
    _fields_ = [("style", ctypes.c_int), ("text", ctypes.c_char_p)]


class Response(ctypes.Structure):
    _fields_ = [("text", ctypes.c_void_p), ("code", ctypes.c_int)]


Converse = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_int, ctypes.POINTER(ctypes.POINTER(Message)), ctypes.POINTER(ctypes.c_void_p), ctypes.c_void_p)


class Conversation(ctypes.Structure):
    _fields_ = [("function", Converse), ("data", ctypes.c_void_p)]


PAM_SUCCESS, PAM_BUF_ERR, PAM_PROMPT_ECHO_OFF = 0, 5, 1
libc, libpam = ctypes.CDLL("libc.so.6"), ctypes.CDLL("libpam.so.0")
for function in (libc.calloc, libc.strdup):
    function.restype = ctypes.c_void_p
libc.calloc.argtypes = [ctypes.c_size_t, ctypes.c_size_t]
libc.strdup.argtypes = [ctypes.c_char_p]
libpam.pam_start.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.POINTER(Conversation), ctypes.POINTER(ctypes.c_void_p)]
libpam.pam_authenticate.argtypes = [ctypes.c_void_p, ctypes.c_int]
libpam.pam_end.argtypes = [ctypes.c_void_p, ctypes.c_int]
password = b""


def converse(count, messages, responses, _):
    """libpam frees the answers, so they come from its own heap."""
    block = libc.calloc(count, ctypes.sizeof(Response))
    if not block:
        return PAM_BUF_ERR
    answers = ctypes.cast(block, ctypes.POINTER(Response))
    for place in range(count):
        if messages[place].contents.style == PAM_PROMPT_ECHO_OFF:
            answers[place].text = libc.strdup(password)
    responses[0] = block
    return PAM_SUCCESS


def main(service, user):
    global password
    conversation, handle = Conversation(Converse(converse), None), ctypes.c_void_p()
    if libpam.pam_start(service.encode(), user.encode(), ctypes.byref(conversation), ctypes.byref(handle)) != PAM_SUCCESS:
        sys.exit("pam_start failed")
    result = PAM_SUCCESS
    for line in sys.stdin:
        password = line.rstrip("\n").encode()
        result = libpam.pam_authenticate(handle, 0)
        print(result, flush=True)
    libpam.pam_end(handle, result)


main(*sys.argv[1:])
