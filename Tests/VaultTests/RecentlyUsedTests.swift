import Testing

@testable import Vault

struct RecentlyUsedTests {
    /// Before the first entry, and after the last.
    @Test func ofNothingNothingGoes() {
        var entries = RecentlyUsed<Int, Int>()
        for value in 1...2 {
            #expect(entries.removeOldest() == nil)
            #expect(entries.use(7) == nil)
            entries.put(value, for: 7, cost: 3)
            #expect(entries.removeOldest() == 3)
        }
        #expect(entries.removeOldest() == nil)
        #expect(entries.cost == 0)
    }

    /// Against the plainest model: a list in the order of use.
    @Test func asAListInTheOrderOfUse() {
        var model: [(key: Int, value: Int, cost: Int32)] = []
        var entries = RecentlyUsed<Int, Int>()
        for step in 0..<20_000 {
            let key = Int.random(in: 0..<40)
            let found = model.firstIndex { $0.key == key }
            switch Int.random(in: 0..<5) {
            case 0, 1:
                if let found { model.remove(at: found) }
                let cost = Int32.random(in: 0..<100)
                model.append((key, step, cost))
                entries.put(step, for: key, cost: cost)
            case 2:
                #expect(entries.use(key) == found.map { model[$0].value })
                if let found { model.append(model.remove(at: found)) }
            case 3:
                #expect(entries.remove(key) == found.map { Int(model[$0].cost) } ?? 0)
                if let found { model.remove(at: found) }
            default:
                #expect(entries.removeOldest() == model.first.map { Int($0.cost) })
                if !model.isEmpty { model.removeFirst() }
            }
            #expect(entries.count == model.count)
            #expect(entries.cost == model.reduce(0) { $0 + Int($1.cost) })
            #expect(entries.peek(key) == model.first { $0.key == key }?.value)
        }
        #expect(
            Dictionary(uniqueKeysWithValues: entries.values)
                == Dictionary(uniqueKeysWithValues: model.map { ($0.key, $0.value) }))
    }
}
