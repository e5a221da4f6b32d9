import Authorization
import Cryptography
import Item
import Testing

@testable import Vault

/// Several changes in one transaction.
struct ApplyTests {
    let fixture: VaultFixture
    let vault: OpenVault

    init() throws {
        fixture = try VaultFixture()
        vault = try fixture.open()
    }

    private func set(
        _ account: String, _ value: String, _ mode: ItemDraft.Mode = .replace, if revision: ItemRevision? = nil
    ) throws -> PlannedChange {
        .set(try .make("s", account, value), mode: mode, ifRevision: revision)
    }

    private func delete(_ account: String, if revision: ItemRevision? = nil) -> PlannedChange {
        .delete(service: "s", account: account, kind: .genericPassword, ifRevision: revision)
    }

    @Test func changesAreMadeInTheirOrder() throws {
        try vault.set(.make("s", "old", "old"))
        let other = try vault.set(.make("t", "other", "other")).item
        let revision = vault.lastHeader.revision
        let results = try vault.apply([
            set("a", "one", .new), set("a", "two", .existing), delete("old"), delete("absent"), set("b", "b"),
            delete("b"), set("b", "again", .new),
        ])
        // One transaction, whatever it changes.
        #expect(vault.lastHeader.revision == revision + 1)
        #expect(try fixture.value(vault, "s", "a") == Array("two".utf8))
        #expect(try fixture.value(vault, "s", "b") == Array("again".utf8))
        #expect(try vault.list().map(\.metadata.account) == ["a", "b", "other"])
        #expect(results.map(\.text) == ["a 1 new", "a 2 replaced", "old", "", "b 1 new", "b", "b 1 new"])
        let rest = try vault.apply([
            .deleteService("s", kind: .key), .deleteService("s", kind: nil), set("c", "c"),
            .deleteService("none", kind: nil),
        ])
        #expect(rest.map(\.text) == ["", "a b", "c 1 new", ""])
        #expect(try vault.list().map(\.id).contains(other.id))
        #expect(try vault.apply([]).isEmpty)
        _ = try vault.verify()
        #expect(try vault.count == 2)
    }

    /// A failure at any place leaves everything as it was, and says which change it is about.
    @Test func allOrNothing() throws {
        let kept = try vault.set(.make("s", "kept", "kept")).item
        let gone = try vault.set(.make("s", "gone", "gone")).item
        let doomed = try vault.set(.make("s", "doomed", "doomed")).item
        try vault.delete(gone)
        let before = try vault.list()
        let (revision, epoch) = (vault.lastHeader.revision, vault.epoch)
        let good = [try set("new", "new", .new), try set("kept", "lost"), delete("doomed")]
        var tooLong = try ItemDraft.make("s", "x", "x")
        tooLong.label = String(repeating: "l", count: ItemLimits.label + 1)
        let bad: [(PlannedChange, VaultError.Code)] = [
            (try set("new", "x", .new), .alreadyExists), (try set("doomed", "x", .existing), .notFound),
            (try set("kept", "x", if: kept.revision), .outdated), (delete("doomed", if: doomed.revision), .outdated),
            (delete("gone", if: gone.revision), .outdated),
            (.set(tooLong, mode: .replace, ifRevision: nil), .limitExceeded),
            (try .set(.make("", "x", "x"), mode: .replace, ifRevision: nil), .invalidArgument),
            (
                try .set(.make("s", "x", "x", AccessControl(.passcodeSet)), mode: .new, ifRevision: nil),
                .invalidArgument
            ),
        ]
        for (change, code) in bad {
            do throws(VaultError) {
                _ = try vault.apply(good + [change, harmless])
                Issue.record("\(code)")
            } catch {
                #expect(error.code == code && error.reason.hasPrefix("change 4: "), "\(error)")
            }
            #expect(try vault.list() == before)
        }
        #expect(vault.lastHeader.revision == revision && vault.epoch == epoch)
        #expect(try fixture.value(vault, "s", "kept") == Array("kept".utf8))
        _ = try vault.verify()
    }

    private var harmless: PlannedChange { delete("absent") }

    /// What follows the end of a service finds nothing there, so it keeps no access control.
    @Test func afterTheEndOfAServiceNothingIsKept() throws {
        let gated = try AccessControl(requirements: [.userPresence])
        try vault.set(.make("s", "a", "v", gated))
        let draft = ItemDraft(service: "s", account: "a", value: try secret("w"), access: PartialAccess())
        func access(after deletion: PlannedChange) throws -> AccessControl? {
            try vault.accesses(after: [deletion, .set(draft, mode: .replace, ifRevision: nil)])[1]
        }
        #expect(try access(after: .deleteService("s", kind: nil)) == .whenUnlocked)
        #expect(try access(after: .deleteService("s", kind: .genericPassword)) == .whenUnlocked)
        #expect(try access(after: .deleteService("s", kind: .key)) == gated)
        #expect(try access(after: .deleteService("t", kind: nil)) == gated)
    }

    @Test func severalDeletionsAndNewPoliciesTakeOneStep() throws {
        for account in ["a", "b", "c"] { try vault.set(.make("s", account, account)) }
        let epoch = vault.epoch
        try vault.apply([
            delete("a"),
            .set(.make("s", "b", "b", AccessControl(requirements: [.userPresence])), mode: .replace, ifRevision: nil),
            .deleteService("s", kind: nil),
        ])
        #expect(vault.epoch == epoch + 1)
    }

    /// A change that touches thousands of index entries writes some of them before it ends, and can touch them again.
    @Test func whatWasWrittenInTheMiddleIsTouchedAgain() throws {
        let count = 40
        var changes: [PlannedChange] = []
        for number in 0..<count {
            var draft = try ItemDraft.make("s", "\(number)", "v")
            var attributes = ["all": "same"]
            for place in 1..<ItemLimits.attributes { attributes["\(place)"] = "\(number)" }
            draft.attributes = attributes
            changes.append(.set(draft, mode: .new, ifRevision: nil))
        }
        // The first one's entries were written by now.
        changes.append(delete("0"))
        try vault.apply(changes)
        #expect(try vault.list(service: "s").count == count - 1)
        #expect(try vault.search(attributes: ["all": "same"]).count == count - 1)
        #expect(try vault.search(attributes: ["1": "0"]).isEmpty)
        for number in 1..<count {
            #expect(
                try vault.search(attributes: ["1": "\(number)", "63": "\(number)"]).map(\.metadata.account) == [
                    "\(number)"
                ])
        }
        let report = try vault.verify()
        #expect(report.items == count - 1 && report.postings == 2 + (count - 1) * ItemLimits.attributes)
    }

    /// The service's one long index entry is written once, and not once for each item.
    @Test func aLargeServiceGoesAtOnce() throws {
        let count = 1500
        var changes: [PlannedChange] = []
        for number in 0..<count {
            var draft = try ItemDraft.make("s", "\(number)", "v")
            draft.attributes = ["all": "same"]
            changes.append(.set(draft, mode: .new, ifRevision: nil))
        }
        try vault.set(.make("t", "stays", "v"))
        try vault.apply(changes)
        #expect(try vault.list(service: "s").count == count)
        #expect(try vault.search(attributes: ["all": "same"]).count == count)
        _ = try vault.verify()
        let results = try vault.apply([.deleteService("s", kind: nil)])
        guard case .deleted(let items) = results[0] else { throw VaultError(.changed, "nothing was deleted") }
        #expect(items.count == count)
        #expect(try vault.list().map(\.metadata.account) == ["stays"])
        let report = try vault.verify()
        #expect(report.items == 1 && report.postings == 2)
    }
}

extension PlannedChange.Result {
    fileprivate var text: String {
        switch self {
        case .stored(let item, let replaced):
            "\(item.metadata.account) \(item.version) \(replaced == nil ? "new" : "replaced")"
        case .deleted(let items): items.map(\.metadata.account).sorted().joined(separator: " ")
        case .putAside(let item): "\(item.metadata.account) aside"
        }
    }
}
