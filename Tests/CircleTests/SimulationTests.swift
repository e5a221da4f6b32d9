import Circle
import Item
import Testing

@testable import Simulation

/// Schedules of the simulation, few enough for each run of the tests. `make simulate` runs many more.
struct SimulationTests {
    @Test func theRulesHoldInEverySchedule() throws {
        for seed in UInt64(1)...60 {
            let choices = Choices(seed: seed, count: Schedule.count)
            let digest = try Schedule.run(choices)
            guard seed.isMultiple(of: 10) else { continue }
            #expect(try Schedule.run(choices) == digest)
        }
    }

    @Test func aFailureShrinksToItsCause() {
        let shrunk = Choices.shrunk(Choices(seed: 4, count: 200).bytes) { $0.filter { $0 > 100 }.count >= 3 }
        #expect(shrunk == [101, 101, 101])
    }

    /// The notes of an item are removed. Somebody who knows of it puts the item into the bin.
    private func removedAndBinned() throws -> [PartChange] {
        var bench = Bench(devices: 1, having: try Bench.made())
        try bench.act(0) { writer, state in
            try [writer.set(.field(.notes), of: #require(state.items.first), to: .value(Bench.value(2)))]
        }
        try bench.act(0) { writer, state in try [writer.remove(.field(.notes), of: #require(state.items.first))] }
        try bench.act(0) { writer, state in try writer.bin(#require(state.items.first), days: 30) }
        return bench.changes
    }

    /// What the witness finds at a member that has some of the changes, if its state is made of others.
    ///
    /// - Parameter unseen: what the writer of the move to the bin did not have.
    private func fault(
        _ changes: [PartChange], had: (PartChange) -> Bool = { _ in true },
        merged: (PartChange) -> Bool = { _ in true }, unseen: (PartChange) -> Bool = { _ in false }
    ) -> String? {
        var (witness, disk) = (Witness(), SimulatedDevice.Disk(run: 0))
        for (place, change) in changes.enumerated() {
            _ = witness.note(change, past: PlaceSet((0..<place).filter { change.part != .bin || !unseen(changes[$0]) }))
            if had(change) { disk.had.insert(place) }
        }
        disk.items = SharedState(changes.filter(merged)).items
        return witness.fault(of: &disk, since: SimulatedDevice.Disk(run: 0))
    }

    @Test func aBinSpeaksForWhatItsWriterSawAlone() throws {
        let changes = try removedAndBinned()
        let isHere = { (change: PartChange) in change.content != nil }
        #expect(SharedState(changes.filter(isHere)).items.map(\.isInBin) == [false], "the removal is on its way")
        #expect(fault(changes, had: isHere, merged: isHere) == nil)
        #expect(SharedState(changes).items.map(\.isInBin) == [true])
        #expect(fault(changes) == nil)
    }

    @Test func theWitnessSeesAnItemThatComesOutOfTheBin() throws {
        let changes = try removedAndBinned()
        let found = try #require(fault(changes, merged: { $0.part != .bin }))
        #expect(found.hasSuffix("came out of the bin by itself"))
    }

    @Test func theWitnessSeesAnItemInTheBinThatNobodyPutThere() throws {
        let changes = try removedAndBinned()
        let found = try #require(fault(changes, unseen: { $0.part == .field(.secret) }))
        #expect(found.hasSuffix("is in the bin with a value that nobody deleted"))
    }
}
