import Authenticator
import Platform
import ProgramOptions
import RootConfiguration
import ServiceManager
import Varlink

/// Listens on the service manager's socket, or on its own sockets, and starts a process for each connection.
struct Serve {
    let file: ConfigurationFile

    func run() throws {
        try ProcessHardening.apply()
        let passed = try ActivationSockets.take()
        guard passed.count <= 1 else {
            throw UsageError("systemd must pass one socket, but it passed \(passed.count).")
        }
        guard let number = passed.first else {
            var server = try Server(configuration: try configuration(), configurationPath: file.path)
            return try server.run()
        }
        let loaded: Configuration
        do { loaded = try configuration() } catch {
            // `try?`: there is no other place to report to.
            try? StandardOutput.writeError(Array("cannot start: \(error)\n".utf8))
            try StartRefusal(
                error, saying: "the authenticator cannot start", unit: "coffer-authenticator",
                as: .authenticationMisconfigured
            )
            .serve(UnixListener(adopting: Descriptor(adopting: number)))
            throw error
        }
        var server = try Server(configuration: loaded, configurationPath: file.path, listening: number)
        try server.run()
    }

    private func configuration() throws -> Configuration {
        let configuration = try file.load()
        guard configuration.sandbox || OwnProcess.effectiveUser == 0 else {
            throw UsageError("The authenticator must run as root (only a sandbox may do without).")
        }
        return configuration
    }
}
