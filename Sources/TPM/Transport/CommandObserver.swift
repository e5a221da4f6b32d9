/// Sees the commands and answers exactly as on the bus. For counting and for tests.
public protocol CommandObserver: Sendable {
    /// Called once for each command after its answer. `answer` is nil if there was none.
    func commandEnded(_ command: [UInt8], answer: [UInt8]?)
}
