import Authorization
import Cryptography
import Testing

@Suite struct EncodingTests {
    @Test func lengthsKeepListsApart() {
        #expect(LengthPrefixed.encode([1], [2, 3]) == [0, 0, 0, 1, 1, 0, 0, 0, 2, 2, 3])
        #expect(LengthPrefixed.encode([1, 2], [3]) != LengthPrefixed.encode([1], [2, 3]))
        #expect(LengthPrefixed.encode([]) != LengthPrefixed.encode([], []))
    }

    @Test func hexadecimalGoesThereAndBack() {
        let all = (0...255).map { UInt8($0) }
        #expect(Hex.decode(Hex.encode(all)) == all)
        #expect(Hex.decode("0") == nil)
        #expect(Hex.decode("0g") == nil)
    }

    @Test(arguments: ["user:0", "user:4294967295", "group:27"])
    func ownersGoThereAndBack(text: String) { #expect(Owner(text: text)?.text == text) }

    @Test(arguments: ["user:", "user:-1", "user:01", "user:4294967296", "root", "user:1:2", "User:1", "user:1 "])
    func otherOwnersAreRefused(text: String) { #expect(Owner(text: text) == nil) }
}

@Suite struct PolicyReferenceTests {
    private let vault = VaultID(bytes: (0..<16).map { UInt8($0) })!

    @Test func theDigestIsThatOfTheDocument() throws {
        let reference = PolicyReference(vault: vault, owner: .user(1000), kind: .presence)
        var bytes: [UInt8] =
            [0, 0, 0, 17] + Array("org.coffer.policy".utf8) + [0, 0, 0, 1, 1, 0, 0, 0, 16] + vault.bytes
        bytes += [0, 0, 0, 9] + Array("user:1000".utf8) + [0, 0, 0, 8] + Array("presence".utf8) + [0, 0, 0, 0]
        #expect(try reference.digest() == SHA256.digest(bytes))
    }

    @Test func everyPartCounts() throws {
        let other = VaultID(bytes: [UInt8](repeating: 7, count: 16))!
        let references = [
            PolicyReference(vault: vault, owner: .user(1000), kind: .presence),
            PolicyReference(vault: other, owner: .user(1000), kind: .presence),
            PolicyReference(vault: vault, owner: .user(1001), kind: .presence),
            PolicyReference(vault: vault, owner: .group(1000), kind: .presence),
            PolicyReference(vault: vault, owner: .user(1000), kind: .unlock),
            PolicyReference(vault: vault, owner: .user(1000), kind: .presence, setDigest: [1]),
        ]
        #expect(try Set(references.map { try $0.digest() }).count == references.count)
    }

    @Test func aRequestHasExactLengthsAndAHundredBytes() throws {
        let reference = PolicyReference(vault: vault, owner: .user(1000), kind: .unlock)
        let bytes = [UInt8](repeating: 1, count: 32)
        for length in [0, 31, 33] {
            let wrong = [UInt8](repeating: 1, count: length)
            #expect(SigningRequest(nonce: wrong, parameterHash: bytes, reference: reference) == nil)
            #expect(SigningRequest(nonce: bytes, parameterHash: wrong, reference: reference) == nil)
        }
        let message = try #require(
            SigningRequest(nonce: bytes, parameterHash: [UInt8](repeating: 2, count: 32), reference: reference)
        ).message()
        #expect(message.count == 100)
        #expect(message[32..<36] == [0, 0, 0, 0])
        #expect(try Array(message[68...]) == reference.digest())
    }
}
