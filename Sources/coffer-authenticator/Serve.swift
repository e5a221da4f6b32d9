import ArgumentParser
import Authenticator
import Configuration
import Platform

/// Listens without a service manager.
struct Serve: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Listen on the configured sockets, where there is no systemd.")

    @OptionGroup var options: CommonOptions

    func run() throws {
        try ProcessHardening.apply()
        let configuration = try options.load()
        guard configuration.sandbox || ProcessSurroundings.effectiveUser == 0 else {
            throw ValidationError("The authenticator must run as root (only a sandbox may do without).")
        }
        var server = try Server(configuration: configuration, configurationPath: options.config)
        try server.run()
    }
}
