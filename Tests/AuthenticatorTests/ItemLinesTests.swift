import Testing

@testable import Authenticator

/// Which items a prompt has room for, and how their lines read.
struct ItemLinesTests {
    /// The room that the line `"s" / "a"` takes.
    private static let size = 9 + 16

    /// The only line of a prompt that has room for everything; nil if it was not named.
    private func line(
        _ service: String, _ account: String = "a", _ fields: [String]? = nil, reason: String? = nil
    ) -> String? {
        var lines = ItemLines(room: PromptLimits.notice)
        let isNamed = lines.add(service, account, nil, fields, reason: reason)
        return isNamed ? lines.single : nil
    }

    @Test func aLineIsNamedIfItFitsIntoTheRoomThatIsLeft() {
        for (room, fits) in [
            (Self.size, [true, false]), (Self.size - 1, [false, false]), (2 * Self.size, [true, true]),
            (2 * Self.size - 1, [true, false]),
        ] {
            var lines = ItemLines(room: room)
            var named: [Bool] = []
            for account in ["a", "b"] { named.append(lines.add("s", account, nil, nil, reason: nil)) }
            #expect(named == fits, "\(room)")
            #expect(lines.count == fits.count { $0 })
        }
    }

    @Test func theSameItemTakesNoMoreRoom() {
        var lines = ItemLines(room: Self.size)
        var named: [Bool] = []
        for _ in 0..<3 { named.append(lines.add("s", "a", nil, nil, reason: nil)) }
        #expect(named == [true, true, true])
        #expect(lines.single == "\"s\" / \"a\", 3 times" && lines.indented == ["  \"s\" / \"a\", 3 times"])
    }

    /// A text that is longer than an item's can be is a lie.
    @Test func textsAreAsLongAsAnItemsCanBe() {
        let (name, reason) = (String(repeating: "n", count: 1024), String(repeating: "r", count: 512))
        #expect(line(name) != nil && line(name + "n") == nil)
        #expect(line("s", name) != nil && line("s", name + "n") == nil)
        #expect(line("s", reason: reason) != nil && line("s", reason: reason + "r") == nil)
        // Bytes count, and not characters.
        #expect(line(String(repeating: "\u{E9}", count: 512)) != nil)
        #expect(line(String(repeating: "\u{E9}", count: 513)) == nil)
    }

    @Test func aReasonIsPartOfItsLine() {
        #expect(line("s", reason: "r") == "\"s\" / \"a\", reason it gives: \"r\"")
        #expect(line("s", reason: "") == "\"s\" / \"a\"")
        #expect(line("s", "a", ["pin"], reason: "r") == "\"s\" / \"a\", field \"pin\", reason it gives: \"r\"")
        #expect(line("s", "a", ["secret"]) == "\"s\" / \"a\"" && line("s", "a", []) == "\"s\" / \"a\"")
        // One item for two reasons has two lines.
        var lines = ItemLines(room: PromptLimits.notice)
        for reason in ["r", "q"] { _ = lines.add("s", "a", nil, nil, reason: reason) }
        #expect(lines.count == 2 && lines.single == nil)
    }
}
