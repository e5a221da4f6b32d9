import CLinux
import Glibc
import Platform
import Testing

/// A child process with a time limit for the wait for its end. It ends with the value at the latest.
struct ProcessHandle: ~Copyable {
    private let pid: pid_t
    let descriptor: Descriptor
    private var isReaped = false

    init(pid: pid_t) throws {
        self.pid = pid
        descriptor = Descriptor(adopting: coffer_pidfd_open(pid))
        try #require(descriptor.number >= 0)
    }

    deinit {
        guard !isReaped else { return }
        kill(pid, SIGKILL)
        Self.reap(pid)
    }

    /// - Returns: the exit status, or 128 plus the signal's number if a signal ended it.
    mutating func wait(until limit: ContinuousClock.Instant) throws -> Int32 {
        let ended = try descriptor.waitToRead(until: limit)
        if !ended { kill(pid, SIGKILL) }
        let status = Self.reap(pid)
        isReaped = true
        try #require(ended, "the process did not end in time")
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
    }

    /// - Returns: what waitpid said.
    @discardableResult
    private static func reap(_ pid: pid_t) -> Int32 {
        var status: Int32 = 0
        while unsafe waitpid(pid, &status, 0) < 0, errno == EINTR {}
        return status
    }
}
