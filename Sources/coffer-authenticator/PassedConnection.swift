import Authenticator
import Platform
import ProgramOptions
import RootConfiguration
import ServiceManager

/// What serves one connection and ends.
struct PassedConnection {
    private let file: ConfigurationFile
    /// The connection's descriptor; nil if systemd passes it.
    private let number: Int32?

    init(_ options: ParsedOptions, _ file: ConfigurationFile) throws {
        self.file = file
        number = try options["connection"].map { text in
            guard let number = Int32(text) else { throw UsageError("--connection takes a descriptor's number") }
            return number
        }
    }

    /// Holds one conversation.
    /// - Parameter isUnlogged: whether the log gets a line only if somebody answers, or for what only root may do.
    func converse(isUnlogged: Bool) throws {
        let configuration = try load()
        try ClientConversation(configuration: configuration, isUnlogged: isUnlogged).run(on: take())
    }

    /// Takes one login's report.
    func report() throws {
        let configuration = try load()
        try LoginReport(configuration: configuration).run(on: take())
    }

    /// Hardens the process before it reads anything.
    private func load() throws -> Configuration {
        try ProcessHardening.apply()
        return try file.load()
    }

    /// Takes the connection over, and closes or clears everything else that was inherited.
    private func take() throws -> Descriptor {
        let passed = try number.map { [$0] } ?? ActivationSockets.take()
        guard passed.count == 1, let number = passed.first, number >= 3 else {
            throw UsageError(
                "No connection was passed: systemd starts this program, or \"coffer-authenticator serve\".")
        }
        try OwnProcess.clearEnvironment()
        let descriptor = try OwnProcess.adopt(number)
        try OwnProcess.closeDescriptors(from: number + 1)
        return descriptor
    }
}
