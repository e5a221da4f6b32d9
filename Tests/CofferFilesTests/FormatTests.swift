import Coffer
import Foundation
import Testing

@testable import CofferFiles
@testable import Cryptography

@Suite struct FormatTests {
    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { (UInt16(0x100) + UInt16($0)).description(radix: 16) }.joined()
    }

    /// Made by another implementation of docs/file-format.md, in Python with pyca/cryptography.
    @Test func smallFilesAreByteForByteAsDocumented() throws {
        let note = try SealedBytes.seal(
            Array("hello".utf8), name: FileName(directory: "documents", path: "notes/today.txt"))
        #expect(
            hexadecimal(note)
                == "636f666665722066696c650a00010000f0f1f2f3f4f5f6f7f8f9fafbfcfdfefff14dee43a200f3ee69b09688ade36073a09cd5c6f1"
        )
        let empty = try SealedBytes.seal([], name: FileName(directory: "documents", path: "empty"))
        #expect(
            hexadecimal(empty)
                == "636f666665722066696c650a00010000f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff0dce5dfc4076984c789c67807df6b24e")
    }

    /// Made by the same implementation: SHA-256 of each file.
    @Test(arguments: [
        (65_535, "a059700b2b79784f3e033277588aadf13ae7c0c79fd347325654776b881f2bf4"),
        (65_536, "c0ba703d89e981037765cf1cd60ae19346474e8582eb7f452828660cbc3a7e7e"),
        (65_537, "4a8fac883cb1fe44a40d6b4614aaac7ed5f7cacf262093d74df6ebd57d8b27e5"),
        (131_072, "f3b5568ac61fe5dc511b78a1d1b33644179cb336ee965416f79c00e9afc27f18"),
        (200_000, "fcd9a76c58c73ce9bcc93531f44ab65a9af0cb0d7e1c6e02b0b3ada116e57123"),
    ])
    func largeFilesAreByteForByteAsDocumented(count: Int, digest: String) throws {
        let name = FileName(directory: "caches", path: "x/ü")
        for parts in [1000, 65_536, 1 << 20] {
            let file = try SealedBytes.seal(sample(count), name: name, partsOf: parts)
            #expect(hexadecimal(try SHA256.digest(file)) == digest)
            #expect(try SealedBytes.open(file, name: name) == .init(content: sample(count), isWhole: true))
            #expect(FileFormat.contentSize(ofFile: Int64(file.count)) == Int64(count))
        }
    }

    @Test func theSizeOfTheContentFollowsFromThatOfTheFileUpToTheLargest() {
        let chunk: Int64 = 65_552
        let possible: [Int64: Int64] = [
            48: 0, 49: 1, 65_583: 65_535, 65_584: 65_536, 65_601: 65_537, 131_136: 131_072,
            281_543_696_187_424: 281_474_976_710_656,
        ]
        #expect((chunk << 32) + 32 == 281_543_696_187_424)
        for (file, content) in possible { #expect(FileFormat.contentSize(ofFile: file) == content, "\(file)") }
        let impossible: [Int64] = [
            .min, -1, 0, 31, 32, 33, 47, 65_585, 65_600, 131_152, 281_543_696_187_441, .max, .max - 1,
        ]
        for file in impossible { #expect(FileFormat.contentSize(ofFile: file) == nil, "\(file)") }
    }

    @Test func aHeaderOfAnotherFormatIsNeverGuessedAt() throws {
        let header = FileFormat.header(of: try #require(SealedBytes.id))
        let id = try #require(SealedBytes.id)
        #expect(FileFormat.beginning(header) == .file(id))
        for place in 0..<16 {
            for bit in 0..<8 {
                var other = header
                other[place] ^= 1 << UInt8(bit)
                let beginning = FileFormat.beginning(other)
                if place == 12 || place == 13 {
                    #expect(beginning == .otherVersion(UInt16(other[12]) << 8 | UInt16(other[13])))
                } else {
                    #expect(beginning == .foreign)
                }
            }
        }
        for count in 0..<32 { #expect(FileFormat.beginning(Array(header.prefix(count))) == .foreign) }
        #expect(FileFormat.beginning(header + [0]) == .foreign)
    }

    @Test func idsAreReadStrictly() throws {
        let id = try #require(SealedBytes.id)
        #expect(id.hexadecimal == "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")
        #expect(FileID(hexadecimal: id.hexadecimal) == id)
        for text in [
            "", "f0", id.hexadecimal.uppercased(), id.hexadecimal + "00", String(id.hexadecimal.dropLast()) + "g",
            // The neighbours of the digits.
            String(id.hexadecimal.dropLast()) + "/", ":" + String(id.hexadecimal.dropFirst()),
            String(id.hexadecimal.dropLast()) + "`", String(repeating: "é", count: 16),
        ] {
            #expect(FileID(hexadecimal: text) == nil)
        }
        #expect(try FileID.random() != FileID.random())
        #expect(
            FileID(hexadecimal: "00123456789abcdef0123456789abcde")?.bytes.prefix(5) == [0, 0x12, 0x34, 0x56, 0x78])
    }

    /// What takes the chunks may fail, for example because the disk is full.
    @Test func aChunkThatIsNotTakenIsAnError() throws {
        var sealer = ContentSealer(key: try SecretBytes(copying: SealedBytes.key))
        var taken = 0
        do throws(KeychainError) {
            try sealer.seal(sample(3 * FileFormat.chunkCount)) { (_) throws(KeychainError) in
                taken += 1
                if taken == 2 { throw KeychainError(.failed, "full") }
            }
            Issue.record("the second chunk was lost")
        } catch { #expect(error.message == "full") }
        #expect(taken == 2)
    }

    @Test func anErrorOfTheCryptographyNamesTheLibrarysNumberIfThereIsOne() {
        #expect(KeychainError(cryptography: CryptographyError(code: .outOfMemory, reason: "full")).cause == nil)
        let error = KeychainError(
            cryptography: CryptographyError(code: .library, reason: "it fails", openSSLCode: 7))
        #expect(error.code == .failed && error.message == "it fails" && error.cause == "openssl 7")
    }

    @Test func noStreamHasAPlaceBehindItsLastChunkOrBeyondTheLargest() throws {
        var place = ChunkStream.Place(number: 0x0102_0304)
        #expect(try place.nonce(isLast: false) == [0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 0])
        #expect(try place.nonce(isLast: true) == [0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 5, 1])
        #expect(throws: CryptographyError.self) { try place.nonce(isLast: false) }
        var last = ChunkStream.Place(number: ChunkStream.mostChunks - 1)
        _ = try last.nonce(isLast: false)
        #expect(throws: CryptographyError.self) { try last.nonce(isLast: true) }
    }
}

extension UInt16 {
    fileprivate func description(radix: Int) -> String { String(String(self, radix: radix).suffix(2)) }
}
