import Cryptography
import Testing

@testable import Firmware

/// Which bytes of an image count follows from its headers alone. A wrong prediction keeps an approved boot from opening
/// the vault.
struct SectionTableTests {
    /// A PE32+ file. Its headers begin at byte 64, and its section table at byte 328.
    /// - Parameters:
    ///   - claimed: how many sections there are by the header; nil for the true number.
    ///   - behind: what each byte between the section table and byte 512 is.
    ///   - total: the length of the file.
    private func image(
        _ sections: [(count: Int, offset: Int)], claimed: Int? = nil, headers: Int = 512, behind: UInt8 = 0,
        total: Int = 1032
    ) -> [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> (8 * $0) & 0xFF) } }
        func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
        var bytes: [UInt8] = [0x4D, 0x5A] + zeros(58) + number(64, 4)
        bytes += [0x50, 0x45, 0, 0, 0x64, 0x86]
        bytes += number(claimed ?? sections.count, 2) + zeros(12) + number(240, 2) + zeros(2)
        bytes += number(0x20B, 2) + [UInt8](repeating: 9, count: 58) + number(headers, 4) + [1, 2, 3, 4]
        bytes += zeros(328 - bytes.count)
        for section in sections {
            bytes += [UInt8](repeating: 0x2E, count: 16) + number(section.count, 4) + number(section.offset, 4)
            bytes += zeros(16)
        }
        if bytes.count < 512 { bytes += [UInt8](repeating: behind, count: 512 - bytes.count) }
        while bytes.count < total { bytes.append(UInt8(truncatingIfNeeded: bytes.count * 7 + bytes.count / 256)) }
        return Array(bytes.prefix(total))
    }

    /// The hash of everything but checksum and directory entry.
    private func hash(_ bytes: [UInt8]) throws -> [UInt8] {
        try SHA256.digest(Array(bytes[0..<152]) + Array(bytes[156..<232]) + Array(bytes[240...]))
    }

    @Test func whatStandsBehindTheTableIsNoSection() throws {
        for behind: UInt8 in [0, 1, 0xFF] {
            let bytes = image([(256, 768), (256, 512)], behind: behind)
            #expect(try MeasuredFile(bytes).image == hash(bytes))
        }
    }

    @Test func eachSectionOfTheTableCounts() throws {
        let bytes = image([(256, 768), (256, 512)])
        let fewer = image([(256, 768), (256, 512)], claimed: 1)
        // The second section is none then, so what it has is taken for what follows the first one.
        #expect(try MeasuredFile(fewer).image != nil)
        #expect(try MeasuredFile(fewer).image != hash(fewer))
        #expect(try MeasuredFile(bytes).image == hash(bytes))
        // The file ends within the table.
        #expect(try MeasuredFile(image([(256, 512)], claimed: 5000)).image == nil)
    }

    /// Memory that begins with zeros has no bytes in the file, and may name any place in it.
    @Test func aSectionWithoutBytesIsNowhere() throws {
        let bytes = image([(0, 0xFF_FFFF), (256, 512), (256, 768)])
        #expect(try MeasuredFile(bytes).image == hash(bytes))
        #expect(try MeasuredFile(image([(1, 0xFF_FFFF), (256, 512)])).image == nil)
    }

    @Test func aSectionEndsWithTheFileAtTheLatest() throws {
        let whole = image([(256, 512)], total: 768)
        #expect(try MeasuredFile(whole).image == hash(whole))
        #expect(try MeasuredFile(Array(whole.dropLast())).image == nil)
        // Both lie in the same place. Together they have as many bytes as the file, and then one more.
        #expect(try MeasuredFile(image([(256, 512), (256, 512)], total: 1024)).image != nil)
        #expect(try MeasuredFile(image([(256, 512), (256, 512)], total: 1023)).image == nil)
    }

    @Test func theHeadersReachBehindTheDirectoryAndNotBehindTheFile() throws {
        #expect(try MeasuredFile(image([], headers: 240, total: 512)).image != nil)
        #expect(try MeasuredFile(image([], headers: 239, total: 512)).image == nil)
        let whole = image([], headers: 512, total: 512)
        #expect(try MeasuredFile(whole).image == hash(whole))
        #expect(try MeasuredFile(image([], headers: 513, total: 512)).image == nil)
    }
}
