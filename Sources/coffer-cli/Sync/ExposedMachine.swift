import BrokerProtocol
import Coffer

/// A machine, and the secrets that it could read.
struct ExposedMachine {
    let machine: Sync.Machine
    /// As a person tells it from the others.
    let name: String
    let items: [Sync.Exposure]

    /// How many pages are read. A broker that never ends is left.
    private static let mostPages = 10_000
    private static let header = ["SECRET", "FIELDS", "MACHINE", "READABLE"]

    /// - Throws: `.locked`; `.notFound` for a machine that was never in the circle.
    static func items(of machine: Sync.Machine, _ session: CommandSession) throws(KeychainError) -> [Sync.Exposure] {
        var (all, place): ([Sync.Exposure], String?) = ([], nil)
        for _ in 0..<mostPages {
            let reply = try session.client.call(Sync.Exposed(device: machine.device, after: place))
            all += reply.items
            guard let next = reply.next, next != place else { break }
            place = next
        }
        return all.sorted { ($0.service, $0.account, $0.kind ?? "") < ($1.service, $1.account, $1.kind ?? "") }
    }

    static func table(_ machines: [ExposedMachine], aligned: Bool, width: Int? = nil) -> [String] {
        let rows = machines.flatMap { one in
            one.items.map { item in
                [
                    ItemText.name(service: item.service, account: item.account),
                    item.fields.map(VisibleText.line).joined(separator: ", "), one.name, one.readable(item),
                ]
            }
        }
        let all = [header] + rows
        guard aligned else { return all.map { $0.joined(separator: "\t") } }
        return Columns.aligned(all, width: width, narrowing: [[0], [1], [2]])
    }

    /// How the machine could read an item, in words.
    func readable(_ item: Sync.Exposure) -> String {
        guard !machine.isPaper else { return "with the code and a copy of the folder" }
        return (item.asks ? "there after its person agrees" : "there")
            + (machine.protection == "software" ? " (keys on its disk)" : "")
    }

    /// What the person should do.
    /// - Parameter word: what names the machine on a command line.
    func notes(word: String, _ state: Sync.State.Reply) -> [String] {
        guard !items.isEmpty else { return ["\(name) could read none of your secrets as they are now."] }
        guard state.readers.contains(where: { $0.device == machine.device }) else {
            return [
                "Change them at the services that they are for, and set them here: then they leave this list."
            ]
        }
        return ["\(name) gets what you set, too, until it is removed: coffer sync remove \(word)"]
    }
}

extension Sync.Machine {
    /// A machine that is no longer a member. It has no role.
    init(_ former: Sync.FormerMachine) {
        self.init(
            device: former.device, name: former.name, role: former.protection == "paper" ? "paper" : "",
            protection: former.protection)
    }

    /// A code on paper, where it is named like a machine.
    init(_ paper: Sync.Paper) { self.init(device: paper.device, name: "paper", role: "paper") }

    var isPaper: Bool { role == "paper" }
}

extension Sync.State.Reply {
    /// Who reads what is shared: the machines, and the code on paper.
    var readers: [Sync.Machine] { machines + (paper.map { [Sync.Machine($0)] } ?? []) }
}

/// `coffer sync exposed --json`: a machine.
struct ExposureRecord: Encodable {
    private let device: String
    private let name: String?
    private let protection: String?
    private let items: [ItemRecord]

    private struct ItemRecord: Encodable {
        let service: String
        let account: String
        let kind: String
        let fields: [String]
        let asks: Bool
    }

    init(_ exposed: ExposedMachine) {
        (device, name, protection) = (exposed.machine.device, exposed.machine.name, exposed.machine.protection)
        items = exposed.items.map { item in
            ItemRecord(
                service: item.service, account: item.account, kind: item.kind ?? "generic", fields: item.fields,
                asks: item.asks)
        }
    }
}
