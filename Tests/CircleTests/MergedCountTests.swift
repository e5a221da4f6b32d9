import Circle
import Item
import Testing

/// How much of what a writer has said may end one day. By that it decides when it repeats itself.
@Suite struct MergedCountTests {
    @Test func eachWritersOwnChangesCount() throws {
        var bench = Bench(devices: 2, having: try Bench.made())
        for value in UInt8(2)...3 {
            try bench.act(1, at: UInt64(value) * 10) { writer, state in
                try [writer.set(.field(.secret), of: #require(state.items.first), to: .value(Bench.value(value)))]
            }
        }
        try bench.act(1, at: 40) { writer, state in
            try [writer.set(.label, of: #require(state.items.first), to: .text(Array("mine".utf8)))]
        }
        // Name and access control of the first one stay for ever. Its value was replaced.
        let first = bench.states[1].count(of: WriterID(number: 0))
        #expect(first.all == 1 && first.present == 0)
        // Two values and a label. One of the values was replaced.
        let second = bench.states[1].count(of: WriterID(number: 1))
        #expect(second.all == 3 && second.present == 2)
        let nobody = bench.states[1].count(of: WriterID(number: 2))
        #expect(nobody.all == 0 && nobody.present == 0)
        // The first device does not know of it yet.
        let before = bench.states[0].count(of: WriterID(number: 0))
        #expect(before.all == 1 && before.present == 1)
    }
}
