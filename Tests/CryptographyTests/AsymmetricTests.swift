import Cryptography
import Testing

@Suite struct X25519Tests {
    /// RFC 7748, section 6.1.
    @Test func publishedAgreement() throws {
        let alice = try X25519.PrivateKey(
            rawRepresentation: secret(hex("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a")))
        let bob = try X25519.PrivateKey(
            rawRepresentation: secret(hex("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb")))
        #expect(alice.publicKey == hex("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"))
        #expect(bob.publicKey == hex("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"))
        let shared = hex("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742")
        #expect(revealed(try alice.sharedSecret(with: bob.publicKey)) == shared)
        #expect(revealed(try bob.sharedSecret(with: alice.publicKey)) == shared)
    }

    /// Points of small order: 0, 1, one of order 8, p − 1, p, p + 1. With them the secret would be zero for every
    /// private key.
    @Test(arguments: [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ])
    func pointsOfSmallOrderAreRefused(point: String) throws {
        let key = try X25519.PrivateKey.generate()
        let error = #expect(throws: CryptographyError.self) { try key.sharedSecret(with: hex(point)) }
        #expect(error?.code == .invalidKey)
    }

    @Test func lengthsAreChecked() throws {
        let key = try X25519.PrivateKey.generate()
        for count in [0, 31, 33] {
            #expect(throws: CryptographyError.self) { try key.sharedSecret(with: [UInt8](repeating: 9, count: count)) }
            #expect(throws: CryptographyError.self) {
                try X25519.PrivateKey(rawRepresentation: SecretBytes.random(count: count))
            }
        }
    }
}

@Suite struct P256Tests {
    /// RFC 6979, appendix A.2.5.
    let scalar = hex("C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721")
    let point = hex(
        """
        04 60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6
        7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299
        """)

    @Test(arguments: [
        (
            "sample",
            """
            EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716
            F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8
            """
        ),
        (
            "test",
            """
            F1ABB023518351CD71D881567B1EA663ED3EFCF6C5132B354F28D3B0B7D38367
            019F4113742A2B14BD25926B49C649155F267E60D3814B4C0CC84250E46F0083
            """
        ),
    ])
    func publishedSignatures(message: String, signature: String) throws {
        let message = Array(message.utf8)
        let signature = hex(signature)
        #expect(try P256.isValid(signature: signature, for: message, publicKey: point))
        #expect(try !P256.isValid(signature: signature, for: message + [0], publicKey: point))
        for index in signature.indices {
            var wrong = signature
            wrong[index] ^= 0x10
            #expect(try !P256.isValid(signature: wrong, for: message, publicKey: point))
        }
    }

    @Test func publishedKeyPair() throws {
        #expect(try P256.PrivateKey(rawRepresentation: secret(scalar)).publicKey == point)
    }

    /// NIST CAVP, ECC CDH primitive (SP 800-56A), P-256, count 0.
    @Test func publishedAgreement() throws {
        let key = try P256.PrivateKey(
            rawRepresentation: secret(hex("7d7dc5f71eb29ddaf80d6214632eeae03d9058af1fb6d22ed80badb62bc1a534")))
        #expect(
            key.publicKey
                == hex(
                    """
                    04 ead218590119e8876b29146ff89ca61770c4edbbf97d38ce385ed281d8a6b230
                    28af61281fd35e2fa7002523acc85a429cb06ee6648325389f59edfce1405141
                    """))
        let theirs = hex(
            """
            04 700c48f77f56584c5cc632ca65640db91b6bacce3a4df6b42ce7cc838833d287
            db71e509e3fd9b060ddb20ba5c51dcc5948d46fbf640dfe0441782cab85fa4ac
            """)
        #expect(
            revealed(try key.sharedSecret(with: theirs))
                == hex("46fc62106420ff012e54a434fbdd2d25ccc5852060561e68040dd7778997bd7b"))
    }

    @Test func signsAndAgrees() throws {
        let mine = try P256.PrivateKey.generate()
        let theirs = try P256.PrivateKey.generate()
        #expect(try mine.sharedSecret(with: theirs.publicKey) == theirs.sharedSecret(with: mine.publicKey))
        let signature = try mine.signature(for: [1, 2, 3])
        #expect(signature.count == P256.signatureCount)
        #expect(try P256.isValid(signature: signature, for: [1, 2, 3], publicKey: mine.publicKey))
        #expect(try !P256.isValid(signature: signature, for: [1, 2, 3], publicKey: theirs.publicKey))
    }

    @Test func signsADigest() throws {
        let mine = try P256.PrivateKey.generate()
        let signature = try mine.signature(forDigest: SHA256.digest([1, 2, 3]))
        #expect(signature.count == P256.signatureCount)
        #expect(try P256.isValid(signature: signature, for: [1, 2, 3], publicKey: mine.publicKey))
        #expect(try !P256.isValid(signature: signature, for: [1, 2, 4], publicKey: mine.publicKey))
        for count in [0, 31, 33, 64] {
            let error = #expect(throws: CryptographyError.self) {
                try mine.signature(forDigest: [UInt8](repeating: 1, count: count))
            }
            #expect(error?.code == .invalidLength)
        }
    }

    @Test func whatIsNoSignatureIsRefused() throws {
        let message: [UInt8] = [1]
        for count in [0, 63, 65, 72] {
            let error = #expect(throws: CryptographyError.self) {
                try P256.isValid(signature: [UInt8](repeating: 1, count: count), for: message, publicKey: point)
            }
            #expect(error?.code == .invalidSignature)
        }
        let order = hex("FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551")
        let zero = [UInt8](repeating: 0, count: 32)
        for signature in [zero + zero, order + order, zero + order, [UInt8](repeating: 0xFF, count: 64)] {
            #expect(try !P256.isValid(signature: signature, for: message, publicKey: point))
        }
    }

    @Test func pointsAreChecked() throws {
        let key = try P256.PrivateKey(rawRepresentation: secret(scalar))
        #expect(P256.isOnCurve(point))
        var offCurve = point
        offCurve[64] ^= 1
        var negative = point
        negative[0] = 0x02
        let beyond = [0x04] + [UInt8](repeating: 0xFF, count: 64)
        let infinity = [UInt8](repeating: 0, count: 65)
        for wrong in [offCurve, negative, beyond, infinity, [], Array(point.dropLast()), point + [0], [0]] {
            #expect(!P256.isOnCurve(wrong))
            let error = #expect(throws: CryptographyError.self) { try key.sharedSecret(with: wrong) }
            #expect(error?.code == .invalidKey)
            #expect(throws: CryptographyError.self) {
                try P256.isValid(signature: [UInt8](repeating: 1, count: 64), for: [], publicKey: wrong)
            }
        }
    }

    @Test func scalarsAreChecked() throws {
        let order = hex("FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551")
        for wrong in [order, [UInt8](repeating: 0, count: 32), [UInt8](repeating: 0xFF, count: 32), [1], []] {
            let error = #expect(throws: CryptographyError.self) {
                try P256.PrivateKey(rawRepresentation: secret(wrong))
            }
            #expect(error?.code == .invalidKey)
        }
    }

    @Test func keysGoThroughPEM() throws {
        let key = try P256.PrivateKey.generate()
        let pem = try key.pem()
        #expect(revealed(pem).starts(with: Array("-----BEGIN PRIVATE KEY-----\n".utf8)))
        let read = try P256.PrivateKey(pem: pem)
        #expect(read.publicKey == key.publicKey)
        #expect(read.rawRepresentation == key.rawRepresentation)
    }

    /// Other curves, text that is not PEM, truncated PEM. The X25519 key has RFC 8410's form.
    @Test(arguments: [
        "", "hello", "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n",
        """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VuBCIEIHcHbQpzGKV9PBbBclGyZkXfTC+S68CZKsF3+6UduSwq
        -----END PRIVATE KEY-----
        """,
        """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MC4CAQAwBQYDK2VuBCIEIHcHbQpzGKV9PBbBclGyZkXfTC+S68CZKsF3+6UduSwq
        -----END ENCRYPTED PRIVATE KEY-----
        """,
    ])
    func otherPEMIsRefused(text: String) throws {
        let error = #expect(throws: CryptographyError.self) { try P256.PrivateKey(pem: secret(Array(text.utf8))) }
        #expect(error?.code == .invalidKey)
    }
}
