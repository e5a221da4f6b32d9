import Authorization
import Circle
import Cryptography
import Testing

@testable import Vault

/// The ids of a circle's rows, as the page of the format has them. Who can write the file can write any other id
/// (attacker 5).
struct CircleRowTests {
    private let short = [UInt8](repeating: 1, count: 16)
    private let long = [UInt8](repeating: 2, count: 32)
    private let hash = [UInt8](repeating: 3, count: 8)

    private func id(_ kind: UInt8, _ parts: [UInt8]...) -> [UInt8] { parts.reduce([kind], +) }

    /// Each kind of row, with its id byte for byte.
    private func rows() throws -> [(row: CircleRow, id: [UInt8])] {
        let device = try #require(WriterID(bytes: short))
        let run = try #require(RunID(bytes: short))
        let chain = try #require(ChainHash(bytes: long))
        let statement = try #require(StatementName(bytes: long))
        let revision = try #require(RevisionID(bytes: short))
        let change = try #require(RevisionName(digest: long))
        let number: [UInt8] = [0, 0, 0, 0, 0, 0, 1, 5]
        return [
            (.device, id(1)), (.joining, id(2)), (.shared, id(3)), (.statement(statement), id(4, long)),
            (.halves(statement), id(5, long)), (.segment(device, run, 261, hash), id(6, short, short, number, hash)),
            (.head(device, run, chain), id(7, short, short, long)), (.pending(261), id(8, number)),
            (.answered(device), id(9, short)), (.offered(revision), id(10, short)), (.receivers, id(11)),
            (.released(change), id(12, long)), (.succession, id(13)),
        ]
    }

    @Test func eachRowHasItsID() throws {
        for one in try rows() {
            #expect(one.row.id == one.id)
            #expect(try CircleRow(id: one.id) == one.row)
        }
    }

    @Test func anIDWithAByteMoreOrLessIsDamage() throws {
        for one in try rows() {
            #expect(vaultError { _ = try CircleRow(id: one.id + [0]) } == .damaged, "\(one.row)")
            #expect(vaultError { _ = try CircleRow(id: Array(one.id.dropLast())) } == .damaged, "\(one.row)")
        }
        for kind in [0, 14] as [UInt8] { #expect(vaultError { _ = try CircleRow(id: [kind]) } == .damaged) }
    }
}
