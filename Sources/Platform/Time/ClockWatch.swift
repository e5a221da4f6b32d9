import CLinux

/// Notices that the machine has slept, or that its clock was set (timerfd_create(2), TFD_TIMER_CANCEL_ON_SET). The kernel
/// tells both in the same way.
public struct ClockWatch: ~Copyable, Sendable {
    private let timer: Descriptor

    public init() throws(SystemError) {
        let timer = Descriptor(adopting: try checked("watch the clock") { coffer_clock_watch() })
        let number = timer.number
        try checked("watch the clock") { coffer_clock_watch_again(number) }
        self.timer = timer
    }

    /// The descriptor, for `poll`. It is readable after a sleep.
    public var number: Int32 { timer.number }

    /// Waits for the next time. Call it after the descriptor was readable.
    public func again() throws(SystemError) {
        try checked("watch the clock") { coffer_clock_watch_again(timer.number) }
    }
}
