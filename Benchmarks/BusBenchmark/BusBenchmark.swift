import ArgumentParser
import Cryptography
import SystemBus

/// What three calls of the Secret Service take on two buses, in turns. Prints a name and two medians in microseconds a line; `make bench` makes ratios
/// of them.
@main struct BusBenchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "coffer-bus-benchmark",
        abstract: "Measure the Secret Service on two buses. Started by \"make bench\".")

    @Argument(help: "The address of Coffer's bus.") var ours: String
    @Argument(help: "The address of the other bus.") var theirs: String
    @Option(help: "Items in the default collection of each.") var items = 250
    @Option(help: "Calls of each kind.") var calls = 100

    func run() throws {
        let services = [try SecretService(ours), try SecretService(theirs)]
        for service in services { for number in 0..<items { try service.create(number) } }
        try compare("search", services) { _ = try $0.search($1) }
        let paths = try services.map { service in try (0..<calls).map { try service.search($0 % items) } }
        try compare("secret", services) { service, number in
            try service.readSecret(paths[service === services[0] ? 0 : 1][number])
        }
        try compare("create", services) { try $0.create(items + $1) }
    }

    /// - Parameter call: with the number of the call.
    private func compare(_ name: String, _ services: [SecretService], _ call: (SecretService, Int) throws -> Void)
        throws
    {
        var times = services.map { _ in [Duration]() }
        for number in 0..<calls {
            for (index, service) in services.enumerated() {
                times[index].append(try ContinuousClock().measure { try call(service, number) })
            }
        }
        let medians = times.map { ($0.sorted()[$0.count / 2] / .nanoseconds(1)).rounded() / 1000 }
        print(name, medians[0], medians[1])
    }
}

/// A client of the Secret Service (Secret Service API, version 0.2), with a session that leaves secrets as they are.
final class SecretService {
    private let bus: Bus
    private let session: String

    init(_ address: String) throws {
        // A service that rewrites its whole file for each item takes long.
        let bus = try Bus(address: address, patience: .seconds(60))
        let answer = try bus.call(
            Self.name, Self.path, "org.freedesktop.Secret.Service", "OpenSession",
            values: [.text("plain"), .variant(.text(""))])
        try answer.skip("v")
        session = try answer.text("o")
        self.bus = bus
    }

    private static let name = "org.freedesktop.secrets"
    private static let path = "/org/freedesktop/secrets"

    private func attributes(_ number: Int) -> BusValue {
        .array(of: "{ss}", [.entry(.text("bench"), .text("yes")), .entry(.text("number"), .text("\(number)"))])
    }

    func create(_ number: Int) throws {
        let secret = BusValue.structure([
            .path(session), .bytes(try SecretBytes(copying: [])), .bytes(try SecretBytes(copying: "a secret".utf8)),
            .text("text/plain"),
        ])
        let properties = BusValue.options([
            "org.freedesktop.Secret.Item.Label": .text("bench \(number)"),
            "org.freedesktop.Secret.Item.Attributes": attributes(number),
        ])
        let answer = try bus.call(
            Self.name, Self.path + "/aliases/default", "org.freedesktop.Secret.Collection", "CreateItem",
            values: [properties, secret, .flag(false)])
        guard try answer.text("o") != "/" else { throw Refusal("CreateItem asks for a prompt") }
    }

    /// - Returns: the path of the one item that is found.
    func search(_ number: Int) throws -> String {
        let answer = try bus.call(
            Self.name, Self.path, "org.freedesktop.Secret.Service", "SearchItems", values: [attributes(number)])
        guard try answer.enter("a", "o"), let path = try answer.nextText("o") else {
            throw Refusal("SearchItems finds no unlocked item")
        }
        return path
    }

    func readSecret(_ item: String) throws {
        let answer = try bus.call(
            Self.name, item, "org.freedesktop.Secret.Item", "GetSecret", values: [.path(session)])
        guard try answer.enter("r", "oayays") else { throw Refusal("GetSecret gives no secret") }
    }
}

struct Refusal: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
