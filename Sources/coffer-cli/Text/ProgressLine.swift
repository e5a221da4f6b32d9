import Glibc
import Platform

/// A line on the terminal that counts. It is not there if standard error is no terminal.
struct ProgressLine {
    private let total: Int
    private let verb: String
    private let isShown: Bool
    private var width = 0

    init(total: Int, verb: String) {
        self.total = total
        self.verb = verb
        isShown = isatty(STDERR_FILENO) == 1
    }

    mutating func show(_ count: Int) {
        guard isShown, count < total else { return }
        let text = "\(verb) \(count) of \(total)…"
        width = text.count
        write("\r" + text)
    }

    /// Makes room for the next line.
    func clear() {
        guard width > 0 else { return }
        write("\r" + String(repeating: " ", count: width) + "\r")
    }

    private func write(_ text: String) {
        // If the terminal is gone, the work goes on.
        try? StandardOutput.writeError(Array(text.utf8))
    }
}
