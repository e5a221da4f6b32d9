import Cryptography
import Testing

/// OpenSSL reads as many bytes of a key or a nonce as it needs, whether they are there or not. So each length is checked
/// before.
@Suite struct InputLengthTests {
    private func code(_ body: () throws -> Void) throws -> CryptographyError.Code? {
        do {
            try body()
            return nil
        } catch let error as CryptographyError { return error.code }
    }

    private static func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 0x30, count: count) }

    @Test func aChunksKeyAndNonceHaveTheirLengths() throws {
        for cipher in [ChunkCipher.aesGCM, .chaChaPoly] {
            let key = try secret(Self.bytes(32))
            let sealed = try cipher.seal([1, 2], key: key, nonce: Self.bytes(12))
            #expect(sealed.count == 18)
            #expect(try cipher.open(sealed, key: key, nonce: Self.bytes(12)) == [1, 2])
            for count in [0, 11, 13] {
                let sealing = try code { _ = try cipher.seal([1], key: key, nonce: Self.bytes(count)) }
                let opening = try code { _ = try cipher.open(sealed, key: key, nonce: Self.bytes(count)) }
                #expect(sealing == .invalidLength && opening == .invalidLength, "\(count)")
            }
            for count in [0, 16, 31, 33] {
                let other = try secret(Self.bytes(count))
                let sealing = try code { _ = try cipher.seal([1], key: other, nonce: Self.bytes(12)) }
                let opening = try code { _ = try cipher.open(sealed, key: other, nonce: Self.bytes(12)) }
                #expect(sealing == .invalidKey && opening == .invalidKey, "\(count)")
            }
            let short = try code { _ = try cipher.open(Self.bytes(15), key: key, nonce: Self.bytes(12)) }
            #expect(short == .authenticationFailed)
        }
    }

    @Test func aBlockCiphersKeyAndVectorHaveSixteenBytes() throws {
        let plain = try secret(Self.bytes(16))
        for count in [0, 15, 17, 32] {
            let wrong = try secret(Self.bytes(count))
            let key = try code { _ = try AESCBC.encrypt(plain, key: wrong, vector: Self.bytes(16)) }
            let vector = try code { _ = try AESCBC.encrypt(plain, key: plain, vector: Self.bytes(count)) }
            let feedback = try code { _ = try AESCFB.encryptOnce(plain, key: wrong) }
            #expect(key == .invalidKey && vector == .invalidLength && feedback == .invalidKey, "\(count)")
        }
        for (count, isTaken) in [(0, false), (1, true), (1024, true), (1025, false)] {
            let input = try secret(Self.bytes(count))
            let found = try code { _ = try AESCFB.encryptOnce(input, key: plain) }
            #expect(found == (isTaken ? nil : .invalidLength), "\(count)")
        }
        // The first block is that of AES-128 itself: zeros under a key of zeros.
        let zeros = try SecretBytes.zeros(count: 16)
        #expect(try AESCFB.encryptOnce(zeros, key: zeros) == hex("66e94bd4ef8a2c3b884cfa59ca342b2e"))
    }

    @Test func aTPMsDerivationsGiveOneDigestAtMost() throws {
        let (key, empty) = (try secret(Self.bytes(32)), try secret([]))
        for (count, isTaken) in [(0, false), (1, true), (32, true), (33, false)] {
            let counter = try code { _ = try KDF.counter(key, label: "A", context: [1], count: count) }
            let other = try code { _ = try KDF.concatenation(key, use: "A", parties: [1], count: count) }
            #expect(counter == (isTaken ? nil : .invalidLength) && other == counter, "\(count)")
        }
        let nothing = try code { _ = try KDF.counter(empty, label: "A", context: [1], count: 32) }
        #expect(nothing == .invalidLength)
    }

    /// What somebody else made is not given to a parser without end.
    @Test func aCertificateAndAKeyFileHaveALimit() throws {
        for (count, expected) in [
            (0, .invalidLength), (1 << 16, .invalidKey), (1 << 16 + 1, .invalidLength),
        ] as [(Int, CryptographyError.Code)] {
            let found = try code { _ = try Certificate(der: Self.bytes(count)) }
            #expect(found == expected, "\(count)")
        }
        for (count, expected) in [
            (1 << 16, .invalidKey), (1 << 16 + 1, .invalidLength),
        ] as [(Int, CryptographyError.Code)] {
            let text = try secret(Self.bytes(count))
            let found = try code { _ = try P256.PrivateKey(pem: text) }
            #expect(found == expected, "\(count)")
        }
    }

    /// A longer secret than there is memory for would show what lies behind it.
    @Test func aSecretIsNoLongerThanItsMemory() throws {
        for (written, isTaken) in [(-1, false), (0, true), (10, true), (11, false)] {
            let found = try code {
                _ = try unsafe SecretBytes(unsafeCapacity: 10) { (_) throws(CryptographyError) in written }
            }
            #expect(found == (isTaken ? nil : .invalidLength), "\(written)")
        }
        let negative = try code { _ = try SecretBytes.zeros(count: -1) }
        #expect(negative == .invalidLength)
    }
}
