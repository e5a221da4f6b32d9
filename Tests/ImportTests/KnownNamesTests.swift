import Testing

@testable import Import

/// Entries of one name keep their names in a second import.
@Suite struct KnownNamesTests {
    /// An entry of a table, with the day of its last change and of its creation.
    private func entry(
        _ line: Int, _ title: String, _ changed: Int, created: Int?, user: String = "me"
    ) -> ImportEntry {
        var entry = ImportEntry(ImportPlace(line: line))
        entry.title = title
        entry.addresses = ["https://box.example"]
        entry.userName = user
        entry.password = Array("\(title)\(changed)".utf8)
        entry.note = "note of \(title)"
        entry.changed = "2026-01-0\(changed)T00:00:00Z"
        entry.created = created.map { "2025-01-0\($0)T00:00:00Z" } ?? ""
        return entry
    }

    private func known(_ account: String, _ label: String, created: Int?) -> KnownNames.Known {
        KnownNames.Known(
            service: "box.example", account: account, label: label,
            created: created.map { "2025-01-0\($0)T00:00:00Z" } ?? "")
    }

    /// The title that each name's item has: `me=Router`.
    private func names(_ entries: [ImportEntry], _ known: KnownNames.Known...) -> [String] {
        KnownNames.matched(ImportedItems(entries).items, with: known).map {
            $0.account + ($0.field.map { " \($0.name)" } ?? "") + "=" + $0.label
        }
    }

    @Test func aChangeOfOneSwapsNoNames() {
        let router = known("me", "Router", created: 1)
        let other = known("me#2", "Switch", created: 2)
        let entries = [entry(2, "Router", 2, created: 1), entry(3, "Switch", 3, created: 2)]
        let swapped = ["me#2=Router", "me#2 notes=Router", "me=Switch", "me notes=Switch"]
        let kept = ["me=Router", "me notes=Router", "me#2=Switch", "me#2 notes=Switch"]
        #expect(names(entries) == swapped)
        #expect(names(entries, router, other) == kept)
        // The first one is not in the file any longer.
        #expect(names([entries[1]], router, other) == Array(kept[2...]))
        // A newer one takes no name of another.
        let third = entry(4, "Third", 4, created: 3)
        #expect(names(entries + [third], router, other) == kept + ["me#3=Third", "me#3 notes=Third"])
    }

    @Test func whatCannotBeToldApartKeepsItsOrder() {
        let entries = [entry(2, "Box", 2, created: nil), entry(3, "Box", 3, created: nil)]
        let usual = names(entries)
        #expect(names(entries, known("me", "Box", created: nil), known("me#2", "Box", created: nil)) == usual)
        #expect(names(entries, known("me#2", "Box", created: nil)) == usual)
    }

    /// A user may be called as if a number had been added.
    @Test func aNameOfAnotherUserIsNotTaken() {
        let entries = [entry(2, "Router", 2, created: 1), entry(3, "Switch", 3, created: 2, user: "me#2")]
        #expect(names(entries, known("me#2", "Router", created: 1)) == names(entries))
    }

    @Test func theReportNamesTheReason() {
        let items = ImportedItems([entry(2, "Router", 2, created: 1), entry(3, "Switch", 3, created: 2)]).items
        let matched = KnownNames.matched(
            items, with: [known("me", "Router", created: 1), known("me#2", "Switch", created: 2)])
        #expect(matched.filter { $0.field == nil }.allSatisfy { $0.remark == "numbered as in your vault" })
        #expect(matched.map(\.companion) == [nil, "me:notes", nil, "me#2:notes"])
    }

    /// Entries without a user, and what did not fit into one item.
    @Test func fieldsInAnotherItemMoveAlong() {
        func full(_ line: Int, _ title: String, _ changed: Int, created: Int) -> ImportEntry {
            var entry = entry(line, title, changed, created: created, user: "")
            entry.fields = (0..<16).map { .init(name: "f\($0)", value: "\(title)") }
            return entry
        }
        let entries = [full(2, "Router", 2, created: 1), full(3, "Switch", 3, created: 2)]
        let found = names(entries, known("", "Router", created: 1), known("#2", "Switch", created: 2))
        #expect(found.first == "=Router" && found.contains("more f15=Router") && found.contains("#2:more f15=Switch"))
    }
}
