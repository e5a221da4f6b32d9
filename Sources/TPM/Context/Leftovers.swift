import Synchronization

/// What an operation could not flush, kept for the next opening. Matters only where no resource manager flushes for us: there
/// the TPM is ours alone, so whatever is loaded in it is a leftover.
final class Leftovers: Sendable {
    private let possible: Mutex<Bool>

    /// `expected`: whether there may be some from a process that was killed.
    init(expected: Bool) { possible = Mutex(expected) }

    func note() { possible.withLock { $0 = true } }

    /// Flushes all transient objects and sessions where there may be any.
    func flush(_ channel: Channel) throws(TPMError) {
        guard channel.configuration.keepsLeftovers, possible.withLock({ $0 }) else { return }
        for range in [HandleRange.transient, .loadedSessions, .savedSessions] {
            for handle in try Capability.handles(range, channel) { try Self.flush(handle, channel) }
        }
        possible.withLock { $0 = false }
    }

    static func flush(_ handle: UInt32, _ channel: Channel) throws(TPMError) {
        var parameters: [UInt8] = []
        parameters.append(handle)
        _ = try channel.exchange(.flushContext, parameters)
    }
}
