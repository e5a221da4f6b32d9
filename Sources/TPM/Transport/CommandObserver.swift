/// Watches what goes to the TPM and comes back, exactly as on the bus; for counting and for tests.
public protocol CommandObserver: Sendable {
    /// Called once for each command, after its answer (nil where none came).
    func commandEnded(_ command: [UInt8], answer: [UInt8]?)
}
