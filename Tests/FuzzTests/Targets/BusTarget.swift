import BrokerProtocol
import Coffer
import Cryptography
import Foundation
import Logging
import Platform
import TestSupport
import Vault

@testable import SecretService
@testable import SystemBus

/// A whole Secret Service on a bus of its own, with a whole broker behind it.
struct BusTarget: FuzzTarget {
    private let broker: ThrowAwayBroker
    private let daemon: Subprocess
    private let address: String
    private let keeper: WireClient
    /// A second client, with a session of its own.
    private let other: BusLine
    private let foreign: String
    private var line: BusLine
    /// What a request to the portal hands over.
    private let null: Int32
    private let sink: Int32
    private var session = ""
    private var item = ""
    private var tried = 0

    private static let root = "/org/freedesktop/secrets"
    private static let login = "/org/freedesktop/secrets/collection/login"

    init() async throws {
        Self.leaveThePerson()
        broker = try await ThrowAwayBroker { SoftwareSealer(directory: $0.vaultDirectory) }
        null = try Descriptor.open("/dev/null", O_WRONLY).release()
        sink = try Descriptor.open(broker.folder.path + "/sink", O_WRONLY | O_CREAT, mode: 0o600).release()
        keeper = try broker.client()
        try await broker.makeVault(keeper)
        // Clients do not see keys, so no call may change it.
        _ = try await keeper.call(Keychain.Set(service: "kept", account: "kept", kind: .key, value: "a2VwdA=="))
        let socket = broker.folder.path + "/bus"
        address = "unix:path=\(socket)"
        daemon = try Subprocess(
            "/usr/bin/dbus-daemon", ["--session", "--nofork", "--print-address", "--address=\(address)"]
        ) { $0.output = .pipe }
        // It prints its address when it listens.
        _ = try daemon.read(limit: 4096)
        let server = try BusServer(address: address)
        guard try server.requestName(ServiceName.bus, replacing: false) == .isOwner else {
            throw BrokenPromise("the bus is not new")
        }
        let paths = SocketPaths(
            broker: broker.configuration.socket, authenticator: broker.folder.path + "/no-authenticator.sock")
        let provider = Provider(
            server: server, backend: BrokerBackend(paths: paths),
            logger: Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() })
        // A provider that ends answers no longer.
        Thread.detachNewThread { try? provider.run() }
        other = try BusLine(address)
        foreign = try Self.openSession(on: other)
        line = try BusLine(address)
    }

    /// Nobody is asked, also if a person runs `make fuzz` at a terminal or on a desktop.
    private static func leaveThePerson() {
        for name in ["COFFER_ASKPASS", "DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR"] { unsafe unsetenv(name) }
        // `try?`: without a terminal there is none to leave.
        guard let terminal = try? Descriptor.open("/dev/tty", O_RDWR) else { return }
        _ = ioctl(terminal.number, UInt(TIOCNOTTY))
    }

    private static func openSession(on line: BusLine) throws -> String {
        let reply = try line.call(root, ServiceName.service, "OpenSession", [.text("plain"), .variant(.text(""))])
        guard let path = reply.last?.path else { throw BrokenPromise("OpenSession gives no path") }
        return path
    }

    mutating func tryOne(_ mutator: inout Mutator) async throws {
        do { try await callSome(&mutator) } catch let error as BusError where error.code == -ENOTCONN {
            // The bus daemon ends the connection of a client that sends more than 64 MiB. The others go on.
            try await renew()
        }
    }

    private mutating func callSome(_ mutator: inout Mutator) async throws {
        if tried % 50 == 0 { try await renew() }
        tried += 1
        let calls = try samples()
        let donors = calls.flatMap(\.arguments)
        for _ in 0...mutator.below(3) {
            let sample = calls[mutator.below(calls.count)]
            let arguments = try mutator.values(sample.arguments, donors: donors)
            let path = mutator.chance(6) ? calls[mutator.below(calls.count)].path : sample.path
            guard
                let reply = try answer({ try line.call(path, sample.interface, sample.member, arguments) })
            else { continue }
            try check(reply, of: sample)
        }
        // It still answers, and still knows its collection.
        let alias = try line.call(Self.root, ServiceName.service, "ReadAlias", [.text("login")])
        try promise(alias.first?.path?.hasPrefix(Self.root) == true || alias == [.path("/")], "ReadAlias: \(alias)")
    }

    private func check(_ reply: [BusValue], of sample: Sample) throws {
        let known =
            [Interface.service, .collection, .item, .session, .prompt, .portal, .portalRequest] + Interface.standard
        let method = known.first { $0.name == sample.interface }?.method(sample.member)
        let declared = method?.output.map(\.type) ?? []
        try promise(
            reply.map(\.signature) == declared,
            "\(sample.member) answers \(reply.map(\.signature)) in place of \(declared)")
        // As the last word of a path.
        try promise(!"\(reply)".contains(foreign + "\""), "\(sample.member) serves another client's session")
    }

    /// Fresh sessions and prompts, few items, an open vault.
    private mutating func renew() async throws {
        line = try BusLine(address)
        try line.becomeFrontEnd()
        session = try Self.openSession(on: line)
        try await open()
        let collections = try property("Collections", of: ServiceName.service, at: Self.root)
        for collection in collections.paths ?? [] {
            for item in try property("Items", of: ServiceName.collection, at: collection).paths ?? [] {
                _ = try answer { try line.call(item, ServiceName.item, "Delete", []) }
            }
            if collection != Self.login {
                _ = try answer { try line.call(collection, ServiceName.collection, "Delete", []) }
            }
        }
        try await make()
    }

    /// Makes the item that calls are about. The broker's word that the vault is open may reach the provider a moment later.
    private mutating func make() async throws {
        let deadline = ContinuousClock.now + patience
        let value = try secret("x")
        while true {
            do throws(BusError) {
                let made = try line.call(
                    Self.login, ServiceName.collection, "CreateItem", [properties, value, .flag(false)])
                item = made.first?.path ?? ""
                return
            } catch {
                guard error.name == ServiceError.isLocked, ContinuousClock.now < deadline else {
                    throw BrokenPromise("no item can be made: \(error.name ?? "") \(error)")
                }
            }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    private func property(_ name: String, of interface: String, at path: String) throws -> BusValue {
        try line.call(path, ServiceName.properties, "Get", [.text(interface), .text(name)]).first?.contents
            ?? .flag(false)
    }

    private func open() async throws {
        _ = try await broker.call(keeper, Keychain.Unlock()) { Keychain.Unlock(challenge: $0) }
    }

    func end() async throws {
        try await open()
        let kept = try await keeper.call(Keychain.Get(service: "kept", account: "kept", kind: .key))
        try promise(kept.value == "a2VwdA==", "an item that clients do not see is another one")
        try daemon.end()
        await broker.stop()
    }

    // MARK: Calls

    private struct Sample {
        let path: String
        let interface: String
        let member: String
        let arguments: [BusValue]
    }

    private var properties: BusValue {
        .options([
            "org.freedesktop.Secret.Item.Label": .text("A label"),
            "org.freedesktop.Secret.Item.Attributes": .dictionary(["server": "a", "user": "b", "xdg:schema": "c"]),
        ])
    }

    private func secret(_ value: String) throws -> BusValue {
        .structure([
            .path(session), .bytes(try SecretBytes(copying: [])), .bytes(try SecretBytes(copying: Array(value.utf8))),
            .text("text/plain"),
        ])
    }

    /// Nobody can be asked here, so no prompt is shown.
    private func samples() throws -> [Sample] {
        let (service, collection, thing) = (ServiceName.service, ServiceName.collection, ServiceName.item)
        func call(_ path: String, _ interface: String, _ member: String, _ arguments: BusValue...) -> Sample {
            Sample(path: path, interface: interface, member: member, arguments: arguments)
        }
        let key = BusValue.bytes(try SecretBytes(copying: [UInt8](repeating: 3, count: 128)))
        let query = BusValue.dictionary(["server": "a"])
        let properties = Self.generic(properties)
        return [
            call(Self.root, service, "OpenSession", .text("dh-ietf1024-sha256-aes128-cbc-pkcs7"), .variant(key)),
            call(Self.root, service, "OpenSession", .text("plain"), .variant(.text(""))),
            call(
                Self.root, service, "CreateCollection",
                Self.generic(.options(["org.freedesktop.Secret.Collection.Label": .text("My stuff")])), .text("mine")),
            call(Self.root, service, "SearchItems", query),
            call(Self.root, service, "Unlock", .paths([Self.login, item])),
            call(Self.root, service, "Lock", .paths([Self.login])),
            call(Self.root, service, "GetSecrets", .paths([item]), .path(session)),
            call(Self.root, service, "GetSecrets", .paths([item]), .path(foreign)),
            call(Self.root, service, "ReadAlias", .text("default")),
            call(Self.root, service, "SetAlias", .text("mine"), .path(Self.login)),
            call(Self.login, collection, "SearchItems", query),
            call(Self.login, collection, "CreateItem", properties, try secret("secret"), .flag(true)),
            call(Self.root + "/collection/session", collection, "CreateItem", properties, try secret("x"), .flag(true)),
            call(item, thing, "GetSecret", .path(session)),
            call(item, thing, "GetSecret", .path(foreign)),
            call(item, thing, "SetSecret", try secret("other")),
            call(item, thing, "Delete"),
            call(item, ServiceName.properties, "Get", .text(thing), .text("Attributes")),
            call(item, ServiceName.properties, "GetAll", .text(thing)),
            call(item, ServiceName.properties, "Set", .text(thing), .text("Attributes"), .variant(query)),
            call(Self.login, ServiceName.properties, "Set", .text(collection), .text("Label"), .variant(.text("L"))),
            call(session, ServiceName.session, "Close"),
            call(Self.root, ServiceName.introspectable, "Introspect"),
            call(
                ServiceName.portalRoot, ServiceName.portal, "RetrieveSecret",
                .path(ServiceName.portalRoot + "/request/1_1/t"), .text("org.example.One"), .descriptor(null),
                Self.generic(.options(["token": .text("t")]))),
            call(
                ServiceName.portalRoot, ServiceName.portal, "RetrieveSecret",
                .path(ServiceName.portalRoot + "/request/1_1/u"), .text(""), .descriptor(sink),
                Self.generic(.options([:]))),
            call(ServiceName.portalRoot + "/request/1_1/t", ServiceName.portalRequest, "Close"),
        ]
    }

    /// With entries, so that they can be changed.
    private static func generic(_ options: BusValue) -> BusValue {
        guard case .options(let options) = options else { return options }
        return .array(of: "{sv}", options.map { .entry(.text($0.key), .variant($0.value)) })
    }
}

/// One connection to the bus.
private final class BusLine {
    private let bus: Bus

    /// The name is free again when the connection ends, which the bus daemon may learn a moment later.
    func becomeFrontEnd() throws {
        _ = try bus.call(
            ServiceName.daemon, "/org/freedesktop/DBus", ServiceName.daemon, "RequestName",
            values: [.text(ServiceName.portalFrontEnd), .number(7)])
    }

    init(_ address: String) throws { bus = try Bus(address: address) }

    /// Waits for the answer.
    /// - Throws: the answer's error.
    func call(
        _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue]
    ) throws(BusError) -> [BusValue] {
        try bus.call(ServiceName.bus, path, interface, member, values: arguments, within: patience)
            .values(limits: BusMessageLimits(values: 1_000_000, bytes: 64 << 20, depth: 20))
    }
}
