import Broker
import Glibc
import TPM

/// How long a test waits for something that must happen. It only catches what hangs, and does not measure speed. A busy machine of a tenth of the
/// usual speed must not reach it. With a protection removed (scripts/mutants) the wait is in vain, and `COFFER_TEST_PATIENCE` shortens it.
public let patience = Duration.seconds(
    unsafe getenv("COFFER_TEST_PATIENCE").flatMap { unsafe Int(String(cString: $0)) } ?? 600)

extension TPMAccess {
    /// Access to a simulator that may be slow.
    /// - Parameters:
    ///   - deadline: for a test in which the simulator hangs; nil for ``patience``.
    ///   - reserved: the handles that no new index takes.
    public static func patient(
        _ configuration: TCTIConfiguration, deadline: Duration? = nil, observer: (any CommandObserver)? = nil,
        reserved: @escaping @Sendable () -> Set<UInt32> = { [] }
    ) -> TPMAccess {
        TPMAccess(configuration, anyDeadline: deadline ?? patience, observer: observer, reserved: reserved)
    }
}

extension Broker.Options {
    /// Options without a time limit that a slow machine could reach.
    public static var patient: Broker.Options {
        var options = Broker.Options()
        options.messageTimeLimit = patience
        options.sealerTimeLimit = patience
        options.signatureTimeLimit = patience
        options.busTimeLimit = patience
        return options
    }
}
