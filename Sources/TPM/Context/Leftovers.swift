import Synchronization

/// Remembers that an operation could not flush everything, so that the next opening does. This matters only without a
/// resource manager. Then Coffer has the TPM for itself, so everything loaded in it is a leftover.
final class Leftovers: Sendable {
    private let possible: Mutex<Bool>

    /// - Parameter expected: whether a killed process may have left something.
    init(expected: Bool) { possible = Mutex(expected) }

    func note() { possible.withLock { $0 = true } }

    /// Flushes all transient objects and sessions if there may be leftovers.
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
