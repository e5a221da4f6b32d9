import Authorization
import Circle
import Cryptography
import Testing

@testable import Vault

/// What a vault keeps of its circle, as it reads it from its rows.
struct CircleMaterialTests {
    private let desk: CircleMachine

    init() throws {
        desk = try CircleMachine("desk")
        try desk.found()
    }

    /// Writes a row as only the vault itself can, and reads all rows. What cannot be read is not kept either.
    private func read(_ row: CircleRow, _ content: [UInt8], isCounted: Bool = true) throws -> CircleMaterial? {
        try desk.vault.write { (change) throws(VaultError) in
            guard let device = try change.circle(.device) else { throw .noCircle }
            try change.put(row, content)
            if isCounted { try change.put(device: CircleDevice(decoding: device)) }
            return try CircleMaterial(change)
        }
    }

    /// A row has the generation, or an empty one if a record will tell it, and then the sealed halves.
    @Test func halvesAreReadAsTheyAreWritten() throws {
        let generation = try #require(desk.view().openGenerations.first)
        let row = CircleRow.halves(generation.name)
        let sealed = [UInt8](repeating: 1, count: KeyGeneration.Receiver.sealedCount)
        let known = LengthPrefixed.encode(generation.bytes)
        let none = BigEndian.bytes(UInt32(0))
        #expect(try read(row, known + sealed)?.generations == [generation])
        #expect(try read(row, none + sealed)?.generations.isEmpty == true)
        #expect(try read(row, none + sealed)?.brought[generation.name]?.sealed == sealed)
        // No length, a part of one, another one, one of no generation, and a byte behind the generation.
        let wrong: [[UInt8]] = [[], [0, 0], none + generation.bytes, [0, 0, 0, 1, 1], known + none.prefix(1)]
        for start in wrong { #expect(vaultError { _ = try read(row, start + sealed) } == .damaged, "\(start.count)") }
    }

    @Test func halvesOfAnotherGenerationAreDamage() throws {
        let generation = try #require(desk.view().openGenerations.first)
        let sealed = [UInt8](repeating: 1, count: KeyGeneration.Receiver.sealedCount)
        let other = try #require(StatementName(bytes: [UInt8](repeating: 1, count: StatementName.count)))
        let content = LengthPrefixed.encode(generation.bytes) + sealed
        #expect(vaultError { _ = try read(.halves(other), content) } == .damaged)
    }

    @Test(arguments: [31, 33]) func theDigestOfARequestHasOneLength(count: Int) throws {
        let device = try desk.view().device.id
        let digest = [UInt8](repeating: 1, count: 32)
        #expect(try read(.answered(device), digest)?.answered == [device: digest])
        let other = [UInt8](repeating: 1, count: count)
        #expect(vaultError { _ = try read(.answered(device), other) } == .damaged)
    }

    /// The device's row has the number of all rows.
    @Test func aRowThatIsNotCountedIsDamage() throws {
        let row = CircleRow.answered(try desk.view().device.id)
        let digest = [UInt8](repeating: 1, count: 32)
        #expect(vaultError { _ = try read(row, digest, isCounted: false) } == .damaged)
    }

    /// Who keeps a store can make one file of two. Whichever of the rows comes first, the longer file is meant.
    @Test func ofTwoSegmentsInOnePlaceTheLongerOneIsMeant() throws {
        let (found, file) = try desk.vault.read { (snapshot) throws(VaultError) in
            let material = try CircleMaterial(snapshot)
            return (material, try material?.segments.first.map { (one) throws(VaultError) in try snapshot.circle(one) })
        }
        let known = try #require(found)
        let whole = try RecordSegment(decoding: #require(file))
        let part = try RecordSegment(before: whole.before, records: Array(whole.records.dropLast()))
        for segments in [[whole, part], [part, whole]] {
            var material = CircleMaterial(device: known.device)
            for segment in segments { try material.add(segment) }
            #expect(material.segments(of: material.device.id).map(\.segment) == known.segments)
        }
    }

    /// A generation says which circle it is of. Nothing is sealed to another circle's keys, even with halves that fit.
    @Test func halvesOfAnotherCircleAreNotUsed() throws {
        let (material, view) = try desk.vault.read { (snapshot) throws(VaultError) in
            try desk.vault.view(snapshot, desk.classKeys)
        }
        let other = try #require(StatementName(bytes: [UInt8](repeating: 1, count: StatementName.count)))
        let halves = try GenerationHalves.generate()
        for circle in [view.device.circle, other] {
            let generation = try KeyGeneration(
                circle: circle, maker: view.device.id, removals: view.membership.removalsDigest,
                publicHalves: halves.publicHalves, receivers: [halves.sealed(to: view.device.keys, in: circle)])
            var more = material
            more.generations.append(generation)
            let after = try desk.vault.read { [more] (snapshot) throws(VaultError) in
                try CircleView(more, desk.classKeys, in: snapshot)
            }
            #expect((after.halves[generation.name] == nil) == (circle == other))
        }
    }
}
