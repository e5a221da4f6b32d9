#pragma once
#include <errno.h>
#include <poll.h>
#include <security/pam_modules.h>
#include <security/pam_modutil.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

// errno is a macro that calls a function, which Swift does not import.
static inline int coffer_errno(void) { return errno; }
static inline void coffer_set_errno(int value) { errno = value; }

// connect's address parameter is a transparent union under _GNU_SOURCE, which Swift does not import well. path: at most 107 bytes and a zero.
static inline int coffer_connect(int descriptor, const char *path) {
    struct sockaddr_un address;
    memset(&address, 0, sizeof address);
    address.sun_family = AF_UNIX;
    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(address.sun_path, path);
    return connect(descriptor, (const struct sockaddr *)&address, sizeof address);
}

// The uid at a socket's other end, by the kernel's word; (uid_t)-1 where it does not say. struct ucred hides behind _GNU_SOURCE.
static inline uid_t coffer_peer(int descriptor) {
    struct { pid_t pid; uid_t uid; gid_t gid; } peer;
    socklen_t size = sizeof peer;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || size != sizeof peer) return (uid_t)-1;
    return peer.uid;
}

// Whether the transaction is about this process's own user. Only a module's entry may ask, because libpam keeps the account for it.
static inline int coffer_is_own(pam_handle_t *handle) {
    const void *name = NULL;
    if (pam_get_item(handle, PAM_USER, &name) != PAM_SUCCESS || name == NULL) return 0;
    struct passwd *entry = pam_modutil_getpwnam(handle, name);
    return entry != NULL && entry->pw_uid == getuid();
}

// PAM_FAIL_DELAY holds a function, which libpam takes for a plain pointer.
typedef void (*coffer_verdict)(int result, unsigned int delay, void *conversation);
static inline int coffer_set_verdict(pam_handle_t *handle, coffer_verdict verdict) {
    return pam_set_item(handle, PAM_FAIL_DELAY, (const void *)verdict);
}
static inline coffer_verdict coffer_get_verdict(pam_handle_t *handle) {
    const void *verdict = NULL;
    return pam_get_item(handle, PAM_FAIL_DELAY, &verdict) == PAM_SUCCESS ? (coffer_verdict)verdict : NULL;
}

// What waits for libpam's verdict, which comes without the handle: so there is one of it in a process, for one transaction at a time.
struct coffer_pending {
    int taken;
    pam_handle_t *handle;
    coffer_verdict previous;
    const char *report, *broker, *authenticator;
    int patience; // milliseconds; 0 for the usual
    size_t count;
    unsigned char password[PAM_MAX_RESP_SIZE];
};
static inline struct coffer_pending *coffer_pending(void) {
    static struct coffer_pending pending;
    return &pending;
}
// Whether nobody had it; threads may ask at once.
static inline int coffer_take(struct coffer_pending *pending) { return !__atomic_exchange_n(&pending->taken, 1, __ATOMIC_ACQ_REL); }
static inline void coffer_release(struct coffer_pending *pending) {
    explicit_bzero(pending->password, sizeof pending->password);
    pending->count = 0;
    pending->handle = NULL;
    pending->previous = NULL;
    __atomic_store_n(&pending->taken, 0, __ATOMIC_RELEASE);
}

// The kind of a socket is an enumeration in one header and a macro in another; Swift sees neither as a number.
static inline int coffer_socket(void) { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }
static inline ssize_t coffer_send(int descriptor, const void *bytes, size_t count) {
    return send(descriptor, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
}
static inline ssize_t coffer_receive(int descriptor, void *bytes, size_t count) {
    return recv(descriptor, bytes, count, MSG_DONTWAIT);
}
