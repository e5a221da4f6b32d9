import Cryptography
import Testing

@testable import Vault

/// Attacker 7: one who fills his own vault fills neither the memory of the broker, which is everybody's, nor the disk.
struct LimitTests {
    @Test func namesAndAttributesHaveRoomForSoMuch() throws {
        let fixture = try VaultFixture()
        let vault = try fixture.open()
        let most = Dictionary(
            uniqueKeysWithValues: (0..<Limits.attributes).map {
                ("\($0)", String(repeating: "x", count: Limits.attribute - 2))
            })
        func fill(_ account: String) throws {
            var draft = try ItemDraft.make("s", account, "v")
            draft.attributes = most
            try vault.set(draft)
        }
        var stored = 0
        var refusal: VaultError?
        while refusal == nil, stored < 100 {
            do { try fill("\(stored)") } catch let error as VaultError {
                refusal = error
                continue
            }
            stored += 1
        }
        #expect(refusal?.code == .limitExceeded && refusal?.reason.contains("remove what is not needed") == true)
        #expect(stored > 60 && stored < 65, "\(stored)")
        // Nothing of it is there, and what is there is whole.
        #expect(try vault.list().count == stored && vault.count == stored)
        _ = try vault.verify()
        // What makes it smaller is welcome, and makes room.
        try vault.edit(
            vault.find(service: "s", account: "0"), changes: MetadataChanges(attributes: ["1": "", "2": "", "3": ""]))
        try vault.delete(vault.find(service: "s", account: "1"))
        try vault.set(.make("s", "small", "v"))
        #expect(throws: VaultError.self) {
            for account in ["again", "and again"] { try fill(account) }
        }
    }
}
