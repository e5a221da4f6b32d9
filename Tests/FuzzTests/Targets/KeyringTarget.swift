import Cryptography
import Foundation
import Import
import Platform
import Synchronization
import TestSupport

@testable import SystemBus

/// A keyring or the wallets of KDE on a bus of their own, with answers that no honest service gives.
struct KeyringTarget: FuzzTarget {
    /// Which service is read.
    enum Service {
        case keyring, wallets

        var name: String { self == .keyring ? "org.freedesktop.secrets" : "org.kde.kwalletd5" }
    }

    private let service: Service
    private let folder: TemporaryFolder
    private let daemon: Subprocess
    private let address: String
    private let answers: Answers
    private let donors: [BusValue]

    init(_ service: Service) async throws {
        self.service = service
        let valid = service == .keyring ? try Self.keyring : Self.wallets
        answers = Answers(valid)
        donors = valid.values.flatMap { $0 }
        folder = try TemporaryFolder()
        address = "unix:path=\(folder.path)/bus"
        daemon = try Subprocess(
            "/usr/bin/dbus-daemon", ["--session", "--nofork", "--print-address", "--address=\(address)"]
        ) { $0.output = .pipe }
        // It prints its address when it listens.
        _ = try daemon.read(limit: 4096)
        let server = try BusServer(address: address)
        guard try server.requestName(service.name, replacing: false) == .isOwner else {
            throw BrokenPromise("the bus is not new")
        }
        let (answers, limits) = (answers, BusMessageLimits(values: 1_000_000, bytes: 64 << 20, depth: 20))
        Thread.detachNewThread {
            // `try?`: a service that ends answers no longer.
            try? server.run(limits: limits) { event in
                guard case .call(let call) = event else { return }
                server.reply(to: call, answers[call])
            }
        }
        // A service that cannot be read would try very little of the reader.
        let items = try read()
        try promise(!items.items.isEmpty && items.problems.isEmpty, "the service to begin with cannot be read")
    }

    mutating func tryOne(_ mutator: inout Mutator) throws {
        mutator.manyValues = 500
        for _ in 0...mutator.below(3) {
            guard let name = mutator.pick(answers.names) else { return }
            answers[name] = try mutator.values(answers[name], donors: donors)
        }
        defer { answers.restore() }
        guard let read = try answer({ try read() }) else { return }
        try ImportTarget.check(read)
    }

    func end() throws { try daemon.end() }

    private func read() throws -> ImportedItems {
        var entries: [ImportEntry] = []
        switch service {
        case .keyring:
            let reader = try KeyringReader.connected(to: address)
            for collection in try reader.collections() where !collection.isLocked {
                for path in collection.items {
                    guard case .item(let item) = try reader.item(path, of: collection) else { continue }
                    entries.append(
                        KeyringEntry.read(
                            ImportPlace(item: entries.count + 1), label: item.label, collection: item.collection,
                            attributes: item.attributes, created: item.created, changed: item.modified,
                            secret: item.secret))
                }
            }
        case .wallets:
            let reader = try KWalletReader.connected(to: address)
            for wallet in try reader.wallets() {
                guard let handle = try reader.open(wallet) else { continue }
                for entry in try reader.entries(of: handle) {
                    guard case .value(let type, let value) = try reader.content(of: entry, handle),
                        let kind = KWalletEntry.Kind(rawValue: type.rawValue)
                    else { continue }
                    entries.append(
                        try KWalletEntry.read(
                            ImportPlace(item: entries.count + 1), wallet: wallet, folder: entry.folder,
                            name: entry.name, kind: kind, value: value))
                }
            }
        }
        return ImportedItems(entries)
    }

    // MARK: What the services answer, by method or property

    private static var keyring: [String: [BusValue]] {
        get throws {
            let path = "/org/freedesktop/secrets/collection/login"
            let secret = BusValue.structure([
                .path("/s"), .bytes(try SecretBytes(copying: [])), .bytes(try SecretBytes(copying: Array("pw".utf8))),
                .text("text/plain"),
            ])
            let attributes = [BusValue.entry(.text("server"), .text("a.example")), .entry(.text("user"), .text("me"))]
            return [
                "OpenSession": [.variant(.text("")), .path("/s")], "GetSecret": [secret],
                "Collections": [.variant(.paths([path]))], "Items": [.variant(.paths([path + "/1", path + "/2"]))],
                "Label": [.variant(.text("A label"))], "Locked": [.variant(.flag(false))],
                "Attributes": [.variant(.array(of: "{ss}", attributes))],
                "Created": [.variant(.longNumber(1_600_000_000))], "Modified": [.variant(.longNumber(1_700_000_000))],
            ]
        }
    }

    private static var wallets: [String: [BusValue]] {
        [
            "isEnabled": [.flag(true)], "wallets": [.array(of: "s", [.text("kdewallet")])], "isOpen": [.flag(true)],
            "open": [.signedNumber(7)], "folderList": [.array(of: "s", [.text("Passwords")])],
            "entryList": [.array(of: "s", [.text("https://a.example/"), .text("me")])],
            "entryType": [.signedNumber(1)], "readPassword": [.text("pw")],
        ]
    }
}

/// What the service answers at present. The bus's thread reads it.
private final class Answers: Sendable {
    private let valid: [String: [BusValue]]
    private let present: Mutex<[String: [BusValue]]>

    init(_ valid: [String: [BusValue]]) {
        self.valid = valid
        present = Mutex(valid)
    }

    /// In one order, so that a case can be repeated.
    var names: [String] { valid.keys.sorted() }

    subscript(name: String) -> [BusValue] {
        get { present.withLock { $0[name] ?? [] } }
        set { present.withLock { $0[name] = newValue } }
    }

    /// - Returns: for a property, the value of that property.
    subscript(call: BusCall) -> [BusValue] {
        guard call.member == "Get", case .text(let name) = call.arguments.last else { return self[call.member] }
        return self[name]
    }

    func restore() { present.withLock { $0 = valid } }
}
