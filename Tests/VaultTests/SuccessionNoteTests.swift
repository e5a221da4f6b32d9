import Cryptography
import Foundation
import Testing

@testable import Vault

/// The note about a renewal, between the two vaults that vouch for it. Attacker 5 can write its file.
struct SuccessionNoteTests {
    @Test func itIsReadByBothVaultsAndByNoOther() throws {
        let (former, next) = (try VaultFixture(), try VaultFixture())
        let path = former.folder.path + "/note"
        let keys = (former: try SecretBytes.random(count: 32), successor: try SecretBytes.random(count: 32))
        var note = Succession(record: next.record, former: former.record)
        note.offer = Succession.Offer(boot: "this one", time: 7)
        try note.write(path, former: keys.former, successor: keys.successor)
        func read(_ voucher: Succession.Voucher, _ key: SecretBytes) throws -> Succession? {
            try Succession.read(path, by: voucher, key: key)
        }
        for (voucher, key) in [(Succession.Voucher.former, keys.former), (.successor, keys.successor)] {
            let found = try #require(try read(voucher, key))
            #expect(found.record == next.record && found.former == former.record)
            #expect(found.offer?.boot == "this one" && found.offer?.time == 7)
        }
        #expect(try read(.former, keys.successor) == nil)
        #expect(try read(.successor, keys.former) == nil)
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        for count in [0, 63, 64, 65, 128, 129, whole.count - 1] {
            try whole.prefix(count).write(to: URL(fileURLWithPath: path))
            #expect(try read(.former, keys.former) == nil, "\(count) bytes")
        }
    }

    @Test("the longest note is read, and one with a byte more is none")
    func longest() throws {
        let (former, next) = (try VaultFixture(), try VaultFixture())
        let path = former.folder.path + "/note"
        let key = try SecretBytes.random(count: 32)
        var note = Succession(record: next.record, former: former.record)
        func size(_ boot: Int) throws -> Int {
            note.offer = Succession.Offer(boot: String(repeating: "b", count: boot), time: 7)
            try note.write(path, former: key, successor: key)
            return try Data(contentsOf: URL(fileURLWithPath: path)).count
        }
        let rest = try VaultLimits.note - size(0)
        #expect(try size(rest) == VaultLimits.note)
        #expect(try Succession.read(path, by: .former, key: key) == note)
        #expect(try size(rest + 1) == VaultLimits.note + 1)
        #expect(try Succession.read(path, by: .former, key: key) == nil)
    }
}
