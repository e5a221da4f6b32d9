import Cryptography

/// The digests that a file can have in the firmware's log.
public struct MeasuredFile: Sendable, Equatable {
    /// SHA-256 of the whole file. Boot loaders measure this for files that they read.
    public let content: [UInt8]
    /// For a file that the firmware starts, SHA-256 of the image without its signatures; nil for any other file. See
    /// "Windows Authenticode Portable Executable Signature Format", "Calculating the PE Image Hash".
    public let image: [UInt8]?

    public init(_ bytes: [UInt8]) throws(CryptographyError) {
        content = try SHA256.digest(bytes)
        image = try Self.imageParts(bytes).map { (parts) throws(CryptographyError) in
            try SHA256.digest(parts.reduce(into: [UInt8]()) { $0 += bytes[$1] })
        }
    }

    /// The parts of a PE file that its image hash covers, in order.
    ///
    /// - Returns: nil if the file is not a PE file.
    private static func imageParts(_ bytes: [UInt8]) -> [Range<Int>]? {
        let reader = LittleEndian(bytes)
        guard bytes.starts(with: [0x4D, 0x5A]), let start = reader.number(at: 0x3C, 4), start < bytes.count,
            bytes[start...].starts(with: [0x50, 0x45, 0, 0]), let sectionCount = reader.number(at: start + 6, 2),
            let optionalSize = reader.number(at: start + 20, 2), let magic = reader.number(at: start + 24, 2)
        else { return nil }
        let optional = start + 24
        let directories: Int
        switch magic {
        case 0x10B: directories = optional + 96
        case 0x20B: directories = optional + 112
        default: return nil
        }
        let (checksum, security) = (optional + 64, directories + 4 * 8)
        guard let headers = reader.number(at: optional + 60, 4), let certificates = reader.number(at: security + 4, 4),
            security + 8 <= headers, headers <= bytes.count
        else { return nil }
        var parts = [0..<checksum, checksum + 4..<security, security + 8..<headers]
        var sections: [(offset: Int, count: Int)] = []
        for index in 0..<sectionCount {
            let entry = optional + optionalSize + index * 40
            guard let count = reader.number(at: entry + 16, 4), let offset = reader.number(at: entry + 20, 4) else {
                return nil
            }
            if count > 0 { sections.append((offset, count)) }
        }
        var covered = headers
        for section in sections.sorted(by: { $0.offset < $1.offset }) {
            guard section.offset + section.count <= bytes.count else { return nil }
            parts.append(section.offset..<section.offset + section.count)
            covered += section.count
            // Overlapping sections would otherwise be hashed again and again.
            guard covered <= bytes.count else { return nil }
        }
        guard covered + certificates <= bytes.count else { return nil }
        parts.append(covered..<bytes.count - certificates)
        return parts
    }
}

private struct LittleEndian {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// - Returns: nil if the number would reach past the end.
    func number(at offset: Int, _ count: Int) -> Int? {
        guard offset >= 0, offset + count <= bytes.count else { return nil }
        return bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
