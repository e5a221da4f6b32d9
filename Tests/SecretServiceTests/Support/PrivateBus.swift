import Foundation
import Platform
import SystemBus
import TestSupport
import Testing

/// A bus of a test's own.
struct PrivateBus {
    /// The socket at which it listens.
    let socket: String
    private let folder: TemporaryFolder
    private let daemon: Subprocess

    init() throws {
        let folder = try TemporaryFolder()
        let socket = folder.path + "/bus"
        let daemon = try Subprocess(
            "/usr/bin/dbus-daemon", ["--session", "--nofork", "--print-address", "--address=unix:path=\(socket)"]
        ) { $0.output = .pipe }
        // It prints its address when it listens.
        _ = try daemon.read(limit: 4096)
        (self.folder, self.socket, self.daemon) = (folder, socket, daemon)
    }

    var address: String { "unix:path=\(socket)" }

    func end() throws { try daemon.end() }
}

/// A program on a bus that answers calls, if nothing else is said with what it was given.
struct Echo {
    static let name = "org.example.Echo"

    let bus: PrivateBus
    private let server: BusServer

    init(
        answering answer: @escaping @Sendable (BusServer, BusCall) -> Void = { $0.reply(to: $1, $1.arguments) }
    ) throws {
        let bus = try PrivateBus()
        let server = try BusServer(address: bus.address)
        let name = try server.requestName(Self.name, replacing: false)
        try #require(name == .isOwner)
        Thread.detachNewThread {
            // `try?`: it ends with the bus at the latest.
            try? server.run(limits: BusMessageLimits(values: 100, bytes: 10_000, depth: 10)) { event in
                if case .call(let call) = event { answer(server, call) }
            }
        }
        (self.bus, self.server) = (bus, server)
    }

    var address: String { bus.address }

    func answer(_ values: [BusValue], on bus: borrowing Bus) throws(BusError) -> BusMessage {
        try bus.call(Self.name, "/", Self.name, "Echo", values: values, within: patience)
    }

    /// The name of the error that a call is answered with; nil if it succeeds.
    func refusal(of values: [BusValue], on bus: borrowing Bus) -> String? {
        do throws(BusError) {
            _ = try answer(values, on: bus)
            return nil
        } catch { return error.name ?? error.reason }
    }

    /// What `dbus-send` says of the error that a call is answered with.
    /// - Parameter argument: as `dbus-send` takes it.
    func words(for argument: String) throws -> String {
        try Tool.run(
            "dbus-send",
            [
                "--bus=\(address)", "--print-reply", "--dest=\(Self.name)", "/", "\(Self.name).Echo", argument,
            ]
        ).errors
    }

    func end() throws {
        server.stop()
        try bus.end()
    }
}
