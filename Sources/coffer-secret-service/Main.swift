import BrokerProtocol
import CofferClient
import Logging
import Platform
import ProgramOptions
import SecretService
import SystemBus

/// Serves `org.freedesktop.secrets` on the session bus, with the items of the user's vault.
@main struct CofferSecretService {
    private static let usage = ProgramUsage(
        "coffer-secret-service", version: "coffer-secret-service \(ProductVersion.current)",
        abstract: "Give programs your secrets through the desktop's Secret Service.",
        discussion: """
            Browsers, mail programs, secret-tool and others keep passwords in the Secret Service: org.freedesktop.secrets on the session bus. With \
            this program, those passwords are items of your vault, and coffer list shows them. The session bus starts it when the first program \
            asks, so you need not start it yourself. It ends with the bus.

            The broker decides what each program gets. If an item requires you, or the vault is locked, you are asked by the program \
            that COFFER_ASKPASS names, by coffer agent, or on your display. If nobody can be asked, the journal says why:

              journalctl --user --unit coffer-secret-service

            If another program serves the Secret Service already, this one names it and ends, unless --replace takes over.

            Exit status: 0 the bus has ended, or another program has taken over; 1 failed; 64 wrong use.
            """,
        commands: [
            .init(options: [
                .init(
                    "replace", help: "Take over from the program that serves the Secret Service now, if it allows that."
                ),
                .init(
                    "wait", value: "seconds",
                    help: "How long a program waits for your answer, 1 to 600 seconds. Most programs give up after 25.",
                    usual: "24"),
            ])
        ])

    let replace: Bool
    /// In seconds.
    let wait: Int

    static func main() {
        usage.start { options in
            guard let wait = Int(options["wait"] ?? "24"), (1...600).contains(wait) else {
                throw UsageError("--wait takes 1 to 600 seconds.")
            }
            try CofferSecretService(replace: options["replace"] != nil, wait: wait).run()
        }
    }

    private func run() throws {
        try ProcessHardening.apply()
        // Every program on the bus is served, and not only those of the terminal in which a person starts this one.
        try ControllingTerminal.leave()
        LoggingSystem.bootstrap { StreamLogHandler.standardError(label: $0) }
        let environment = OwnProcess.environment
        let server: BusServer
        do throws(BusError) { server = try BusServer(address: try Self.address(environment)) } catch {
            throw Failure("the session bus cannot be reached: \(error.reason)")
        }
        let answer = try server.requestName(ServiceName.bus, replacing: replace)
        guard answer == .isOwner || answer == .wasOwner else { throw Failure(Self.taken(on: server, replace)) }
        let logger = Logger(label: "coffer-secret-service")
        let portal = try server.requestName(ServiceName.portalBus, replacing: replace)
        if portal != .isOwner, portal != .wasOwner {
            logger.warning(
                "another program has \(ServiceName.portalBus); applications in a sandbox get no secrets here")
        }
        try Provider(
            server: server, backend: BrokerBackend(), asking: AskingLimits(answer: .seconds(wait)),
            logger: logger
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
        // The program is in no folder of PATH. `try?`: the name is the next best.
        let path =
            (try? ProcessLink.read("exe", of: OwnProcess.number)) ?? "coffer-secret-service"
        let advice =
            replaces
            ? "it does not give the name up; end it, and try again"
            : "end it, or run: \(path) --replace"
        return "\(other) serves org.freedesktop.secrets already; \(advice)"
    }
}

/// An error on one line, as `coffer` has them.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
