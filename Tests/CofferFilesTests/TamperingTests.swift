import Coffer
import Cryptography
import Testing

@testable import CofferFiles

/// What somebody who can write the file, but has no key, can do to it (attackers 4 and 5). A reader may give a beginning of
/// the true content, never anything else, and must not say that it was all.
@Suite struct TamperingTests {
    private static let name = FileName(directory: "documents", path: "a")
    private static let header = FileFormat.headerCount
    private static let chunk = FileFormat.sealedChunkCount
    /// Two full chunks, and a part of a third one.
    private static let content = sample(2 * FileFormat.chunkCount + 5000)

    private func expectNoticed(_ file: [UInt8], _ what: String, name: FileName = name) throws {
        let outcome = try SealedBytes.open(file, name: name)
        #expect(!outcome.isWhole, "\(what)")
        #expect(Self.content.starts(with: outcome.content), "\(what)")
    }

    /// The places around which files break.
    private static func places(_ count: Int) -> [Int] {
        let ends = [0, header, header + chunk, header + 2 * chunk, count]
        return Set(ends.flatMap { end in [-17, -16, -15, -1, 0, 1, 15, 16, 17, 1000].map { end + $0 } })
            .filter { (0..<count).contains($0) }.sorted()
    }

    @Test func aFlippedBitIsNoticed() throws {
        let file = try SealedBytes.seal(Self.content, name: Self.name)
        for place in Self.places(file.count) {
            for bit in [0, 7] as [UInt8] {
                var other = file
                other[place] ^= 1 << bit
                try expectNoticed(other, "bit \(bit) of byte \(place)")
            }
        }
    }

    @Test func aFileThatWasCutIsNoticed() throws {
        for count in [0, 1, FileFormat.chunkCount, 2 * FileFormat.chunkCount, Self.content.count] {
            let file = try SealedBytes.seal(Array(Self.content.prefix(count)), name: Self.name)
            for place in Self.places(file.count) {
                try expectNoticed(Array(file.prefix(place)), "\(count) cut at \(place)")
            }
        }
    }

    @Test func whatWasAppendedIsNoticed() throws {
        for count in [0, 1, FileFormat.chunkCount, 2 * FileFormat.chunkCount, Self.content.count] {
            let file = try SealedBytes.seal(Array(Self.content.prefix(count)), name: Self.name)
            let last = file.suffix(min(file.count - Self.header, Self.chunk))
            for more in [[0], Array(repeating: 0, count: 16), Array(repeating: 0, count: Self.chunk), Array(last)] {
                let outcome = try SealedBytes.open(file + more, name: Self.name)
                #expect(!outcome.isWhole)
            }
        }
    }

    @Test func chunksThatWereExchangedRepeatedOrLeftOutAreNoticed() throws {
        let content = sample(4 * FileFormat.chunkCount)
        let file = try SealedBytes.seal(content, name: Self.name)
        let chunks = (0..<4).map {
            Array(file[(Self.header + $0 * Self.chunk)..<(Self.header + ($0 + 1) * Self.chunk)])
        }
        let header = Array(file.prefix(Self.header))
        var tried = 0
        // Every order of one to five chunks.
        for count in 1...5 {
            var order = [Int](repeating: 0, count: count)
            while true {
                if order != [0, 1, 2, 3] {
                    let outcome = try SealedBytes.open(header + order.flatMap { chunks[$0] }, name: Self.name)
                    #expect(!outcome.isWhole, "\(order)")
                    #expect(content.starts(with: outcome.content), "\(order)")
                    tried += 1
                }
                guard let place = order.lastIndex(where: { $0 < 3 }) else { break }
                order[place] += 1
                for after in (place + 1)..<max(count, place + 1) { order[after] = 0 }
            }
            // Longer orders begin like shorter ones, so a sample of them will do.
            if count == 3 { break }
        }
        for order in [
            [0, 1, 2], [1, 0, 2, 3], [0, 2, 1, 3], [0, 1, 3, 2], [0, 0, 1, 2, 3], [0, 1, 2, 3, 3], [0, 1, 2, 2, 3],
        ] {
            let outcome = try SealedBytes.open(header + order.flatMap { chunks[$0] }, name: Self.name)
            #expect(!outcome.isWhole, "\(order)")
        }
        #expect(tried == 4 + 16 + 64)
    }

    /// One key seals one file. Should a key ever be used for two, the header and the name still keep them apart.
    @Test func chunksOfAnotherFileAreNoticedEvenUnderTheSameKey() throws {
        let file = try SealedBytes.seal(Self.content, name: Self.name)
        var other = file
        // Another id: somebody gives the file's key to another item.
        other[16] ^= 1
        try expectNoticed(other, "another id")
        try expectNoticed(file, "another path", name: FileName(directory: "documents", path: "b"))
        try expectNoticed(file, "another directory", name: FileName(directory: "caches", path: "a"))
        // Lengths keep the parts of a name apart.
        try expectNoticed(file, "another split", name: FileName(directory: "document", path: "sa"))
        var key = SealedBytes.key
        key[31] ^= 1
        let foreign = try SealedBytes.seal(Self.content, key: key, name: Self.name)
        for start in [Self.header, Self.header + Self.chunk, Self.header + 2 * Self.chunk] {
            var mixed = file
            let range = start..<min(start + Self.chunk, file.count)
            mixed.replaceSubrange(range, with: foreign[range])
            try expectNoticed(mixed, "a chunk of another file at \(start)")
        }
    }

    /// Nobody but the writer can make this, but a reader must not depend on that.
    @Test func anEmptyChunkBehindAFullOneIsRefused() throws {
        let content = sample(FileFormat.chunkCount)
        let key = try FileFormat.contentKey(
            .init(copying: SealedBytes.key), header: FileFormat.header(of: try #require(SealedBytes.id)),
            name: Self.name)
        var sealer = ChunkStream.Sealer(key: key)
        let file =
            FileFormat.header(of: try #require(SealedBytes.id)) + (try sealer.seal(content, isLast: false))
            + (try sealer.seal([], isLast: true))
        let outcome = try SealedBytes.open(file, name: Self.name)
        #expect(!outcome.isWhole)
    }

    /// Behind the two chunks that did not open there are true ones, of any place.
    @Test(arguments: 0..<3) func afterAnErrorNothingMoreIsGiven(first: Int) throws {
        let file = try SealedBytes.seal(Self.content, name: Self.name)
        let header = Array(file.prefix(Self.header))
        let secret = try SecretBytes(copying: SealedBytes.key)
        var opener = ContentOpener(key: try FileFormat.contentKey(secret, header: header, name: Self.name))
        let garbage = [UInt8](repeating: 0, count: 2 * Self.chunk)
        var source = SealedBytes(garbage + file.dropFirst(Self.header + first * Self.chunk))
        for _ in 0..<3 {
            do throws(KeychainError) {
                let part = try opener.next(from: &source)
                Issue.record("\(part?.count ?? 0) bytes behind an error")
            } catch { #expect(error.code == .damaged) }
        }
    }
}
