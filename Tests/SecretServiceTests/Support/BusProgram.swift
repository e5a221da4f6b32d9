import Cryptography
import Foundation
import TestSupport
import Testing

@testable import SecretService
@testable import SystemBus

/// A program that calls the Secret Service on a bus.
final class BusProgram {
    static let login = ObjectPath.pathOfCollection(CollectionInfo.defaultID)
    static let transient = ObjectPath.pathOfCollection(CollectionInfo.sessionID)

    private let bus: Bus

    init(_ address: String) throws(BusError) { bus = try Bus(address: address) }

    /// Does something that blocks, on a thread and a connection of its own.
    static func apart<Value: Sendable>(
        on address: String, _ body: @escaping @Sendable (BusProgram) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread {
                let result = Result<Value, any Error> { try body(try BusProgram(address)) }
                continuation.resume(with: result)
            }.start()
        }
    }

    /// Waits for the answer.
    /// - Throws: the answer's error.
    func call(
        _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = []
    ) throws(BusError) -> [BusValue] {
        try bus.call(ServiceName.bus, path, interface, member, values: arguments, within: patience)
            .values(limits: BusMessageLimits(values: 1_000_000, bytes: 64 << 20, depth: 20))
    }

    /// The name of the error that a call is answered with; nil if it succeeds.
    func refusal(_ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = []) -> String? {
        do throws(BusError) {
            _ = try call(path, interface, member, arguments)
            return nil
        } catch { return error.name ?? error.reason }
    }

    /// Whether a provider serves the bus. The question starts none.
    func hasProvider() throws -> Bool {
        try bus.call(
            ServiceName.daemon, "/org/freedesktop/DBus", ServiceName.daemon, "NameHasOwner", [ServiceName.bus]
        ).bool()
    }

    func openSession() throws -> String {
        let answer = try call(
            ServiceName.root, ServiceName.service, "OpenSession", [.text("plain"), .variant(.text(""))])
        return try #require(answer.last?.path)
    }

    /// The items that have these attributes, also those that are locked.
    func items(_ attributes: [String: String]) throws -> [String] {
        let answer = try call(ServiceName.root, ServiceName.service, "SearchItems", [.dictionary(attributes)])
        return answer.flatMap { $0.paths ?? [] }
    }

    /// Makes an item.
    /// - Returns: its path.
    func create(
        _ attributes: [String: String], _ value: String, session: String, in collection: String = BusProgram.login,
        replaces: Bool = false
    ) throws -> String {
        let properties = BusValue.array(
            of: "{sv}",
            [
                .entry(.text(ServiceName.item + ".Label"), .variant(.text("L"))),
                .entry(.text(ServiceName.item + ".Attributes"), .variant(.dictionary(attributes))),
            ])
        let secret = try Self.secret(value, session: session)
        let answer = try call(
            collection, ServiceName.collection, "CreateItem", [properties, secret, .flag(replaces)])
        return try #require(answer.first?.path)
    }

    static func secret(_ value: String, session: String) throws -> BusValue {
        .structure([
            .path(session), .bytes(try SecretBytes(copying: [])), .bytes(try SecretBytes(copying: Array(value.utf8))),
            .text("text/plain"),
        ])
    }

    /// What `GetSecret` gives.
    func secret(of item: String, session: String) throws -> (value: String, contentType: String) {
        let answer = try call(item, ServiceName.item, "GetSecret", [.path(session)])
        let received = try #require(answer.first.flatMap { ReceivedSecret($0) })
        return (String(decoding: received.value.copied(), as: UTF8.self), received.contentType)
    }

    /// What `GetSecrets` gives, by the paths.
    func secrets(of items: [String], session: String) throws -> [String: (value: String, contentType: String)] {
        let answer = try call(ServiceName.root, ServiceName.service, "GetSecrets", [.paths(items), .path(session)])
        guard case .array(_, let entries) = answer.first else { return [:] }
        var secrets: [String: (value: String, contentType: String)] = [:]
        for case .entry(.path(let path), let secret) in entries {
            let received = try #require(ReceivedSecret(secret))
            secrets[path] = (String(decoding: received.value.copied(), as: UTF8.self), received.contentType)
        }
        return secrets
    }

    func property(_ name: String, of interface: String, at path: String) throws -> BusValue? {
        try call(path, ServiceName.properties, "Get", [.text(interface), .text(name)]).first?.contents
    }

    func set(_ name: String, of interface: String, at path: String, to value: BusValue) throws {
        _ = try call(path, ServiceName.properties, "Set", [.text(interface), .text(name), .variant(value)])
    }
}

/// Waits for what must happen.
func waitUntil(_ condition: () throws -> Bool) async throws {
    let deadline = ContinuousClock.now + patience
    while !(try condition()) {
        guard ContinuousClock.now < deadline else {
            Issue.record("it did not happen")
            return
        }
        try await Task.sleep(for: .milliseconds(10))
    }
}
