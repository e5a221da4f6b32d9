import Testing

@testable import Cryptography

@Suite struct SHA256Tests {
    /// FIPS 180-4, the examples published with it.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func publishedDigests(message: String, digest: String) throws {
        #expect(try SHA256.digest(Array(message.utf8)) == hex(digest))
    }
}

@Suite struct HMACSHA256Tests {
    /// RFC 4231, test cases 1, 2, 3 and 6.
    @Test(arguments: [
        (
            [UInt8](repeating: 0x0b, count: 20), Array("Hi There".utf8),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xaa, count: 20), [UInt8](repeating: 0xdd, count: 50),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
        ),
        (
            [UInt8](repeating: 0xaa, count: 131),
            Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
    ])
    func publishedCodes(key: [UInt8], message: [UInt8], code: String) throws {
        let key = try secret(key)
        #expect(try HMACSHA256.code(for: message, key: key) == hex(code))
        #expect(try HMACSHA256.isValid(hex(code), for: message, key: key))
        var wrong = hex(code)
        wrong[31] ^= 1
        #expect(try !HMACSHA256.isValid(wrong, for: message, key: key))
        #expect(try !HMACSHA256.isValid(Array(hex(code).prefix(31)), for: message, key: key))
        #expect(try !HMACSHA256.isValid([], for: message, key: key))
    }
}

@Suite struct HKDFTests {
    /// RFC 5869, appendix A.1 to A.3.
    @Test func publishedKeys() throws {
        let first = try HKDF.derive(
            secret([UInt8](repeating: 0x0b, count: 22)), salt: Array(0x00...0x0c), info: Array(0xf0...0xf9), count: 42)
        #expect(
            revealed(first)
                == hex("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"))
        let second = try HKDF.derive(
            secret(Array(0x00...0x4f)), salt: Array(0x60...0xaf), info: Array(0xb0...0xff), count: 82)
        #expect(
            revealed(second)
                == hex(
                    """
                    b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09
                    da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87
                    """))
        let third = try HKDF.derive(secret([UInt8](repeating: 0x0b, count: 22)), salt: [], info: [], count: 42)
        #expect(
            revealed(third)
                == hex("8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"))
    }

    @Test func lengthsAreChecked() throws {
        let key = try secret(Array(0..<32))
        for count in [-1, 0, 8161] {
            #expect(throws: CryptographyError.self) { try HKDF.derive(key, salt: [], info: [], count: count) }
        }
        #expect(try HKDF.derive(key, salt: [], info: [UInt8](repeating: 7, count: 1024), count: 8160).count == 8160)
        #expect(throws: CryptographyError.self) {
            try HKDF.derive(key, salt: [], info: [UInt8](repeating: 7, count: 1025), count: 32)
        }
        #expect(throws: CryptographyError.self) { try HKDF.derive(secret([]), salt: [], info: [], count: 32) }
    }
}

@Suite struct ScryptTests {
    /// RFC 7914, section 12.
    @Test func publishedKeys() throws {
        let empty = try Scrypt.derive(
            password: secret([]), salt: [], cost: .init(rounds: 16, blockSize: 1, parallelism: 1), count: 64)
        #expect(
            revealed(empty)
                == hex(
                    """
                    77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442
                    fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906
                    """))
        let salted = try Scrypt.derive(
            password: secret(Array("password".utf8)), salt: Array("NaCl".utf8),
            cost: .init(rounds: 1024, blockSize: 8, parallelism: 16), count: 64)
        #expect(
            revealed(salted)
                == hex(
                    """
                    fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162
                    2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640
                    """))
        let dearer = try Scrypt.derive(
            password: secret(Array("pleaseletmein".utf8)), salt: Array("SodiumChloride".utf8),
            cost: .init(rounds: 16384, blockSize: 8, parallelism: 1), count: 64)
        #expect(
            revealed(dearer)
                == hex(
                    """
                    7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2
                    d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887
                    """))
    }

    /// A cheaper derivation makes guesses faster. Another implementation (Python's hashlib) computed this with N = 2¹⁷,
    /// r = 8, p = 1.
    @Test func theStandardCostIsWhatTheDocumentsSay() throws {
        let key = try Scrypt.derive(
            password: secret(Array("correct horse".utf8)), salt: Array(0..<16), cost: .standard, count: 32)
        #expect(revealed(key) == hex("4c6bc95145350a07e4000e6b475195a0b9c727c25a0517bbc2ac76edc10e426c"))
    }

    @Test func costsAreChecked() throws {
        for cost in [
            Scrypt.Cost(rounds: 0, blockSize: 8, parallelism: 1), .init(rounds: 1000, blockSize: 8, parallelism: 1),
            .init(rounds: 1 << 24, blockSize: 8, parallelism: 1), .init(rounds: 16, blockSize: 0, parallelism: 1),
        ] {
            #expect(throws: CryptographyError.self) {
                try Scrypt.derive(password: secret([1]), salt: [1], cost: cost, count: 32)
            }
        }
        #expect(throws: CryptographyError.self) {
            try Scrypt.derive(
                password: secret([1]), salt: [1], cost: .init(rounds: 16, blockSize: 1, parallelism: 1), count: 0)
        }
    }
}

@Suite struct AESGCMTests {
    struct Vector: Sendable {
        var key, nonce, plain, associatedData, cipher, tag: String
    }

    /// McGrew and Viega, "The Galois/Counter Mode of Operation", test cases 13, 14 and 16.
    @Test(arguments: [
        Vector(
            key: String(repeating: "00", count: 32), nonce: String(repeating: "00", count: 12), plain: "",
            associatedData: "", cipher: "", tag: "530f8afbc74536b9a963b4f1c4cb738b"),
        Vector(
            key: String(repeating: "00", count: 32), nonce: String(repeating: "00", count: 12),
            plain: String(repeating: "00", count: 16), associatedData: "",
            cipher: "cea7403d4d606b6e074ec5d3baf39d18", tag: "d0d1c8a799996bf0265b98b5d48ab919"),
        Vector(
            key: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308", nonce: "cafebabefacedbaddecaf888",
            plain: """
                d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72
                1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39
                """,
            associatedData: "feedfacedeadbeeffeedfacedeadbeefabaddad2",
            cipher: """
                522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa
                8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662
                """,
            tag: "76fc6ece0f4e1768cddf8853bb2d551b"),
    ])
    func publishedVectors(vector: Vector) throws {
        let key = try secret(hex(vector.key))
        let sealed = hex(vector.nonce) + hex(vector.cipher) + hex(vector.tag)
        let made = try AESGCM.seal(
            secret(hex(vector.plain)), key: key, nonce: hex(vector.nonce), associatedData: hex(vector.associatedData))
        #expect(made == sealed)
        let opened = try AESGCM.open(sealed, key: key, associatedData: hex(vector.associatedData))
        #expect(revealed(opened) == hex(vector.plain))
    }

    /// A wrong bit, a missing or extra byte, other associated data, or another key: each is refused.
    @Test func corruptVectors() throws {
        let key = try SecretBytes.random(count: 32)
        let context: [UInt8] = [1, 2, 3]
        let sealed = try AESGCM.seal(secret(Array(0..<40)), key: key, associatedData: context)
        #expect(sealed.count == 40 + AESGCM.overhead)
        func refused(_ bytes: [UInt8], _ key: SecretBytes, _ context: [UInt8]) -> Bool {
            do throws(CryptographyError) {
                _ = try AESGCM.open(bytes, key: key, associatedData: context)
                return false
            } catch {
                return error.code == .authenticationFailed
            }
        }
        for index in sealed.indices {
            for bit in 0..<8 {
                var wrong = sealed
                wrong[index] ^= 1 << bit
                #expect(refused(wrong, key, context))
            }
        }
        for length in 0..<sealed.count { #expect(refused(Array(sealed.prefix(length)), key, context)) }
        #expect(refused(sealed + [0], key, context))
        #expect(refused(sealed, key, [1, 2]))
        #expect(refused(sealed, key, []))
        #expect(refused(sealed, try SecretBytes.random(count: 32), context))
        #expect(try AESGCM.open(sealed, key: key, associatedData: context) == secret(Array(0..<40)))
    }

    @Test func keysHave32Bytes() throws {
        for count in [0, 16, 31, 33] {
            let key = try SecretBytes.random(count: count)
            #expect(throws: CryptographyError.self) { try AESGCM.seal(secret([1]), key: key, associatedData: []) }
            #expect(throws: CryptographyError.self) {
                try AESGCM.open([UInt8](repeating: 0, count: 60), key: key, associatedData: [])
            }
        }
    }

    @Test func noncesDiffer() throws {
        let key = try SecretBytes.random(count: 32)
        let nonces = try (0..<100).map { _ in
            try Array(AESGCM.seal(secret([]), key: key, associatedData: []).prefix(12))
        }
        #expect(Set(nonces).count == 100)
    }
}
