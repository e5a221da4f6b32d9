import Testing

@testable import Vault

/// An item's id has one length and is written in one way.
struct ItemIDTests {
    private let bytes = (0..<16).map { UInt8($0) }
    private let text = "00010203-0405-0607-0809-0a0b0c0d0e0f"

    @Test func anIdHasSixteenBytes() throws {
        let id = try #require(ItemID(bytes: bytes))
        #expect(id.description == text)
        for other in [[], Array(bytes.dropLast()), bytes + [16], bytes + bytes] { #expect(ItemID(bytes: other) == nil) }
    }

    @Test func anIdIsWrittenInOneWay() throws {
        #expect(ItemID(text)?.bytes == bytes)
        for other in [
            "", text.uppercased(), text.filter { $0 != "-" }, text + "-", String(text.dropLast(2)), text + "10",
            "0001-0203-0405-0607-0809-0a0b0c0d0e0f",
        ] { #expect(ItemID(other) == nil, "\(other)") }
    }
}
