import Testing

@testable import Import

/// What is as long as it may be is imported. What is one byte longer is named, and not imported.
@Suite struct ItemLengthTests {
    private func text(_ count: Int) -> String { String(repeating: "x", count: count) }

    private func named(_ configure: (inout ImportEntry) -> Void) -> ImportedItems {
        var entry = ImportEntry(ImportPlace(line: 1))
        entry.service = "s"
        entry.password = [1]
        configure(&entry)
        return ImportedItems([entry])
    }

    @Test func anAttributeHasItsWholeLength() {
        let whole = named { $0.folder = text(4090) }
        #expect(whole.items.count == 1 && whole.items.first?.attributes["folder"] == text(4090))
        #expect(whole.leftOut.isEmpty && whole.problems.isEmpty)
        let longer = named { $0.folder = text(4091) }
        #expect(longer.items.count == 1 && longer.items.first?.attributes["folder"] == nil)
        #expect(
            longer.leftOut == [
                ImportProblem(ImportPlace(line: 1), "its folder, which is longer than 4096 bytes")
            ])
        #expect(longer.problems.isEmpty)
    }

    @Test func aTitleHasItsWholeLength() {
        let whole = named { $0.title = text(1024) }
        #expect(whole.items.first?.label == text(1024) && whole.leftOut.isEmpty && whole.problems.isEmpty)
        let longer = named { $0.title = text(1025) }
        #expect(longer.items.first?.label == "")
        #expect(
            longer.leftOut == [ImportProblem(ImportPlace(line: 1), "its title, which is longer than 1024 bytes")])
    }

    @Test func aNameHasItsWholeLength() {
        let (whole, place) = (named { $0.userName = text(1024) }, named { $0.service = text(1024) })
        #expect(whole.items.first?.account == text(1024) && whole.problems.isEmpty)
        #expect(place.items.first?.service == text(1024) && place.problems.isEmpty)
        let user = named { $0.userName = text(1025) }
        #expect(user.items.isEmpty && user.problems.map(\.reason) == ["its user name is longer than 1024 bytes"])
        let service = named { $0.service = text(1025) }
        #expect(
            service.items.isEmpty
                && service.problems.map(\.reason) == ["its name or address is longer than 1024 bytes"])
    }

    /// As Coffer's own export and a keyring have them.
    @Test func anItemWithANameHasTheBrokersLimits() {
        func reasons(_ configure: (inout ImportedItem) -> Void) -> [String] {
            var item = ImportedItem(ImportPlace(line: 1), service: "s", account: "a", value: [1])
            configure(&item)
            return ImportedItems([item]).problems.map(\.reason)
        }
        func attributes(_ count: Int) -> [String: String] {
            Dictionary(uniqueKeysWithValues: (0..<count).map { ("\($0)", "x") })
        }
        #expect(reasons { $0.label = text(1024) } == [])
        #expect(reasons { $0.label = text(1025) } == ["its label is longer than 1024 bytes"])
        #expect(reasons { $0.comment = text(4096) } == [])
        #expect(reasons { $0.comment = text(4097) } == ["its comment is longer than 4096 bytes"])
        #expect(reasons { $0.attributes = ["k": text(4095)] } == [])
        #expect(reasons { $0.attributes = ["k": text(4096)] } == ["an attribute of it is longer than 4096 bytes"])
        #expect(reasons { $0.attributes = attributes(64) } == [])
        #expect(reasons { $0.attributes = attributes(65) } == ["it has more than 64 attributes"])
        #expect(reasons { $0.expires = 0 } == [])
        #expect(reasons { $0.value = [UInt8](repeating: 1, count: 1 << 20) } == [])
        let larger = reasons { $0.value = [UInt8](repeating: 1, count: 1 << 20 + 1) }
        #expect(larger == ["a secret of it is larger than 1 MiB"])
    }
}
