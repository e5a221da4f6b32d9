import Circle
import Item
import Testing

/// Every triple of operations by three machines that do not hear of each other, and a fourth one that sees two of them.
struct MergingEnumerationTests {
    private static let operations = 0..<11

    private static func changes(
        _ operation: Int, _ writer: PartWriter, _ item: SharedItem, device: Int
    ) throws -> [PartChange] {
        let number = UInt8(10 * device + operation)
        switch operation {
        case 0: return [try writer.set(.field(.secret), of: item, to: .value(Bench.value(number)))]
        case 1: return [try writer.set(.field(.notes), of: item, to: .value(Bench.value(number)))]
        case 2: return [try writer.remove(.field(.secret), of: item)]
        case 3: return [try writer.rename(item, to: Bench.name("shop"))]
        case 4: return [try writer.set(.label, of: item, to: .text([number]))]
        case 5: return try writer.guardItem(item, by: .whenUnlocked.requiring(.userPresence))
        case 6: return try writer.guardItem(item, by: .afterFirstUnlock)
        case 7: return try writer.bin(item, days: 30)
        case 8: return try writer.delete(item)
        case 9:
            return try Bench.made(
                SharedItemID(number: UInt64(5 - device)), Bench.name("shop"), value: number, by: UInt64(device))
        default:
            return try writer.bin(item, days: 30)
                + [writer.set(.field(.secret), of: item, to: .value(Bench.value(number)))]
        }
    }

    @Test func everyTripleOfOperationsConverges() throws {
        let base = try Bench.made()
        let state = SharedState(base)
        let item = try #require(state.items.first)
        var each: [[[PartChange]]] = []
        for device in 0..<3 {
            let writer = PartWriter(state, writer: WriterID(number: UInt64(device)), now: UInt64(20 - device))
            each.append(try Self.operations.map { try Self.changes($0, writer, item, device: device) })
        }
        var (wrong, tried) = (0, 0)
        for first in each[0] {
            for second in each[1] {
                // A fourth machine has seen both, and sets a value, or restores, in what it sees.
                var seen = state
                for change in first + second { seen.take(change) }
                let last = PartWriter(seen, writer: WriterID(number: 9), now: 1)
                let after = try seen.items.first.map { item in
                    try item.isInBin
                        ? last.restore(item) : [last.set(.field(.secret), of: item, to: .value(Bench.value(200)))]
                }
                for third in each[2] {
                    let blocks = [first, second, third, after ?? []]
                    let digest = try SharedState(base + blocks.joined()).digest
                    for order in [[3, 2, 1, 0], [1, 3, 0, 2]] {
                        var other = SharedState(base)
                        for block in order { for change in blocks[block].reversed() { other.take(change) } }
                        tried += 1
                        if try other.digest != digest || other.waits.count > 0 { wrong += 1 }
                    }
                }
            }
        }
        #expect(wrong == 0)
        #expect(tried == 2 * 1_331)
    }
}
