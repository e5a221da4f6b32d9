#pragma once
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <spawn.h>
#include <linux/memfd.h>
#include <malloc.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/types.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

// prctl is variadic, which Swift does not import.
static inline int coffer_set_dumpable(int dumpable) { return prctl(PR_SET_DUMPABLE, dumpable, 0, 0, 0); }
static inline int coffer_set_no_new_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }

static inline int coffer_set_child_subreaper(void) { return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }

// Hidden without _GNU_SOURCE. glibc's own, not the system call's: all threads of the process change.
int setresuid(uid_t, uid_t, uid_t);
int setresgid(gid_t, gid_t, gid_t);
static inline int coffer_setresuid(uid_t uid) { return setresuid(uid, uid, uid); }
static inline int coffer_setresgid(gid_t gid) { return setresgid(gid, gid, gid); }

// Hidden without _GNU_SOURCE.
int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *, const char *);
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *, int);
static inline int coffer_spawn_in_folder(posix_spawn_file_actions_t *actions, const char *path) {
    return posix_spawn_file_actions_addchdir_np(actions, path);
}
static inline int coffer_spawn_closing_from(posix_spawn_file_actions_t *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

static inline int coffer_close_from(int first) { return (int)syscall(SYS_close_range, first, ~0U, 0); }

// syscall is variadic, and glibc has no wrapper for pidfd_open before 2.36.
static inline int coffer_pidfd_open(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

// Hidden without _GNU_SOURCE.
static inline int coffer_pipe(int ends[2]) { return (int)syscall(SYS_pipe2, ends, O_CLOEXEC); }

// A variable that any thread could change is none that Swift reads.
extern char **environ;
static inline char **coffer_environment(void) { return environ; }

// Whether a folder is on tmpfs or ramfs, which keep files in memory only. Swift does not import the macros of linux/magic.h.
static inline int coffer_is_in_memory(const char *path) {
    struct statfs system;
    if (statfs(path, &system) != 0) return -1;
    return (uint32_t)system.f_type == 0x01021994u || (uint32_t)system.f_type == 0x858458f6u;
}

// open and openat are variadic.
static inline int coffer_open(const char *path, int flags, mode_t mode) { return open(path, flags, mode); }
static inline int coffer_openat(int folder, const char *name, int flags, mode_t mode) {
    return openat(folder, name, flags, mode);
}

// openat is variadic.
static inline int coffer_open_in(int folder, const char *name, int flags, mode_t mode) {
    return openat(folder, name, flags, mode);
}

// Hidden without _GNU_SOURCE. Fails with EEXIST if there is something of the new name (RENAME_NOREPLACE, 1).
static inline int coffer_rename_new(const char *path, const char *other) {
    return (int)syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, other, 1);
}

// Its special times are macros that Swift does not import.
static inline int coffer_set_changed(int fd, long long seconds, long long nanoseconds) {
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = seconds, .tv_nsec = nanoseconds}};
    return futimens(fd, times);
}

// A descriptor that can be read when a name in the folder changes. Files are replaced by renaming, so writing is not watched.
static inline int coffer_watch_folder(const char *path) {
    int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (fd < 0) return -1;
    if (inotify_add_watch(fd, path, IN_MOVED_TO | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_DONT_FOLLOW) >= 0)
        return fd;
    int number = errno;
    close(fd);
    errno = number;
    return -1;
}

// Something that other programs write need not be renamed into its place, so the end of writing counts, too.
static inline int coffer_arrivals(void) { return inotify_init1(IN_CLOEXEC | IN_NONBLOCK); }
static inline int coffer_arrivals_watch(int fd, const char *path) {
    return inotify_add_watch(
        fd, path, IN_MOVED_TO | IN_CLOSE_WRITE | IN_CREATE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_DONT_FOLLOW);
}
// A file that was made is still empty. Only a folder counts at once.
static inline int coffer_arrival_counts(uint32_t mask) { return !(mask & IN_CREATE) || (mask & IN_ISDIR); }

// A timer that never ends, and can be read when the clock was set or the machine has slept (timerfd_create(2)).
static inline int coffer_clock_watch(void) { return timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK); }
static inline int coffer_clock_watch_again(int fd) {
    uint64_t ended;
    struct itimerspec never = {.it_value = {.tv_sec = time(NULL) + 1000000000L}};
    // What it says is that it can be read.
    if (read(fd, &ended, sizeof ended) < 0 && errno != ECANCELED && errno != EAGAIN) return -1;
    return timerfd_settime(fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL);
}

static inline uint32_t coffer_folder_gone(void) { return IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT; }

// fcntl is variadic.
static inline int coffer_duplicate_above(int fd, int least) { return fcntl(fd, F_DUPFD_CLOEXEC, least); }

// fcntl is variadic, and open file description locks are hidden without _GNU_SOURCE; their numbers are the kernel's own.
static inline int coffer_lock_shared(int fd, off_t place) {
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = place, .l_len = 1};
    return fcntl(fd, 37 /* F_OFD_SETLK */, &lock);
}

// Whether anybody holds a lock at another place: before it, or after it (a length of 0 reaches to the end, and one of 0 before the first place would too).
static inline int coffer_locked_elsewhere(int fd, off_t place) {
    struct flock before = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = place};
    struct flock after = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = place + 1, .l_len = 0};
    if (place > 0) {
        if (fcntl(fd, 36 /* F_OFD_GETLK */, &before) != 0) return -1;
        if (before.l_type != F_UNLCK) return 1;
    }
    if (fcntl(fd, 36 /* F_OFD_GETLK */, &after) != 0) return -1;
    return after.l_type != F_UNLCK;
}

// The same for any lock: of one place or many, exclusive or shared, waited for or not.
static inline int coffer_lock_places(int fd, off_t start, off_t length, int isShared, int waits) {
    struct flock lock = {
        .l_type = isShared ? F_RDLCK : F_WRLCK, .l_whence = SEEK_SET, .l_start = start, .l_len = length};
    return fcntl(fd, waits ? 38 /* F_OFD_SETLKW */ : 37 /* F_OFD_SETLK */, &lock);
}

static inline int coffer_unlock_places(int fd, off_t start, off_t length) {
    struct flock lock = {.l_type = F_UNLCK, .l_whence = SEEK_SET, .l_start = start, .l_len = length};
    return fcntl(fd, 37 /* F_OFD_SETLK */, &lock);
}

// Whether somebody else holds a lock at one of these places.
static inline int coffer_places_locked(int fd, off_t start, off_t length) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = start, .l_len = length};
    if (fcntl(fd, 36 /* F_OFD_GETLK */, &lock) != 0) return -1;
    return lock.l_type != F_UNLCK;
}

// accept4's address parameter is a transparent union, which Swift does not import well; and it is hidden without _GNU_SOURCE.
static inline int coffer_accept(int fd) { return (int)syscall(SYS_accept4, fd, 0, 0, SOCK_CLOEXEC); }

// struct ucred is hidden without _GNU_SOURCE, which would set this module at odds with Swift's own Glibc.
struct coffer_ucred {
    pid_t pid;
    uid_t uid;
    gid_t gid;
};

static inline int coffer_peer_credentials(int fd, pid_t *pid, uid_t *uid, gid_t *gid) {
    struct coffer_ucred credentials;
    socklen_t length = sizeof credentials;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) return -1;
    if (length != sizeof credentials) {
        errno = EPROTO;
        return -1;
    }
    *pid = credentials.pid;
    *uid = credentials.uid;
    *gid = credentials.gid;
    return 0;
}

// SIG_IGN is a cast, which Swift does not import.
static inline int coffer_ignores(int number) {
    struct sigaction action;
    return sigaction(number, 0, &action) == 0 && action.sa_handler == SIG_IGN;
}

// memfd_create is hidden without _GNU_SOURCE. Kernels before 6.3 do not know MFD_NOEXEC_SEAL (8), and others may demand it.
static inline int coffer_sealable_file(const char *name) {
    int fd = (int)syscall(SYS_memfd_create, name, MFD_CLOEXEC | MFD_ALLOW_SEALING | 8U);
    if (fd >= 0 || errno != EINVAL) return fd;
    return (int)syscall(SYS_memfd_create, name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

// fcntl is variadic; F_ADD_SEALS (1033) with F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW and F_SEAL_WRITE, the kernel's own numbers.
static inline int coffer_seal(int fd) { return fcntl(fd, 1033, 0x1 | 0x2 | 0x4 | 0x8); }
// The CMSG macros are not imported. Sends at least one byte, and the descriptor with the first.
static inline ssize_t coffer_send_descriptor(int fd, const void *bytes, size_t length, int flags, int passed) {
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    memset(&control, 0, sizeof control);
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = length};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control.bytes};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &passed, sizeof(int));
    return sendmsg(fd, &message, flags);
}

// As recv. Gives the last descriptor that came along, and closes every other; -1 if none came.
static inline ssize_t coffer_receive_descriptor(int fd, void *bytes, size_t length, int flags, int *passed) {
    // SCM_MAX_FD: the kernel never gives more, so none is lost.
    enum { most = 253 };
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(most * sizeof(int))];
    } control;
    struct iovec part = {.iov_base = bytes, .iov_len = length};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control.bytes};
    *passed = -1;
    ssize_t count = recvmsg(fd, &message, flags | 0x40000000 /* MSG_CMSG_CLOEXEC */);
    if (count < 0) return count;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        size_t size = header->cmsg_len - CMSG_LEN(0);
        for (size_t at = 0; at + sizeof(int) <= size; at += sizeof(int)) {
            if (*passed >= 0) close(*passed);
            memcpy(passed, CMSG_DATA(header) + at, sizeof(int));
        }
    }
    return count;
}

// epoll_event is packed, and its members are a union. The descriptor can be polled like any other.
static inline int coffer_poll_group(void) { return epoll_create1(EPOLL_CLOEXEC); }
static inline int coffer_poll_group_add(int group, int fd) {
    struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP, .data = {.fd = fd}};
    return epoll_ctl(group, EPOLL_CTL_ADD, fd, &event);
}

// Its flags are an enumeration that Swift imports with another type.
static inline int coffer_event_descriptor(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

// getopt_long keeps its state in variables, which Swift takes for shared ones. A place of 0 makes it begin anew.
static inline void coffer_options_begin(void) { optind = 0; opterr = 0; }
static inline int coffer_options_place(void) { return optind; }
static inline const char *coffer_option_value(void) { return optarg; }
