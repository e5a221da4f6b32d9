import Glibc

/// Ends this process by a signal, and not by an exit status.
public enum SignalEnd {
    /// Does what Ctrl-C does where a terminal sends signals: every program of this process group gets SIGINT. A shell that runs a script ends its loop
    /// only if it gets the signal itself, and the program that it waits for ends by it.
    public static func interrupt() -> Never {
        signal(SIGINT, SIG_IGN)
        kill(0, SIGINT)
        end(by: SIGINT)
    }

    public static func end(by number: Int32) -> Never {
        signal(number, SIG_DFL)
        var set = sigset_t()
        unsafe sigemptyset(&set)
        unsafe sigaddset(&set, number)
        _ = unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
        kill(getpid(), number)
        // Some signals do not end this process, for example the first one of a container.
        exit(128 + number)
    }
}
