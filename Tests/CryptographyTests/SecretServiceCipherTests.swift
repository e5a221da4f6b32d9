import Foundation
import Testing

@testable import Cryptography

@Suite("what the Secret Service's sessions are made of")
struct SecretServiceCipherTests {
    /// RFC 2409, section 6.2: p = 2^1024 − 2^960 − 1 + 2^64 · ([2^894 π] + 129093).
    @Test("The prime has the form that RFC 2409 gives it")
    func prime() {
        let prime = ModularDiffieHellman.prime
        #expect(prime.count == 128)
        #expect(prime.prefix(8).allSatisfy { $0 == 0xFF } && prime.suffix(8).allSatisfy { $0 == 0xFF })
        // The first bytes of π, as in the RFC.
        #expect(Array(prime[8..<16]) == [0xC9, 0x0F, 0xDA, 0xA2, 0x21, 0x68, 0xC2, 0x34])
    }

    @Test("Two sides agree on a secret of full length, also if zeros are missing from a key")
    func agreement() throws {
        let one = try ModularDiffieHellman.PrivateKey.generate()
        let two = try ModularDiffieHellman.PrivateKey.generate()
        let mine = try one.sharedSecret(with: Array(two.publicKey.drop { $0 == 0 }))
        let theirs = try two.sharedSecret(with: one.publicKey)
        #expect(mine.count == 128)
        #expect(mine == theirs)
    }

    /// Why a key cannot be agreed with; nil if it can.
    private func refusal(of publicKey: [UInt8]) throws -> CryptographyError? {
        let key = try ModularDiffieHellman.PrivateKey.generate()
        do throws(CryptographyError) {
            let secret = try key.sharedSecret(with: publicKey)
            #expect(secret.count == 128)
            return nil
        } catch { return error }
    }

    @Test("A public key outside of 2…p − 2 is refused")
    func publicKeys() throws {
        var below = ModularDiffieHellman.prime
        below[127] -= 1
        var above = ModularDiffieHellman.prime
        above[127] = 0xFF
        above[119] += 1
        let bad: [[UInt8]] = [
            [], [0], [1], [UInt8](repeating: 0, count: 128), below, ModularDiffieHellman.prime, above,
            [UInt8](repeating: 0xFF, count: 128), [UInt8](repeating: 5, count: 129),
        ]
        for key in bad {
            let error = try refusal(of: key)
            #expect(error?.code == .invalidKey)
            // OpenSSL refuses some of them, too. These are refused before.
            #expect(error?.reason == "this is not a public key of the group")
        }
        below[127] -= 1
        #expect(try refusal(of: below) == nil)
        #expect(try refusal(of: [2]) == nil)
    }

    /// NIST SP 800-38A, F.2.1 (CBC-AES128.Encrypt).
    @Test("AES-CBC gives the published blocks, and whole blocks of padding")
    func cbc() throws {
        func bytes(_ hex: String) -> [UInt8] {
            stride(from: 0, to: hex.count, by: 2).compactMap { UInt8(hex.dropFirst($0).prefix(2), radix: 16) }
        }
        let key = try SecretBytes(copying: bytes("2b7e151628aed2a6abf7158809cf4f3c"))
        let vector = bytes("000102030405060708090a0b0c0d0e0f")
        let plain = try SecretBytes(copying: bytes("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"))
        let sealed = try AESCBC.encrypt(plain, key: key, vector: vector)
        #expect(sealed.count == 48)
        let expected = bytes("7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2")
        #expect(sealed.withBytes { span in (0..<32).allSatisfy { span[$0] == expected[$0] } })
        #expect(try AESCBC.decrypt(sealed, key: key, vector: vector) == plain)
        let empty = try AESCBC.encrypt(SecretBytes(copying: []), key: key, vector: vector)
        #expect(empty.count == 16)
        #expect(try AESCBC.decrypt(empty, key: key, vector: vector).isEmpty)
        #expect(throws: CryptographyError.self) { try AESCBC.decrypt(plain, key: key, vector: vector) }
        for broken in [0, 15, 17] {
            let input = try SecretBytes(copying: [UInt8](repeating: 0, count: broken))
            #expect(throws: CryptographyError.self) { try AESCBC.decrypt(input, key: key, vector: vector) }
        }
        #expect(throws: CryptographyError.self) {
            try AESCBC.encrypt(plain, key: key, vector: Array(vector.prefix(15)))
        }
    }
}
