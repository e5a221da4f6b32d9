import Authorization
import BrokerProtocol
import Circle
import Coffer
import Platform

/// Tells the machines of a circle apart by what a person types. Names come from the machines themselves, so two can have
/// the same one, and one can be called like the other's id.
struct MachineChoice {
    let machines: [Sync.Machine]
    /// The ids of those among them that are no longer members.
    var former: Set<String> = []

    /// How many digits of an id name a machine. Fewer are too easily those of another one.
    static let digits = 8

    /// The machines that the words name, each once.
    func chosen(_ words: [String]) throws(KeychainError) -> [Sync.Machine] {
        var chosen: [Sync.Machine] = []
        for word in words {
            for machine in try meant(by: word) where !chosen.contains(where: { $0.device == machine.device }) {
                chosen.append(machine)
            }
        }
        return chosen
    }

    /// - Returns: one, or all codes on paper that were removed: nobody tells these apart by what they are called.
    private func meant(by word: String) throws(KeychainError) -> [Sync.Machine] {
        let found = named(word)
        if found.count == 1 { return found }
        let codes = found.filter { $0.isPaper && former.contains($0.device) }
        if !codes.isEmpty, found.allSatisfy(\.isPaper) { return codes }
        let shown = VisibleText.quoted(word)
        guard found.isEmpty else {
            throw KeychainError(
                .ambiguous, "\(shown) can be several machines: \(list(found))",
                advice: "name it by the digits in parentheses")
        }
        throw KeychainError(
            .notFound, "none of the machines that share your secrets is called \(shown)",
            advice: "there are: \(list(machines))")
    }

    /// A whole id names its machine, even if another one is called like that.
    private func named(_ word: String) -> [Sync.Machine] {
        let id = word.lowercased()
        let whole = machines.filter { $0.device == id }
        guard whole.isEmpty else { return whole }
        let shown = shown
        return machines.indices.filter { index in
            let machine = machines[index]
            return machine.name == word || SharingText.name(machine) == word || shown[index] == word
                || id.utf8.count >= Self.digits && machine.device.hasPrefix(id)
        }.map { machines[$0] }
    }

    /// What each is called. Those of the same name are told apart by their ids.
    var shown: [String] {
        let names = machines.map(SharingText.name)
        return machines.indices.map { index in
            names.count { $0 == names[index] } == 1 ? names[index] : "\(names[index]) (\(id(machines[index])))"
        }
    }

    /// What names a machine on a command line, and no other one.
    func word(for machine: Sync.Machine) -> String {
        guard let name = machine.name, MachineName(name) != nil, named(name).map(\.device) == [machine.device] else {
            return id(machine)
        }
        return name
    }

    /// As many digits as name it alone.
    private func id(_ machine: Sync.Machine) -> String {
        let short = String(machine.device.prefix(Self.digits))
        let isTaken = machines.contains { other in
            other.device != machine.device && (other.device.hasPrefix(short) || other.name?.lowercased() == short)
        }
        return isTaken ? machine.device : short
    }

    private func list(_ listed: [Sync.Machine]) -> String {
        listed.map { machine in
            "\(SharingText.name(machine)) (\(id(machine)))\(note(machine))"
        }.joined(separator: "; ")
    }

    private func note(_ machine: Sync.Machine) -> String {
        if machine.own { return ", which is this one" }
        if former.contains(machine.device) { return ", removed" }
        return machine.isPaper ? ", the present code" : ""
    }
}
