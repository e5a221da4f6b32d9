import Foundation

/// All memory of a process that it may have changed, as a core file of it would show root.
public struct MemoryImage {
    public struct Region {
        public let name: String
        public let bytes: [UInt8]
    }

    public struct Unreadable: Error { let reason: String }

    public let regions: [Region]

    /// Reads the memory of a process while it runs (proc(5), `/proc/PID/maps` and `/proc/PID/mem`). Only root may do this.
    ///
    /// A read-only mapping of a file holds that file's content, so it is left out.
    public init(of pid: Int32) throws {
        // Read in pieces until the end: reading "the whole file" stops after the kernel's first answer.
        guard let file = FileHandle(forReadingAtPath: "/proc/\(pid)/maps") else {
            throw Unreadable(reason: "no such process")
        }
        let maps = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
        let memory = unsafe open("/proc/\(pid)/mem", O_RDONLY | O_CLOEXEC)
        guard memory >= 0 else { throw Unreadable(reason: "open: errno \(errno)") }
        defer { close(memory) }
        var regions: [Region] = []
        for line in maps.split(separator: "\n") {
            let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
            let ends = fields[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
            let name = fields.count > 5 ? fields[5].trimmingCharacters(in: .whitespaces) : ""
            let isFile = name.hasPrefix("/")
            guard ends.count == 2, fields[1].hasPrefix("r"), !isFile || fields[1].contains("w"),
                name != "[vvar]", name != "[vsyscall]", name != "[vdso]"
            else { continue }
            if let bytes = Self.touched(memory, from: ends[0], to: ends[1]) {
                regions.append(Region(name: name.isEmpty ? String(fields[0]) : name, bytes: bytes))
            }
        }
        guard Set(regions.map(\.name)).isSuperset(of: ["[heap]", "[stack]"]) else {
            throw Unreadable(reason: "heap or stack is missing")
        }
        self.regions = regions
    }

    /// A region without the pages that are all zeros; nil if it disappeared meanwhile.
    private static func touched(_ memory: Int32, from start: UInt64, to end: UInt64) -> [UInt8]? {
        let page = 1 << 16
        var result: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: page)
        let zeros = buffer
        var position = start
        while position < end {
            let wanted = min(page, Int(end - position))
            let count = unsafe buffer.withUnsafeMutableBytes { bytes in
                unsafe pread(memory, bytes.baseAddress!, wanted, off_t(truncatingIfNeeded: position))
            }
            guard count > 0 else { return result.isEmpty ? nil : result }
            let isZero = unsafe buffer.withUnsafeBytes { unsafe memcmp($0.baseAddress!, zeros, count) == 0 }
            if !isZero { result += buffer[..<count] }
            position += UInt64(count)
        }
        return result
    }

    /// The names of the regions that contain these bytes, for people to read.
    public func places(of needle: [UInt8]) -> [String] {
        let needle = Data(needle)
        return regions.compactMap { Data($0.bytes).range(of: needle) == nil ? nil : $0.name }
    }

    /// Calls `body` with every run of 32 bytes, at any address, that could be a key. Such a run has at least 24 different bytes. Only about one in
    /// 10,000 random keys has fewer; text, pointers and counters have fewer.
    public func forEachPossibleKey(_ body: ([UInt8]) throws -> Void) rethrows {
        var seen = Set<[UInt8]>()
        for region in regions where region.bytes.count >= 32 {
            let bytes = region.bytes
            var counts = [Int](repeating: 0, count: 256)
            var different = 0
            for index in bytes.indices {
                let new = Int(bytes[index])
                counts[new] += 1
                if counts[new] == 1 { different += 1 }
                if index >= 32 {
                    let old = Int(bytes[index - 32])
                    counts[old] -= 1
                    if counts[old] == 0 { different -= 1 }
                }
                guard index >= 31, different >= 24 else { continue }
                let window = Array(bytes[(index - 31)...index])
                if seen.insert(window).inserted { try body(window) }
            }
        }
    }
}
