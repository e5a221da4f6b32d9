import Glibc

/// Content that is in memory in clear only where something has taken it from here.
struct MaskedContent: Sendable {
    private let masked: [UInt8] = (0..<32).map { _ in .random(in: 1...255) }

    /// So many bytes in clear, the same 32 again and again. Nothing holds them all.
    func bytes(_ count: Int) -> [UInt8] { (0..<count).map { masked[$0 % 32] ^ 0x5A | 0x80 } }

    /// How often this process's memory has the second half of the 32 bytes in clear. The first bytes of freed memory are
    /// overwritten.
    func copies() -> Int {
        let file = unsafe open("/proc/self/maps", O_RDONLY | O_CLOEXEC)
        let memory = unsafe open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
        defer {
            close(file)
            close(memory)
        }
        guard file >= 0, memory >= 0 else { exit(97) }
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
        // The search itself has read it all.
        unsafe explicit_bzero(window.baseAddress!, window.count)
        return found
    }

    private func hits(_ window: UnsafeRawBufferPointer, where counts: (Int) -> Bool) -> Int {
        let first = masked[16] ^ 0x5A | 0x80
        var found = 0
        var offset = 0
        while offset + 16 <= window.count,
            let next = unsafe memchr(window.baseAddress! + offset, Int32(first), window.count - offset - 15)
        {
            offset = unsafe UnsafeRawPointer(next) - window.baseAddress!
            let isHit = (0..<16).allSatisfy { unsafe window[offset + $0] == masked[16 + $0] ^ 0x5A | 0x80 }
            if isHit, counts(offset) { found += 1 }
            offset += 1
        }
        return found
    }
}
