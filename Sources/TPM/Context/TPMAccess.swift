/// The way to one TPM. Each operation opens it anew, so no handle outlives an operation and nothing crosses a fork.
public final class TPMAccess: Sendable {
    public let configuration: TCTIConfiguration
    /// How long one command may take, connecting included.
    public let deadline: Duration
    private let observer: (any CommandObserver)?
    private let leftovers: Leftovers

    /// `deadline` is at most ten seconds; `observer` sees every command.
    public init(
        _ configuration: TCTIConfiguration, deadline: Duration = .seconds(8), observer: (any CommandObserver)? = nil
    ) {
        self.configuration = configuration
        self.deadline = min(deadline, .seconds(10))
        self.observer = observer
        leftovers = Leftovers(expected: configuration.keepsLeftovers)
    }

    /// With a deadline of any length: for a simulator on a machine that is slower than any TPM.
    package init(
        _ configuration: TCTIConfiguration, anyDeadline deadline: Duration, observer: (any CommandObserver)?
    ) {
        self.configuration = configuration
        self.deadline = deadline
        self.observer = observer
        leftovers = Leftovers(expected: configuration.keepsLeftovers)
    }

    /// Opens the TPM; closed when the context and all that was made with it are gone. Throws `.unavailable`, `.deadline`.
    public func open() throws(TPMError) -> TPMContext {
        let channel = try Channel(configuration, limit: deadline, observer: observer)
        try leftovers.flush(channel)
        return TPMContext(engine: try Engine(channel, leftovers: leftovers))
    }

    /// Flushes what a killed predecessor left in a TPM that is ours alone. For a service's start: the first operation does
    /// it too, at the price of its own commands.
    public func flushLeftovers() throws(TPMError) {
        guard configuration.keepsLeftovers else { return }
        leftovers.note()
        _ = try open()
    }
}
