import Glibc

/// Writes to a pipe or a socket that somebody else reads.
package enum BrokenPipe {
    /// Writes all bytes. If the reader has gone, this is an error and no signal.
    ///
    /// The signal is for the thread that writes, so it is blocked there and taken. The process's own handling stays.
    package static func write(_ bytes: [UInt8], to number: Int32, named name: String) throws(SystemError) {
        try withoutSignal { () throws(SystemError) in try FileBytes.write(bytes, to: number, named: name) }
    }

    /// Does what may write to a reader that has gone, on this thread.
    package static func withoutSignal<Value>(_ body: () throws(SystemError) -> Value) throws(SystemError) -> Value {
        var (signals, before, pending) = (sigset_t(), sigset_t(), sigset_t())
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGPIPE)
        unsafe sigpending(&pending)
        // A signal that waits already is not of this write.
        let waits = unsafe sigismember(&pending, SIGPIPE) == 1
        unsafe pthread_sigmask(SIG_BLOCK, &signals, &before)
        defer {
            if !waits {
                var atOnce = timespec()
                unsafe sigtimedwait(&signals, nil, &atOnce)
            }
            unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
        }
        return try body()
    }
}
