import Cryptography
import Glibc
import TestSupport
import Testing

@testable import TPM

/// The TPM library's inputs and outputs are wiped with their values (attacker 8).
struct SecretRemainsExitTests {
    /// A secret of 32 bytes that is in memory in clear only in the forms that the test searches for.
    private struct Masked {
        private let bytes: [UInt8] = (0..<32).map { _ in .random(in: 1...255) }

        /// In clear, as long as the value lives.
        func secret() throws -> SecretBytes {
            var clear = bytes.map { $0 ^ 0x5A | 0x80 }
            defer { unsafe clear.withUnsafeMutableBytes { unsafe explicit_bzero($0.baseAddress!, $0.count) } }
            return try SecretBytes(copying: clear)
        }

        /// How often this process's memory holds its second half. The first bytes of freed memory are overwritten.
        func copies() throws -> Int {
            let file = unsafe open("/proc/self/maps", O_RDONLY | O_CLOEXEC)
            let memory = unsafe open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
            defer {
                close(file)
                close(memory)
            }
            guard file >= 0, memory >= 0 else { throw TPMError(.other, "this process's memory cannot be read") }
            var text: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = unsafe read(file, &chunk, chunk.count)
                guard count > 0 else { break }
                text += chunk[..<count]
            }
            var found = 0
            let window = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
            defer { unsafe window.deallocate() }
            let own = UInt(bitPattern: window.baseAddress!)..<UInt(bitPattern: window.baseAddress!) + UInt(window.count)
            for line in text.split(separator: 10) {
                let fields = line.split(separator: 32, maxSplits: 2)
                let ends = fields[0].split(separator: 45).compactMap {
                    UInt(String(decoding: $0, as: UTF8.self), radix: 16)
                }
                guard ends.count == 2, fields[1].starts(with: [114, 119]) else { continue }
                var position = ends[0]
                while position < ends[1] {
                    let wanted = min(window.count, Int(ends[1] - position))
                    let count = unsafe pread(memory, window.baseAddress!, wanted, off_t(position))
                    guard count > 16 else { break }
                    found += unsafe hits(UnsafeRawBufferPointer(rebasing: window[..<count])) { offset in
                        !own.contains(position + UInt(offset))
                    }
                    position += count == wanted && position + UInt(count) < ends[1] ? UInt(count - 16) : UInt(count)
                }
            }
            return found
        }

        private func hits(_ window: UnsafeRawBufferPointer, where counts: (Int) -> Bool) -> Int {
            let first = bytes[16] ^ 0x5A | 0x80
            var found = 0
            var offset = 0
            while offset + 16 <= window.count,
                let next = unsafe memchr(window.baseAddress! + offset, Int32(first), window.count - offset - 15)
            {
                offset = unsafe UnsafeRawPointer(next) - window.baseAddress!
                let isHit = (0..<16).allSatisfy { unsafe window[offset + $0] == bytes[16 + $0] ^ 0x5A | 0x80 }
                if isHit, counts(offset) { found += 1 }
                offset += 1
            }
            return found
        }
    }

    @Test func whatWasUnsealedIsNowhereWhenItsValueIsGone() async {
        await #expect(processExitsWith: .success) {
            let rig = try Rig()
            let masked = Masked()
            let (object, expected) = try rig.seal(masked.secret(), .openData)
            func use(_ data: borrowing SealedData, _ session: borrowing HMACSession) throws {
                let value = try data.unseal(keeping: session)
                // The search would find it.
                let copies = try masked.copies()
                try #require(value.count == 32 && copies > 0)
            }
            let context = try rig.access.open()
            let key = try context.storageKey(rig.storageKey)
            let session = try context.startHMACSession(saltedTo: key)
            let data = try context.loadSealedData(object, expected, under: key)
            try use(data, session)
            // While the library still has the answer's buffer, and before anything else uses the freed memory.
            let copies = try masked.copies()
            try #require(copies == 0)
            _ = consume data
            _ = consume session
        }
    }

    /// ESYS itself keeps parts of a password until its context goes. The allocator wipes those, because programs ask
    /// for it (`glibc.malloc.perturb`).
    @Test func anIndexsPasswordIsNowhereWhenItsValueIsGone() throws {
        let secret = try SecretBytes(copying: [UInt8](repeating: 0xA5, count: 32))
        let password = try Password(secret)
        let place = unsafe UnsafeRawPointer(password.pointer)
        func isThere() -> Bool {
            // The first bytes of freed memory are overwritten. Nothing is allocated meanwhile.
            (20..<34).allSatisfy { unsafe place.load(fromByteOffset: $0, as: UInt8.self) == 0xA5 }
        }
        let wasThere = isThere()
        _ = consume password
        let isStillThere = isThere()
        #expect(wasThere && !isStillThere)
    }
}
