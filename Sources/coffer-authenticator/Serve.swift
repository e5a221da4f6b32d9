import ArgumentParser
import Authenticator
import Platform
import RootConfiguration
import ServiceManager

/// Listens on the service manager's socket, or on its own sockets, and starts a process for each connection.
struct Serve: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Listen on the socket that systemd passes, or on the configured ones if there is no systemd.")

    @OptionGroup var options: CommonOptions

    func run() throws {
        try ProcessHardening.apply()
        let configuration = try options.load()
        guard configuration.sandbox || ProcessSurroundings.effectiveUser == 0 else {
            throw ValidationError("The authenticator must run as root (only a sandbox may do without).")
        }
        let passed = try ActivationSockets.take()
        guard passed.count <= 1 else {
            throw ValidationError("systemd must pass one socket, but it passed \(passed.count).")
        }
        if let number = passed.first {
            var server = try Server(
                configuration: configuration, configurationPath: options.config, listening: number)
            try server.run()
        } else {
            var server = try Server(configuration: configuration, configurationPath: options.config)
            try server.run()
        }
    }
}
