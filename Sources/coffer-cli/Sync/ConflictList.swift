import Coffer
import Platform

/// What several machines have changed at the same time, as the broker knows it.
struct ConflictList {
    let conflicts: [Sync.Conflict]

    /// How many pages are read. A broker that never ends is left.
    private static let mostPages = 10_000

    /// - Parameter item: the id of the only one that is meant; nil for all.
    /// - Throws: `.notFound` if the vault shares its secrets with nobody.
    init(_ session: CommandSession, of item: String? = nil) throws(KeychainError) {
        var (all, place): ([Sync.Conflict], String?) = ([], nil)
        for _ in 0..<Self.mostPages {
            let reply = try session.client.call(Sync.Conflicts(item: item, after: place))
            all += reply.conflicts
            guard let next = reply.next, next != place else { break }
            place = next
        }
        conflicts = all
    }

    /// The conflict that a command means.
    /// - Parameter part: nil if the person names none. It is then the only one that there is.
    func chosen(_ part: ConflictPart?, of name: PartialName) throws(KeychainError) -> Sync.Conflict {
        let found = conflicts.filter { conflict in part.map { $0 == ConflictPart(conflict) } ?? true }
        if found.count == 1 { return found[0] }
        guard found.isEmpty else {
            let parts = found.compactMap { ConflictPart($0)?.shown }.joined(separator: ", ")
            throw KeychainError(
                .ambiguous, "several parts of \(name.shownName) are in conflict: \(parts)",
                advice: "name one with --field or --part")
        }
        let subject = part.map { "\($0.shown) of \(name.shownName)" } ?? name.shownName
        throw KeychainError(
            .notFound, "\(subject) is in no conflict, or no longer", advice: "see what is: coffer sync conflicts")
    }
}

/// The conflicts as a table: a line for each revision.
enum ConflictTable {
    private static let header = ["SECRET", "PART", "MACHINE", "CHANGED", "STATE", "TEXT"]

    static func lines(_ conflicts: [Sync.Conflict], aligned: Bool, width: Int? = nil) -> [String] {
        let rows = conflicts.flatMap { conflict in
            zip(conflict.revisions, RevisionChoice(revisions: conflict.revisions).shown).map { revision, machine in
                [
                    ItemText.name(service: conflict.service, account: conflict.account),
                    ConflictPart(conflict)?.shown ?? VisibleText.line(conflict.part), machine,
                    aligned ? TimeText(revision.time).relative() : TimeText(revision.time).iso8601,
                    state(revision), text(revision),
                ]
            }
        }
        let all = [header] + rows
        guard aligned else { return all.map { $0.joined(separator: "\t") } }
        return Columns.aligned(all, width: width, narrowing: [[5], [0], [1, 2], [3]])
    }

    /// Of equal ones, one counts.
    static func state(_ revision: Sync.Revision) -> String {
        if revision.shown { return revision.unreadable ? "shown, does not open here" : "shown" }
        if revision.unreadable { return "kept, does not open here" }
        return revision.same == nil ? "kept" : "the same"
    }

    /// What a revision says, if that is no secret.
    private static func text(_ revision: Sync.Revision) -> String {
        if let expires = revision.expires { return TimeText(expires).iso8601 }
        guard let text = revision.text else { return "-" }
        return VisibleText.line(revision.account.map { ItemText.name(service: text, account: $0) } ?? text)
    }
}

/// A conflict in the output of `--json`.
struct ConflictRecord: Encodable {
    private let item: String
    private let service: String
    private let account: String
    private let kind: String
    private let part: String
    private let name: String?
    private let revisions: [RevisionRecord]
    private let beyond: Int64

    private struct RevisionRecord: Encodable {
        var id: String
        var device: String
        var machine: String?
        var time: String
        var shown: Bool
        var text: String?
        var account: String?
        var expires: String?
        var unreadable: Bool
        var same: String?
        /// Only with --values, and only if the value is UTF-8.
        var value: String?
        var valueBase64: String?
    }

    /// - Parameter values: by the revisions' ids.
    init(_ conflict: Sync.Conflict, _ values: [String: [UInt8]]) {
        (item, service, account) = (conflict.item, conflict.service, conflict.account)
        (kind, part, name, beyond) = (conflict.kind.rawValue, conflict.part, conflict.name, conflict.beyond)
        revisions = conflict.revisions.map { revision in
            let value = values[revision.id]
            return RevisionRecord(
                id: revision.id, device: revision.device, machine: revision.machine,
                time: TimeText(revision.time).iso8601, shown: revision.shown, text: revision.text,
                account: revision.account, expires: revision.expires.map { TimeText($0).iso8601 },
                unreadable: revision.unreadable, same: revision.same,
                value: value.flatMap { String(validating: $0, as: UTF8.self) }, valueBase64: value.map(Base64.encode))
        }
    }
}
