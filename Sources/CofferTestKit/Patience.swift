import Broker
import Glibc
import TPM

/// How long a test waits for what must happen: a limit for what hangs, and no measure of speed. A machine of a tenth of the usual speed, busy with
/// other things, must not reach it. Where a protection has been taken away (scripts/mutants) the wait is in vain, and `COFFER_TEST_PATIENCE` shortens it.
public let patience = Duration.seconds(
    unsafe getenv("COFFER_TEST_PATIENCE").flatMap { unsafe Int(String(cString: $0)) } ?? 600)

extension TPMAccess {
    /// To a simulator that may be slow.
    /// - Parameter deadline: for a test that has the simulator hang; nil for none that a slow machine could reach.
    public static func patient(
        _ configuration: TCTIConfiguration, deadline: Duration? = nil, observer: (any CommandObserver)? = nil
    ) -> TPMAccess {
        TPMAccess(configuration, anyDeadline: deadline ?? patience, observer: observer)
    }
}

extension Broker.Options {
    /// With no time limit that a slow machine could reach.
    public static var patient: Broker.Options {
        var options = Broker.Options()
        options.messageTimeLimit = patience
        options.sealerTimeLimit = patience
        options.signatureTimeLimit = patience
        options.busTimeLimit = patience
        return options
    }
}
