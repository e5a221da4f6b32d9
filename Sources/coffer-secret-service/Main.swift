import ArgumentParser
import BrokerProtocol
import Coffer
import FoundationEssentials
import Logging
import Platform
import SecretService
import SystemBus

/// Serves `org.freedesktop.secrets` on the session bus, with the items of the user's vault.
@main struct CofferSecretService: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "coffer-secret-service",
        abstract: "Offer the user's secrets to programs that use the Secret Service.",
        discussion: """
            The session bus starts this program when another one asks for org.freedesktop.secrets. It ends with the bus.
            The broker decides who may read what, and has the user asked.
            """,
        version: "coffer-secret-service \(ProductVersion.current)")

    @Flag(help: "Take the name org.freedesktop.secrets over from a program that allows it.")
    var replace = false

    @Option(help: "How many seconds a program waits for the person, 1 to 600. Most programs give up after 25.")
    var wait = 24

    func validate() throws {
        guard (1...600).contains(wait) else { throw ValidationError("--wait takes 1 to 600 seconds.") }
    }

    func run() throws {
        try ProcessHardening.apply()
        LoggingSystem.bootstrap { StreamLogHandler.standardError(label: $0) }
        let environment = ProcessInfo.processInfo.environment
        let server: BusServer
        do throws(BusError) { server = try BusServer(address: try Self.address(environment)) } catch {
            throw Failure("the session bus cannot be reached: \(error.reason)")
        }
        let answer = try server.requestName(ServiceName.bus, replacing: replace)
        guard answer == .isOwner || answer == .wasOwner else { throw Failure(Self.taken(on: server, replace)) }
        try Provider(
            server: server, backend: BrokerBackend(), asking: AskingLimits(answer: .seconds(wait)),
            logger: Logger(label: "coffer-secret-service")
        ).run()
    }

    private static func address(_ environment: [String: String]) throws(BusError) -> String {
        if let address = environment["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty { return address }
        if let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") { return "unix:path=\(folder)/bus" }
        throw BusError("find the session bus", reason: "DBUS_SESSION_BUS_ADDRESS is not set")
    }

    private static func taken(on server: BusServer, _ replaces: Bool) -> String {
        // Without an answer, the other program is not named.
        let process = try? server.process(of: ServiceName.bus)
        let program = process.flatMap { try? ProcessLink.read("exe", of: $0) }
        let other = process.map { "\(program ?? "another program") (process \($0))" } ?? "another program"
        let advice =
            replaces
            ? "it does not give the name up; end it, and try again"
            : "end it, or run: coffer-secret-service --replace"
        return "\(other) serves org.freedesktop.secrets already; \(advice)"
    }
}

/// An error on one line, as `coffer` has them.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
