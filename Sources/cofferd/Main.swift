import Broker
import BrokerProtocol
import Cryptography
import HelperProtocol
import Logging
import Platform
import ProgramOptions
import RootConfiguration
import ServiceLifecycle
import ServiceManager
import UnixSignals
import Varlink

/// The program's two tasks. The first argument alone chooses: a helper never becomes a broker, and a broker never a helper.
@main enum Program {
    static func main() async {
        let arguments = ProgramUsage.ownArguments
        if arguments.first == Helper.command { HelperCommand.start(Array(arguments.dropFirst())) }
        await CofferDaemon.usage.start(arguments) { options in
            try await CofferDaemon(config: options["config"] ?? Configuration.defaultPath).run()
        }
    }
}

/// The broker. It hardens the process, reads root's configuration, and runs the broker until it is told to stop.
struct CofferDaemon {
    static let usage = ProgramUsage(
        "cofferd", version: "cofferd \(ProductVersion.current)",
        abstract: "Coffer's broker: keeps the vaults, talks to the TPM, decides who gets what.",
        commands: [
            .init(options: [
                .init(
                    "config", value: "config", help: "The configuration file.", usual: Configuration.defaultPath)
            ])
        ])

    /// The configuration file.
    let config: String

    func run() async throws {
        try ProcessHardening.apply()
        LoggingSystem.bootstrap { StreamLogHandler.standardError(label: $0) }
        let logger = Logger(label: "cofferd")
        let passed = try ActivationSockets.take()
        guard passed.count <= 1 else {
            throw UsageError("The service manager must pass one socket, but it passed \(passed.count).")
        }
        let broker: Broker
        do { broker = try prepare(listening: passed.first, logger) } catch {
            guard let socket = passed.first else { throw error }
            logger.critical("cannot start: \(error)")
            try StartRefusal(error, saying: "the broker cannot start", unit: "cofferd", as: .failed)
                .serve(UnixListener(adopting: Descriptor(adopting: socket)))
            throw error
        }
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.init(service: broker, successTerminationBehavior: .gracefullyShutdownGroup)],
                gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        try await group.run()
    }

    /// - Parameter socket: the clients' socket, if the service manager has passed it. Nobody listens before the broker runs.
    private func prepare(listening socket: Int32?, _ logger: Logger) throws -> Broker {
        let configuration = try ConfigurationLoader.load(config)
        try BrokerStart.checkUser(configuration)
        do { try SecureHeap.activate(bytes: SecureMemory.heap) } catch {
            guard configuration.sandbox else { throw error }
            logger.warning("keys are not kept out of swap: \(error.reason)")
        }
        var options = Broker.Options()
        options.clientSocket = socket
        let sealer = try BrokerStart.sealer(configuration)
        return try Broker(configuration: configuration, sealer: sealer, logger: logger, options: options)
    }
}
