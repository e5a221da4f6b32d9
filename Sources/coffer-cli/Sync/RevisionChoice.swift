import BrokerProtocol
import Coffer
import Platform

/// Tells the revisions of a conflict apart by what a person types: the machine's name, the first digits of its id, or
/// those of the revision's own id.
struct RevisionChoice {
    let revisions: [Sync.Revision]

    /// What each is called. Those of machines of the same name are told apart by the revisions' ids.
    var shown: [String] {
        let names = revisions.map(Self.name)
        return zip(revisions, names).map { revision, name in
            names.count { $0 == name } == 1 ? name : "\(name) (\(id(revision)))"
        }
    }

    /// The one that a word names.
    func chosen(_ word: String) throws(KeychainError) -> Sync.Revision {
        let found = named(word)
        if found.count == 1, let revision = found.first { return revision }
        let (quoted, list) = (VisibleText.quoted(word), shown.joined(separator: ", "))
        guard found.isEmpty else {
            throw KeychainError(
                .ambiguous, "\(quoted) can be several of these: \(list)", advice: "name it by the digits in parentheses"
            )
        }
        throw KeychainError(.notFound, "none of the values is of \(quoted)", advice: "there are those of: \(list)")
    }

    /// A whole id names what has it, even if a machine is called like that.
    private func named(_ word: String) -> [Sync.Revision] {
        let (digits, shown) = (word.lowercased(), shown)
        let whole = revisions.filter { $0.id == digits || $0.device == digits }
        guard whole.isEmpty else { return whole }
        return revisions.indices.filter { index in
            let revision = revisions[index]
            return revision.machine == word || shown[index] == word || Self.name(revision) == word
                || digits.utf8.count >= MachineChoice.digits
                    && (revision.device.hasPrefix(digits) || revision.id.hasPrefix(digits))
        }.map { revisions[$0] }
    }

    private static func name(_ revision: Sync.Revision) -> String {
        revision.machine.map(VisibleText.line) ?? "machine \(VisibleText.line(String(revision.device.prefix(8))))"
    }

    /// As many digits as name it alone.
    private func id(_ revision: Sync.Revision) -> String {
        let short = String(revision.id.prefix(MachineChoice.digits))
        let isTaken = revisions.contains {
            $0.id != revision.id && $0.id.hasPrefix(short) || $0.device.hasPrefix(short) || $0.machine == short
        }
        return isTaken ? revision.id : short
    }
}
