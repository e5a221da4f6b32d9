import Item
import TestSupport
import Testing

@testable import Vault

/// How much a vault holds, and how much its file can make others read, as the pages tell it.
@Suite("The pages tell the vault's limits as they are")
struct LimitPageTests {
    private static let room = Room()
    private static let kept = KeptLimits()

    @Test func theProtocolsPage() throws {
        let page = try SourceTree.text("docs/broker-protocol.md")
        let (room, kept) = (Self.room, Self.kept)
        for row in [
            "| items of a vault; their names and attributes together; its file | \(PageWords.count(Int(room.items)));"
                + " \(PageWords.size(Int(room.records))); \(PageWords.size(Int(room.file))) |",
            "| fields of an item; a field's name; signatures that all fields of an item take | \(ItemLimits.fields);"
                + " \(ItemLimits.fieldName) bytes; \(VaultLimits.signatures) |",
            "| former values of a field; for how long; their records in a vault | \(ItemLimits.formerValues.most);"
                + " \(ItemLimits.formerDays.most) days; \(PageWords.size(Int(room.former))) |",
            "| names and attributes of a vault that the broker keeps in memory; items that were read; index entries; what"
                + " it has made of the circle; all vaults together | \(PageWords.size(kept.names));"
                + " \(PageWords.size(kept.items)); \(PageWords.size(kept.postings)); \(PageWords.size(kept.circle));"
                + " \(PageWords.size(kept.all)) |",
        ] { #expect(page.contains(row), "\(row)") }
    }

    @Test func thePageOfThreats() throws {
        let page = try SourceTree.text("docs/threat-model.md")
        for row in [
            "| number of slots | \(VaultLimits.slots) at most",
            "| number of approved boots | 1 to \(VaultLimits.boots), none twice |",
            "| size of a file that is copied | \(PageWords.size(Int(DatabaseLimits.copy))) |",
            "| length of a record | \(PageWords.size(AccessLogLimits.record)), and what is left of the file |",
        ] { #expect(page.contains(row), "\(row)") }
    }

    @Test func thePageOfBinding() throws {
        let page = try SourceTree.text("docs/binding.md")
        #expect(page.contains("They have \(TPMSealer.tries) tries, for everything that stays on this device."))
    }

    @Test func thePagesOfTheCircle() throws {
        let room = Self.room
        for (page, sentence) in [
            ("docs/sync.md", "at most \(PageWords.size(Int(room.circle)))."),
            (
                "docs/sync-merging.md",
                "compares the values of \(PageWords.count(OpenVault.comparedParts)) parts at once"
            ),
            ("docs/sync.md", "when it has given out \(PageWords.size(room.given)) or \(room.givenFiles) files"),
            ("docs/sync.md", "Of more than nine changes of one part, the latest nine can be chosen"),
            ("docs/sync-format.md", "if it has given out \(PageWords.size(room.given)) or \(room.givenFiles) files"),
        ] { #expect(try SourceTree.text(page).contains(sentence), "\(sentence)") }
        #expect(VaultLimits.conflicts == 9)
    }

    /// What a vault may have is never more than what is read of it.
    @Test func whatIsWrittenCanBeRead() {
        #expect(DatabaseLimits.items == 2 * Self.room.records && DatabaseLimits.file == 2 * Self.room.file)
        #expect(DatabaseLimits.copy >= DatabaseLimits.file && DatabaseLimits.row == 4 * ItemLimits.value)
        #expect(DatabaseLimits.circle == Self.room.circle + 64 << 20)
        #expect(
            Self.kept.names + Self.kept.items + Self.kept.postings + Self.kept.circle <= Self.kept.all
                - Self.kept.reserve)
    }

    /// No test waits for these, or fills them. They change on purpose only, and then here, too.
    @Test func whatNoTestFillsIsAsItWasChosen() {
        #expect(DatabaseLimits.unchecked == 32 << 20 && DatabaseLimits.postings == 192 << 20)
        #expect(DatabaseLimits.fields == 192 << 20)
        #expect(DatabaseLimits.schema == 64 << 10 && DatabaseLimits.objects == 1 << 20)
        #expect(DatabaseLimits.heap == 384 << 20 && DatabaseLimits.statement == 64 << 10)
        #expect(AccessLogLimits.size == 4 << 20 && AccessLogLimits.answer == 500)
        #expect(OpenVault.openedForExposure == 4_000 && Room.overhead == 1 << 20)
        #expect(VaultLimits.recoveryCodePart == 64 && VaultLimits.stepsToAccept == 4096)
        #expect(VaultLimits.note == 192 << 10 && VaultLimits.decisionTime == 20_000)
        #expect(Self.kept.value == 4 << 10 && Self.kept.reserve == 16 << 20 && Self.kept.ensured == 512 << 10)
        #expect([ItemLimits.label, ItemLimits.comment, ItemLimits.applicationPassword] == [1024, 4096, 1024])
        #expect([ItemLimits.items, ItemLimits.changes, ItemLimits.reads] == [10_000, 128, 32])
        #expect(ItemLimits.formerValues.usual == 3 && ItemLimits.formerDays.usual == 30)
    }
}
