import Authorization
import Cryptography
import Testing

@testable import Vault

/// The roots for another binding, as the vault's file keeps them. Attacker 5 can write them.
struct TransitionTests {
    private let unlockRoot = SealedObject(role: .unlockRoot, public: [1, 2], private: [3])
    private let presence = SealedObject(role: .presence, public: [4], private: [5, 6])

    private func index(_ number: UInt32) throws -> IndexPin {
        try #require(IndexPin(handle: 0x0180_0000 + number, policy: [UInt8](repeating: UInt8(number), count: 32)))
    }

    @Test func whatIsWrittenIsRead() throws {
        let (one, other) = (try index(1), try index(2))
        for (index, former) in [
            (nil, nil), (VaultIndex.password(one), nil), (nil, .boots(one)), (.boots(one), .password(other)),
        ] as [(VaultIndex?, VaultIndex?)] {
            let transition = Transition(
                objects: [presence, unlockRoot], keybag: [7, 8, 9], index: index, formerIndex: former)
            #expect(transition.objects == [unlockRoot, presence])
            let read = try Transition(decoding: transition.encoded)
            #expect(read == transition && read.unlockRoot == unlockRoot)
            #expect(vaultError { _ = try Transition(decoding: transition.encoded + [0]) } == .damaged)
        }
    }

    private func encoded(_ objects: [SealedObject]) -> [UInt8] {
        let sealed = objects.reduce(into: [UInt8]()) { bytes, object in
            bytes += BigEndian.bytes(object.role.rawValue) + LengthPrefixed.encode(object.public, object.private)
        }
        return LengthPrefixed.encode(sealed, [7], [], [])
    }

    @Test("roots twice, in another order, without the unlock root, or of a circle are damaged")
    func objects() throws {
        let ofCircle = SealedObject(role: .streamKey, public: [1], private: [2])
        #expect(try Transition(decoding: encoded([unlockRoot, presence])).objects == [unlockRoot, presence])
        for objects in [
            [unlockRoot, unlockRoot], [presence, unlockRoot], [presence], [], [unlockRoot, ofCircle],
        ] {
            #expect(vaultError { _ = try Transition(decoding: encoded(objects)) } == .damaged)
        }
    }

    @Test("an index of an unknown kind, of another range, or with more bytes is damaged")
    func indexes() throws {
        let bytes = VaultIndex.password(try index(1)).encoded
        #expect(try VaultIndex(decoding: bytes) == .password(index(1)))
        for bytes in [
            [3] + bytes.dropFirst(), [0] + bytes.dropFirst(), Array(bytes.dropLast()), bytes + [0],
            [1] + BigEndian.bytes(0x01C0_0000 as UInt32) + bytes.suffix(32),
        ] {
            #expect(vaultError { _ = try VaultIndex(decoding: Array(bytes)) } == .damaged)
        }
    }
}
