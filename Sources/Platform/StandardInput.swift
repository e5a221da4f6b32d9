import Glibc

/// What can be known of standard input without taking anything from it.
public enum StandardInput {
    /// Whether bytes wait to be read, in a file or a pipe. What sits at a terminal is a person's, and not looked at.
    public static var hasData: Bool {
        var count: Int32 = 0
        // What cannot be asked has nothing for us.
        guard isatty(STDIN_FILENO) == 0, unsafe ioctl(STDIN_FILENO, UInt(FIONREAD), &count) == 0 else { return false }
        return count > 0
    }
}
