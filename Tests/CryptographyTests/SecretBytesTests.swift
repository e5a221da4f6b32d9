import COpenSSL
import Foundation
import Synchronization
import Testing

@testable import Cryptography

@Suite struct SecretBytesTests {
    struct Holder {
        let name = "holder"
        let secret: SecretBytes
        let optional: SecretBytes?
    }

    @Test func redactedInEveryForm() throws {
        let canary = "CANARY-secret"
        let value = try SecretBytes(copying: Array(canary.utf8))
        let holder = Holder(secret: value, optional: value)
        let key = try X25519.PrivateKey(
            rawRepresentation: .init(copying: Array("CANARY-secret-of-32-bytes-length".utf8)))
        var texts = ["\(value)", String(describing: value), String(reflecting: value), value.debugDescription]
        for subject in [value, [value], ["key": value], holder, Optional(value) as Any, (1, value), key] as [Any] {
            texts.append(String(describing: subject))
            texts.append(String(reflecting: subject))
            var dumped = ""
            dump(subject, to: &dumped)
            texts.append(dumped)
        }
        let decimal = Array(canary.utf8).prefix(4).map(String.init).joined(separator: ", ")
        for text in texts {
            #expect(text.contains("[redacted]"))
            #expect(!text.contains("CANARY"))
            #expect(!text.contains(decimal))
        }
        #expect("\(value)" == "[redacted]")
        #expect(Mirror(reflecting: value).children.isEmpty)
    }

    @Test func equality() throws {
        let one = try secret([1, 2, 3])
        #expect(one == (try secret([1, 2, 3])))
        #expect(one != (try secret([1, 2, 4])))
        #expect(one != (try secret([0, 2, 3])))
        #expect(one != (try secret([1, 2])))
        #expect(one != (try secret([1, 2, 3, 0])))
        #expect(try secret([]) == secret([]))
        #expect(ConstantTime.equal([1, 2], [1, 2]))
        #expect(!ConstantTime.equal([1, 2], [1, 3]))
        #expect(!ConstantTime.equal([1, 2], [1, 2, 3]))
        #expect(ConstantTime.equal([], []))
    }

    @Test func parts() throws {
        let joined = try SecretBytes.concatenating([secret([1, 2]), secret([]), secret([3])])
        #expect(revealed(joined) == [1, 2, 3])
        #expect(revealed(try joined.appending(secret([4]))) == [1, 2, 3, 4])
        #expect(revealed(try joined.slice(1..<3)) == [2, 3])
        #expect(revealed(try joined.prefix(0)) == [])
        #expect(revealed(try joined.prefix(3)) == [1, 2, 3])
        #expect(throws: CryptographyError.self) { try joined.prefix(4) }
        #expect(throws: CryptographyError.self) { try joined.slice(-1..<2) }
        #expect(throws: CryptographyError.self) { try joined.slice(2..<4) }
        #expect(revealed(try SecretBytes.zeros(count: 3)) == [0, 0, 0])
        let bytes: [UInt8] = [7, 8, 9]
        #expect(revealed(try SecretBytes(copying: bytes.span)) == bytes)
    }

    @Test func randomBytesDiffer() throws {
        let many = try (0..<64).map { _ in revealed(try SecretBytes.random(count: 16)) }
        #expect(Set(many).count == 64)
        #expect(try SecretBytes.random(count: 0).isEmpty)
        #expect(try Set((0..<64).map { _ in try Random.bytes(16) }).count == 64)
        #expect(throws: CryptographyError.self) { try Random.bytes(-1) }
        #expect(throws: CryptographyError.self) { try SecretBytes.random(count: -1) }
    }

    /// Foundation is the second implementation.
    @Test func base64() throws {
        for count in 0..<70 {
            let bytes = try Random.bytes(count)
            let text = Data(bytes).base64EncodedString()
            #expect(try secret(bytes).base64Encoded() == text)
            #expect(try SecretBytes(base64Encoded: text).map(revealed) == bytes)
        }
        let all = (0..<256).map(UInt8.init)
        #expect(try SecretBytes(base64Encoded: Data(all).base64EncodedString()).map(revealed) == all)
        for wrong in [
            "A", "AA", "AAA", "A===", "====", "AA=A", "AB==", "AAB=", "AA==AA==", "AA A", "AAA\n", "AA-_", "ÄAA",
        ] {
            #expect(try SecretBytes(base64Encoded: wrong) == nil, "\(wrong)")
        }
    }

    /// An allocator that examines the memory at the moment when it is freed.
    @Test func wipedOverItsWholeCapacity() throws {
        let seen = Mutex<[[UInt8]]>([])
        let allocator = unsafe SecretAllocator(
            allocate: { unsafe malloc($0) },
            free: { pointer, count in
                let left = unsafe Array(UnsafeRawBufferPointer(start: pointer, count: count))
                seen.withLock { $0.append(left) }
                unsafe free(pointer)
            })
        func use() throws {
            let storage = try unsafe SecretStorage(capacity: 1000, allocator: allocator) {
                (buffer) throws(CryptographyError) in
                unsafe buffer.initializeMemory(as: UInt8.self, repeating: 0xA5)
                return 600
            }
            let value = SecretBytes(storage: storage)
            let copy = value
            #expect(revealed(copy) == [UInt8](repeating: 0xA5, count: 600))
            #expect(seen.withLock { $0.isEmpty })
        }
        try use()
        #expect(seen.withLock { $0 } == [[UInt8](repeating: 0, count: 1000)])

        #expect(throws: CryptographyError.self) {
            try unsafe SecretStorage(capacity: 10, allocator: allocator) { (buffer) throws(CryptographyError) in
                unsafe buffer.initializeMemory(as: UInt8.self, repeating: 0xA5)
                throw CryptographyError(code: .library, reason: "cut off half-way")
            }
        }
        #expect(seen.withLock { $0.last } == [UInt8](repeating: 0, count: 10))
    }

    @Test func noMemoryIsAnError() {
        let none = unsafe SecretAllocator(allocate: { _ in nil }, free: { _, _ in })
        let error = #expect(throws: CryptographyError.self) {
            try unsafe SecretStorage(capacity: 10, allocator: none) { (_) throws(CryptographyError) in 0 }
        }
        #expect(error?.code == .outOfMemory)
    }

    /// The secure heap keeps its arena mapped, so freed places in it can be read.
    @Test func keysLieInTheSecureHeapAndLeaveNothingThere() throws {
        #expect(throws: CryptographyError.self) { try SecureHeap.activate(bytes: 1000) }
        if !SecureHeap.isActive { try SecureHeap.activate(bytes: 1 << 16) }
        let pattern = try Random.bytes(32)
        func place() throws -> UnsafeRawPointer? {
            let value = try SecretBytes(copying: pattern)
            return unsafe value.withUnsafeBytes { bytes in
                let inside = unsafe libcrypto.CRYPTO_secure_allocated(bytes.baseAddress)
                #expect(inside == 1)
                return bytes.baseAddress
            }
        }
        guard let address = unsafe try place() else { throw CryptographyError(code: .library, reason: "no address") }
        let left = unsafe Array(UnsafeRawBufferPointer(start: address, count: 32))
        // The heap's own free list may write into the place. The pattern's second half must be gone in any case.
        #expect(left.suffix(16) != pattern.suffix(16))
        #expect(left != pattern)
        let large = try SecretBytes.zeros(count: 513)
        let inside = unsafe large.withUnsafeBytes { unsafe libcrypto.CRYPTO_secure_allocated($0.baseAddress) }
        #expect(inside == 0)
    }
}
