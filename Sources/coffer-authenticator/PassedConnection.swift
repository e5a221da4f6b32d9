import ArgumentParser
import Configuration
import Platform
import ServiceManager

/// The options of the subcommands that serve one connection and end.
struct PassedConnection: ParsableArguments {
    @OptionGroup var options: CommonOptions

    @Option(help: "The connection's descriptor, where systemd did not pass it.")
    var connection: Int32?

    /// Hardens the process before it reads anything.
    func load() throws -> Configuration {
        try ProcessHardening.apply()
        return try options.load()
    }

    /// Takes the connection over, and closes or clears everything else that was inherited.
    func take() throws -> Descriptor {
        let passed = try connection.map { [$0] } ?? ActivationSockets.take()
        guard passed.count == 1, let number = passed.first, number >= 3 else {
            throw ValidationError(
                "No connection was passed: systemd starts this program, or \"coffer-authenticator serve\".")
        }
        try ProcessSurroundings.clearEnvironment()
        let descriptor = try ProcessSurroundings.adopt(number)
        try ProcessSurroundings.closeDescriptors(from: number + 1)
        return descriptor
    }
}
