import CLinux
import Glibc

/// Signals that are read from a descriptor instead of interrupting the process (signalfd(2)). They stay blocked for good, also in threads that start
/// later.
public struct SignalDescriptor: ~Copyable {
    private let descriptor: Descriptor

    public init(_ numbers: [Int32]) throws(SystemError) {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for number in numbers { unsafe sigaddset(&set, number) }
        let code = unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
        guard code == 0 else { throw SystemError("block signals", errno: code) }
        let number = try checked("watch for signals") {
            unsafe signalfd(-1, &set, Int32(SFD_CLOEXEC) | Int32(SFD_NONBLOCK))
        }
        descriptor = Descriptor(adopting: number)
    }

    /// The descriptor, for `poll`. It is readable when a signal is pending.
    public var number: Int32 { descriptor.number }

    /// Takes the pending signals and returns their numbers.
    public func take() -> [Int32] {
        var taken: [Int32] = []
        var information = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        while unsafe read(descriptor.number, &information, size) == size { taken.append(Int32(information.ssi_signo)) }
        return taken
    }
}
