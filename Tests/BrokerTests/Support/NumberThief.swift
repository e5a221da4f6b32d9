import Glibc

@testable import Platform

/// A program that connects to a socket from a child, which ends at once. Another child then gets the number of the
/// first. A check of the number alone takes the second child for the one that connected. It ends with the value.
final class NumberThief {
    /// The thief's output: its children's number.
    let said: String
    private let line: UnixSocket
    private let pid: Int32

    /// Whether a number can be reused here. That takes root, and a kernel that lets root choose the next number.
    static var isPossible: Bool {
        unsafe access("/proc/sys/kernel/ns_last_pid", W_OK) == 0 && geteuid() == 0
    }

    // The connection stays open in the parent. The kernel describes it by the child that made it.
    private static let program = #"""
        import os, signal, socket, sys
        line = socket.socket(fileno=0)
        connection = socket.socket(socket.AF_UNIX)
        first = os.fork()
        if first == 0:
            connection.connect(sys.argv[1]); os._exit(0)
        os.waitpid(first, 0)
        word = "none"
        for attempt in range(2000):
            with open("/proc/sys/kernel/ns_last_pid", "w") as last: last.write(str(first - 1))
            second = os.fork()
            if second == 0:
                signal.pause(); os._exit(0)
            if second == first: word = "taken"; break
            os.kill(second, signal.SIGKILL); os.waitpid(second, 0)
        line.sendall(word.encode() + b"\0")
        while line.recv(1): pass
        if word == "taken": os.kill(second, signal.SIGKILL); os.waitpid(second, 0)
        """#

    init(connectingTo path: String) throws {
        var ends: [Int32] = [-1, -1]
        guard unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0
        else { throw SystemError("make a pair of sockets", errno: errno) }
        var own = UnixSocket(adopting: Descriptor(adopting: ends[0]))
        let its = Descriptor(adopting: ends[1])
        pid = try Launch(descriptors: [(its.number, 0)]).start(
            "/usr/bin/python3", ["python3", "-c", Self.program, path])
        _ = consume its
        do {
            let message = try own.receiveMessage(limit: 100, until: .now + .seconds(120)) ?? []
            said = String(decoding: message, as: UTF8.self)
        } catch {
            kill(pid, SIGKILL)
            Self.reap(pid)
            throw error
        }
        line = own
    }

    deinit {
        line.shutDown()
        Self.reap(pid)
    }

    private static func reap(_ pid: Int32) {
        var status: Int32 = 0
        while unsafe waitpid(pid, &status, 0) < 0, errno == EINTR {}
    }
}
