import Testing

@testable import Cryptography

/// The secure heap belongs to a process, so these tests fill that of another one.
@Suite struct SecretBytesExitTests {
    /// A key for which there is no room is not invalid. A caller that reads "invalid" would take its source for
    /// damaged.
    @Test func aFullHeapMakesNoKeyInvalid() async {
        // In a process of its own, because the heap belongs to the process.
        await #expect(processExitsWith: .success) {
            try SecureHeap.activate(bytes: 1 << 14)
            let (mine, theirs) = (try X25519.PrivateKey.generate(), try X25519.PrivateKey.generate())
            let point = try P256.PrivateKey.generate()
            var held: [SecretBytes] = []
            var refused = 0
            // In the middle of P-256, OpenSSL does not always say what it lacked. It does say that the key is not at
            // fault.
            for (isSaid, step): (Bool, () throws -> Void) in [
                (true, { _ = try mine.sharedSecret(with: theirs.publicKey) }),
                (true, { _ = try X25519.PrivateKey(rawRepresentation: mine.rawRepresentation) }),
                (true, { _ = try X25519.PrivateKey.generate() }),
                (false, { _ = try point.sharedSecret(with: point.publicKey) }),
                (false, { _ = try point.signature(for: [1]) }),
                (false, { _ = try P256.PrivateKey(rawRepresentation: point.rawRepresentation) }),
                (true, { _ = try HKDF.derive(mine.rawRepresentation, salt: [], info: [], count: 32) }),
            ] {
                // The test is about having no room for another.
                while let one = try? SecretBytes(copying: [UInt8](repeating: 1, count: 32)) { held.append(one) }
                while true {
                    do {
                        try step()
                        break
                    } catch let error as CryptographyError {
                        try #require(error.code == .outOfMemory || (!isSaid && error.code == .library), "\(error)")
                        refused += 1
                    }
                    try #require(!held.isEmpty)
                    held.removeLast()
                }
            }
            // OpenSSL's own keys may find room elsewhere. Secrets cannot, and three of the steps make one.
            try #require(refused >= 3)
        }
    }

    @Test func aSecretTakesTheRoomThatIsSaid() async {
        await #expect(processExitsWith: .success) {
            try SecureHeap.activate(bytes: 1 << 14)
            for count in [0, 1, 31, 32, 33, 64, 65, 300, 512, 513, 5000] {
                let before = SecureHeap.used
                let one = try SecretBytes(copying: [UInt8](repeating: 1, count: count))
                try #require(SecureHeap.used - before == SecureHeap.room(for: count), "\(count)")
                withExtendedLifetime(one) {}
            }
        }
    }
}
