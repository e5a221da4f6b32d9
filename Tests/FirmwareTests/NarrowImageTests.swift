import Cryptography
import Testing

@testable import Firmware

/// The programs of a firmware of 32 bits have another header (PE32 and not PE32+), and their signatures lie elsewhere.
/// What the firmware measures of them must be predicted, too. Otherwise an approved boot does not open the vault.
struct NarrowImageTests {
    /// - Parameters:
    ///   - magic: 0x10B for 32 bits.
    ///   - claimed: the length of the certificates by the header; nil for the true one.
    private func image(
        magic: Int = 0x10B, checksum: [UInt8] = [1, 2, 3, 4], certificates: [UInt8] = [], claimed: Int? = nil
    ) -> [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> (8 * $0) & 0xFF) } }
        func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
        var bytes: [UInt8] = [0x4D, 0x5A] + zeros(58) + number(64, 4)
        bytes += [0x50, 0x45, 0, 0, 0x4C, 0x01]
        bytes += number(1, 2) + zeros(12) + number(224, 2) + zeros(2)
        var optional = number(magic, 2) + [UInt8](repeating: 9, count: 58)
        optional += number(512, 4) + checksum
        optional += zeros(128 - optional.count)
        optional += number(certificates.isEmpty ? 0 : 776, 4) + number(claimed ?? certificates.count, 4)
        optional += zeros(224 - optional.count)
        // One section of 256 bytes behind the headers.
        bytes += optional + [UInt8](repeating: 0x2E, count: 16)
        bytes += number(256, 4) + number(512, 4) + zeros(16)
        bytes += zeros(512 - bytes.count) + [UInt8](repeating: 7, count: 256)
        return bytes + [UInt8](repeating: 5, count: 8) + certificates
    }

    @Test func aSignatureOnANarrowImageDoesNotChangeWhatIsMeasured() throws {
        let bytes = image()
        let plain = try MeasuredFile(bytes)
        // Headers without checksum and directory entry, then the section, then the rest.
        let parts = Array(bytes[0..<152]) + Array(bytes[156..<216]) + Array(bytes[224...])
        #expect(try plain.image == SHA256.digest(parts))
        let signed = try MeasuredFile(image(checksum: [9, 9, 9, 9], certificates: [UInt8](repeating: 6, count: 64)))
        #expect(signed.image == plain.image && signed.content != plain.content)
    }

    @Test func anImageOfAnotherFormOrWithMoreSignaturesThanBytesIsNone() throws {
        for magic in [0x107, 0x10A, 0x10C, 0] { #expect(try MeasuredFile(image(magic: magic)).image == nil) }
        let signatures = [UInt8](repeating: 6, count: 64)
        #expect(try MeasuredFile(image(certificates: signatures, claimed: 72)).image != nil)
        #expect(try MeasuredFile(image(certificates: signatures, claimed: 73)).image == nil)
    }
}
