import Coffer
import Cryptography
import Foundation
import Synchronization
import Testing

@testable import CofferFiles

/// Files that others change while they are read, and streams behind their end.
@Suite struct ReadingTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Whether this process holds a file open.
    private func isOpen(_ name: String) throws -> Bool {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").contains { number in
            // `try?`: a descriptor may have been closed since the folder was listed.
            let place = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
            return place == scratch.root + "/" + name
        }
    }

    @Test func aStreamEndsForGoodAndLetsTheFileGo() async throws {
        let files = try scratch.files()
        try await files.write(sample(70_000), to: "f")
        var parts = files.chunks(of: "f").makeAsyncIterator()
        let first = try await parts.next()
        #expect(first?.count == 65_536)
        #expect(try isOpen("f"))
        let second = try await parts.next()
        let end = try await parts.next()
        #expect(second?.count == 70_000 - 65_536 && end == nil)
        #expect(try !isOpen("f"))
        let behind = try await parts.next()
        #expect(behind == nil)
    }

    @Test func aStreamIsOverAfterAnError() async throws {
        let files = try scratch.files()
        try await files.write(sample(150_000), to: "f")
        let whole = try scratch.bytes("f")
        try scratch.put(Array(whole.prefix(32 + 2 * 65_552)), "f")
        var parts = files.chunks(of: "f").makeAsyncIterator()
        let first = try await parts.next()
        #expect(first?.count == 65_536)
        do throws(KeychainError) {
            let second = try await parts.next()
            Issue.record("\(second?.count ?? 0) bytes of a file that was cut")
        } catch { #expect(error.code == .damaged) }
        let behind = try await parts.next()
        #expect(behind == nil)
        #expect(try !isOpen("f"))
    }

    /// Each part has at least a byte.
    @Test func anEmptyFileHasNoPart() async throws {
        let files = try scratch.files()
        try await files.write([], to: "empty")
        var parts = files.chunks(of: "empty").makeAsyncIterator()
        let first = try await parts.next()
        #expect(first == nil)
        #expect(try await files.read("empty") == [])
    }

    @Test func aFileThatIsReplacedAgainAndAgainIsGivenUp() async throws {
        let others = try scratch.files()
        try await others.write([0], to: "f")
        let count = Mutex(0)
        var keys = try scratch.keys()
        keys.beforeLoad = { (_) throws(KeychainError) in
            count.withLock { $0 += 1 }
            try await others.write([1], to: "f")
        }
        let files = try scratch.files(keys)
        #expect(await code { _ = try await files.read("f") } == .damaged)
        #expect(count.withLock { $0 } == 8)
        keys.beforeRecord = { (_) throws(KeychainError) in
            count.withLock { $0 += 1 }
            try await others.write([2], to: "f")
        }
        let writing = try scratch.files(keys)
        #expect(await code { try await writing.write([3], to: "f") } == .damaged)
        #expect(count.withLock { $0 } == 16)
        #expect(try await others.read("f") == [2])
    }

    /// A person who was asked in vain is not asked for the same file again.
    @Test func aKeyThatIsMissingIsAskedForOnce() async throws {
        let count = Mutex(0)
        var keys = try scratch.keys()
        try await scratch.files(keys).write([1], to: "f")
        try FileManager.default.removeItem(atPath: keys.path + "/" + (try #require(keys.ids.first)))
        keys.beforeLoad = { (_) throws(KeychainError) in count.withLock { $0 += 1 } }
        keys.beforeRecord = { (_) throws(KeychainError) in count.withLock { $0 += 1 } }
        let files = try scratch.files(keys)
        #expect(await code { _ = try await files.read("f") } == .damaged)
        #expect(count.withLock { $0 } == 1)
        #expect(await code { try await files.write([2], to: "f") } == .damaged)
        #expect(count.withLock { $0 } == 2)
    }

    /// A writer looks at the access control of a file that another one replaces just then.
    @Test func aFileThatIsReplacedBeforeItsAccessIsKnownIsLookedAtAnew() async throws {
        let others = try scratch.files()
        var keys = try scratch.keys()
        try await others.write([1], to: "f")
        let first = try #require(keys.ids.first)
        keys.beforeRecord = { (id) throws(KeychainError) in
            if id.hexadecimal == first { try await others.write([2], to: "f", access: .afterFirstUnlock) }
        }
        try await scratch.files(keys).write([3], to: "f")
        #expect(try await others.read("f") == [3])
        let left = try #require(keys.ids.first.flatMap(keys.stored))
        #expect(left.accessibility == "after-first-unlock")
    }

    /// Only a program that knows the key can make such a file, and a reader must not depend on that.
    @Test func aFileThatGrowsWhileItIsOpenedKeepsToTheLimit() async throws {
        try await scratch.files().write(sample(1000), to: "f")
        var keys = try scratch.keys()
        let name = try #require(keys.ids.first)
        let stored = try #require(keys.stored(name))
        let header = FileFormat.header(of: try #require(FileID(hexadecimal: name)))
        let secret = try SecretBytes(copying: stored.key)
        var sealer = ContentSealer(
            key: try FileFormat.contentKey(
                secret, header: header, name: FileName(directory: "custom", path: "f")))
        var larger = header
        try sealer.seal(sample(1001)) { larger += $0 }
        larger += try sealer.finish()
        let (path, content) = (scratch.root + "/f", Data(larger))
        keys.beforeLoad = { (_) throws(KeychainError) in
            // `try?`: a failure shows below.
            guard let handle = try? FileHandle(forUpdating: URL(fileURLWithPath: path)) else { return }
            // `try?`: as above.
            try? handle.write(contentsOf: content)
        }
        let files = try scratch.files(keys)
        #expect(await code { _ = try await files.read("f", limit: 1000) } == .limitExceeded)
        #expect(try await files.read("f", limit: 1001) == sample(1001))
    }

    /// What can be seen of something that is no protected file.
    @Test func onlyFilesHaveASizeAndOnlyFilesAndFoldersAreSeen() async throws {
        let files = try scratch.files()
        try await files.write([1, 2, 3], to: "folder/f")
        try FileManager.default.createSymbolicLink(
            atPath: scratch.root + "/link", withDestinationPath: scratch.root + "/folder/f")
        try scratch.put([1, 2], "short")
        #expect(try await files.size(of: "folder/f") == 3)
        for path in ["folder", "link", "absent", "absent/f"] {
            #expect(await code { _ = try await files.size(of: path) } == .notFound, "\(path)")
        }
        for path in ["link", "absent", "absent/f"] {
            #expect(await code { _ = try await files.info(of: path) } == .notFound, "\(path)")
            #expect(try await !files.exists(path), "\(path)")
        }
        #expect(await code { _ = try await files.size(of: "short") } == .damaged)
        // Below a file there is nothing.
        #expect(try await !files.exists("short/f"))
    }

    /// The same value gives the same bytes, so that a copy can be compared.
    @Test func aValueIsWrittenWithItsMembersInOrder() async throws {
        let files = try scratch.files()
        let value = Dictionary(uniqueKeysWithValues: "hgfedcba".map { (String($0), 1) })
        try await files.write(value: value, to: "f")
        let text = String(decoding: try await files.read("f"), as: UTF8.self)
        #expect(text == #"{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1}"#)
        #expect(await code { try await files.write(value: Double.nan, to: "g") } == .invalidArgument)
        #expect(await code { try await files.write(value: value, to: "../g") } == .invalidArgument)
    }
}
