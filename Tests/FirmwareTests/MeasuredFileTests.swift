import Cryptography
import TestSupport
import Testing

@testable import Firmware

/// What firmware and boot loader measure of a file.
struct MeasuredFileTests {
    /// A PE32+ file with two sections, and data after them.
    private func image(checksum: [UInt8] = [1, 2, 3, 4], certificates: [UInt8] = [], code: UInt8 = 7) -> [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> (8 * $0) & 0xFF) } }
        func section(_ count: Int, at offset: Int) -> [UInt8] {
            [UInt8](repeating: 0x2E, count: 16) + number(count, 4) + number(offset, 4)
                + [UInt8](repeating: 0, count: 16)
        }
        var bytes = [0x4D, 0x5A] + [UInt8](repeating: 0, count: 58) + number(64, 4)
        bytes +=
            [0x50, 0x45, 0, 0] + [0x64, 0x86] + number(2, 2) + [UInt8](repeating: 0, count: 12) + number(240, 2) + [
                0, 0,
            ]
        var optional = number(0x20B, 2) + [UInt8](repeating: 9, count: 58) + number(512, 4) + checksum
        optional += [UInt8](repeating: 0, count: 112 - optional.count)
        optional += [UInt8](repeating: 0, count: 32) + number(certificates.isEmpty ? 0 : 1024 + 8, 4)
        optional += number(certificates.count, 4)
        optional += [UInt8](repeating: 0, count: 240 - optional.count)
        bytes += optional + section(256, at: 768) + section(256, at: 512)
        bytes += [UInt8](repeating: 0, count: 512 - bytes.count)
        bytes += [UInt8](repeating: code, count: 256) + [UInt8](repeating: 8, count: 256)
        return bytes + [UInt8](repeating: 5, count: 8) + certificates
    }

    @Test func aSignatureOnAnImageDoesNotChangeWhatIsMeasured() throws {
        let plain = try MeasuredFile(image())
        let signed = try MeasuredFile(image(checksum: [9, 9, 9, 9], certificates: [UInt8](repeating: 6, count: 64)))
        #expect(plain.image != nil)
        // Only the directory entry that names a signature differs. It is left out, too.
        #expect(plain.image == signed.image)
        #expect(plain.content != signed.content)
        #expect(try MeasuredFile(image(code: 8)).image != plain.image)
        // Headers without checksum and directory entry, then the sections in their places, then the rest.
        let bytes = image()
        let parts = Array(bytes[0..<152]) + bytes[156..<232] + bytes[240...]
        #expect(try plain.image == SHA256.digest(parts))
    }

    @Test func whatIsNoImageHasItsContentOnly() throws {
        let text = Array("#!/bin/sh\n".utf8)
        #expect(try MeasuredFile(text).image == nil)
        #expect(try MeasuredFile(text).content == SHA256.digest(text))
        #expect(try MeasuredFile([]).image == nil)
        let whole = image()
        for count in stride(from: 0, to: whole.count, by: 13) {
            // Every truncated file gets an answer.
            _ = try MeasuredFile(Array(whole.prefix(count)))
        }
        var lying = whole
        lying[64 + 24 + 60] = 0xFF
        lying[64 + 24 + 63] = 0xFF
        #expect(try MeasuredFile(lying).image == nil)
    }
}
