/// Access to one TPM. Each operation opens it again, so that no handle outlives its operation or crosses a fork.
public final class TPMAccess: Sendable {
    public let configuration: TCTIConfiguration
    /// The longest time for one command, including connecting.
    public let deadline: Duration
    private let observer: (any CommandObserver)?
    private let leftovers: Leftovers
    private let reserved: @Sendable () -> Set<UInt32>

    /// - Parameters:
    ///   - deadline: ten seconds at most; a longer one is cut to that.
    ///   - observer: sees every command.
    ///   - reserved: the handles that no new index takes, even if the TPM has nothing there.
    public init(
        _ configuration: TCTIConfiguration, deadline: Duration = .seconds(8), observer: (any CommandObserver)? = nil,
        reserved: @escaping @Sendable () -> Set<UInt32> = { [] }
    ) {
        self.configuration = configuration
        self.deadline = min(deadline, .seconds(10))
        self.observer = observer
        self.reserved = reserved
        leftovers = Leftovers(expected: configuration.keepsLeftovers)
    }

    /// Takes a deadline of any length, for a simulator on a machine that is slower than any TPM.
    package init(
        _ configuration: TCTIConfiguration, anyDeadline deadline: Duration, observer: (any CommandObserver)?,
        reserved: @escaping @Sendable () -> Set<UInt32> = { [] }
    ) {
        self.configuration = configuration
        self.deadline = deadline
        self.observer = observer
        self.reserved = reserved
        leftovers = Leftovers(expected: configuration.keepsLeftovers)
    }

    /// Opens the TPM. It closes when the context and everything made with it are gone.
    ///
    /// - Throws: `.unavailable`, `.deadline`.
    public func open() throws(TPMError) -> TPMContext {
        let channel = try Channel(configuration, limit: deadline, observer: observer)
        try leftovers.flush(channel)
        return TPMContext(engine: try Engine(channel, leftovers: leftovers), reserved: reserved)
    }

    /// Flushes what a killed predecessor left in a TPM that Coffer has for itself. A service calls this when it starts.
    /// Otherwise the first operation flushes, and takes longer by those commands.
    public func flushLeftovers() throws(TPMError) {
        guard configuration.keepsLeftovers else { return }
        leftovers.note()
        _ = try open()
    }
}
