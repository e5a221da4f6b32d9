import Coffer
import Foundation
import Testing

@testable import CofferFiles

@Suite struct FileTests {
    private struct Note: Codable, Equatable {
        let title: String
        let lines: [String]
    }

    @Test func bytesAndValuesComeBackAsTheyWere() async throws {
        let scratch = try Scratch()
        let files = try scratch.files()
        for count in [0, 1, 1000, 65_535, 65_536, 65_537, 200_000] {
            try await files.write(sample(count), to: "a/b/\(count)")
            #expect(try await files.read("a/b/\(count)") == sample(count))
            #expect(try await files.size(of: "a/b/\(count)") == Int64(count))
        }
        let note = Note(title: "ü", lines: ["a", ""])
        try await files.write(value: note, to: "note.json")
        #expect(try await files.read("note.json", as: Note.self) == note)
        #expect(await code { _ = try await files.read("a/b/1", as: Note.self) } == .notDecodable)
        #expect(await code { _ = try await files.read("nothing") } == .notFound)
        #expect(await code { _ = try await files.read("no/folder") } == .notFound)
        #expect(await code { _ = try await files.read("a/b/1000", limit: 999) } == .limitExceeded)
        #expect(try await files.read("a/b/1000", limit: 1000).count == 1000)
        // Nothing of the content is in the file.
        let text = Array("a sentence that nobody else may read".utf8)
        try await files.write(text, to: "text")
        let sealed = try scratch.bytes("text")
        #expect(Data(sealed).range(of: Data(text.prefix(8))) == nil)
    }

    /// A file that is too large is refused by its size, before anything of it is read.
    @Test func withoutALimitOfTheCallersAFileMayHave64MiB() async throws {
        let scratch = try Scratch()
        let files = try scratch.files()
        try await files.write([1], to: "f")
        let path = scratch.root + "/f"
        let empty = try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? UInt64) - 1
        func code(at size: Int) async throws -> KeychainError.Code? {
            let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
            // 16 bytes for each part of 64 KiB but the first, which `empty` has.
            let parts = UInt64((size + 65_535) / 65_536)
            try handle.truncate(atOffset: empty + UInt64(size) + 16 * (parts - 1))
            try handle.close()
            return await CofferFilesTests.code { _ = try await files.read("f") }
        }
        #expect(try await code(at: 64 << 20) == .damaged)
        #expect(try await code(at: 64 << 20 + 1) == .limitExceeded)
    }

    @Test func streamsComeBackAsTheyWereAndFailWhole() async throws {
        struct Broken: Error {}
        let scratch = try Scratch()
        let files = try scratch.files()
        let content = sample(300_000)
        let stream = AsyncStream<ArraySlice<UInt8>> { continuation in
            var rest = content[...]
            while !rest.isEmpty {
                continuation.yield(rest.prefix(7777))
                rest = rest.dropFirst(7777)
            }
            continuation.finish()
        }
        try await files.write(from: stream, to: "s")
        var parts: [[UInt8]] = []
        for try await part in files.chunks(of: "s") { parts.append(part) }
        #expect(Array(parts.joined()) == content)
        #expect(parts.map(\.count) == [65_536, 65_536, 65_536, 65_536, 300_000 - 4 * 65_536])
        let broken = AsyncThrowingStream<[UInt8], any Error> { continuation in
            continuation.yield([1, 2, 3])
            continuation.finish(throwing: Broken())
        }
        do {
            try await files.write(from: broken, to: "s")
            Issue.record("the stream's failure was lost")
        } catch .source(let error) { #expect(error is Broken) } catch .file(let error) { Issue.record(error) }
        #expect(try await files.read("s") == content)
        #expect(try scratch.keys().ids.count == 1)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: scratch.root + "/.coffer").allSatisfy {
                !$0.hasSuffix(".part")
            })
    }

    @Test func aWriterThatEndsEarlyChangesNothing() async throws {
        let scratch = try Scratch()
        let files = try scratch.files()
        try await files.write([1], to: "f")
        do {
            var writer = try await files.writer(to: "f")
            try await writer.write([2])
            #expect(try await files.read("f") == [1])
            await writer.cancel()
        }
        do {
            var writer = try await files.writer(to: "f")
            try await writer.write([3])
        }
        #expect(try await files.read("f") == [1])
        #expect(try await files.list().map(\.path) == ["f"])
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: scratch.root + "/.coffer").allSatisfy {
                !$0.hasSuffix(".part")
            })
        let task = Task { () throws in
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            try await files.write([4], to: "f")
        }
        #expect(await code { try await task.value } == .cancelled)
        #expect(try await files.read("f") == [1])
    }

    @Test func aReplacedFileHasANewKeyAndTheOldOneIsGone() async throws {
        let scratch = try Scratch()
        let (files, keys) = (try scratch.files(), try scratch.keys())
        try await files.write([1], to: "f")
        let former = try scratch.bytes("f")
        let ids = keys.ids
        try await files.write([2], to: "f")
        #expect(keys.ids.count == 1)
        #expect(keys.ids != ids)
        // Attacker 5: an older copy of the file is of no use.
        try scratch.put(former, "f")
        #expect(await code { _ = try await files.read("f") } == .damaged)
    }

    @Test func aFilesAccessControlStaysUnlessItIsNamed() async throws {
        let scratch = try Scratch()
        let (files, keys) = (try scratch.files(), try scratch.keys())
        func access() -> String? {
            keys.ids.first.flatMap(keys.stored).map { "\($0.accessibility) \($0.isThisDeviceOnly)" }
        }
        try await files.write([1], to: "f")
        #expect(access() == "when-unlocked false")
        try await files.write([1], to: "f", access: .afterFirstUnlock.thisDeviceOnly)
        try await files.write([2], to: "f")
        #expect(access() == "after-first-unlock true")
        try await files.move("f", to: "g")
        #expect(access() == "after-first-unlock true")
        // Somebody took the key away. A default would weaken the file.
        try FileManager.default.removeItem(atPath: keys.path + "/" + keys.ids[0])
        #expect(await code { try await files.write([3], to: "g") } == .damaged)
        try await files.write([3], to: "g", access: .whenUnlocked)
        #expect(try await files.read("g") == [3])
    }

    /// Attackers 4 and 5: a program takes one protected file for another, and writes or reads it under that one's rules.
    @Test func filesThatWereExchangedAreRefused() async throws {
        let scratch = try Scratch()
        let files = try scratch.files()
        try await files.write([1], to: "strict", access: .whenUnlocked.thisDeviceOnly)
        try await files.write([2], to: "lax", access: .always)
        let (strict, lax) = (try scratch.bytes("strict"), try scratch.bytes("lax"))
        try scratch.put(strict, "lax")
        try scratch.put(lax, "strict")
        for name in ["strict", "lax"] {
            #expect(await code { _ = try await files.read(name) } == .damaged)
            #expect(await code { try await files.write([3], to: name) } == .damaged)
        }
    }

    @Test func aDamagedFileGivesNothingAndAStreamOnlyWhatIsTrue() async throws {
        let scratch = try Scratch()
        let files = try scratch.files()
        let content = sample(150_000)
        try await files.write(content, to: "f")
        let whole = try scratch.bytes("f")
        try scratch.put(Array(whole.prefix(32 + 2 * 65_552)), "f")
        #expect(await code { _ = try await files.read("f") } == .damaged)
        var seen: [UInt8] = []
        #expect(await code { for try await part in files.chunks(of: "f") { seen += part } } == .damaged)
        #expect(seen == Array(content.prefix(65_536)))
        try scratch.put(Array(whole.prefix(10)), "f")
        #expect(await code { _ = try await files.read("f") } == .damaged)
        try scratch.put([], "f")
        #expect(await code { _ = try await files.read("f") } == .damaged)
        try await files.delete("f")
        #expect(try await !files.exists("f"))
    }

    @Test func aFileIsExportedToADescriptor() async throws {
        let scratch = try Scratch()
        let files = try scratch.files()
        try await files.write(sample(200_000), to: "f")
        let pipe = Pipe()
        async let read = Task.detached { try pipe.fileHandleForReading.readToEnd() }.value
        try await files.export("f", toDescriptor: pipe.fileHandleForWriting.fileDescriptor)
        try pipe.fileHandleForWriting.close()
        #expect(try await read.map(Array.init) == sample(200_000))
    }

    @Test func aFileIsMovedWithItsContentOnly() async throws {
        let scratch = try Scratch()
        let (files, keys) = (try scratch.files(), try scratch.keys())
        try await files.write(sample(70_000), to: "a")
        try await files.write([2], to: "b")
        #expect(await code { try await files.move("a", to: "b") } == .alreadyExists)
        #expect(await code { try await files.move("c", to: "d") } == .notFound)
        try await files.move("a", to: "folder/c")
        #expect(try await files.read("folder/c") == sample(70_000))
        #expect(try await !files.exists("a"))
        #expect(keys.ids.count == 2)
    }

    /// Another program writes the file while it is moved: what it wrote stays.
    @Test func whatReplacesAFileWhileItIsMovedStays() async throws {
        let scratch = try Scratch()
        let files = try scratch.files()
        try await files.write([1], to: "a")
        var keys = try scratch.keys()
        // The move stores the new file's key when it has opened the old file.
        keys.beforeStore = { () throws(KeychainError) in try await files.write([2], to: "a") }
        try await scratch.files(keys).move("a", to: "b")
        #expect(try await files.read("a") == [2])
        #expect(try await files.read("b") == [1])
        #expect(try scratch.keys().ids.count == 2)
    }

    /// A reader that asks a person while another program replaces the file reads the new one.
    @Test func aFileThatIsReplacedWhileItIsOpenedIsReadAnew() async throws {
        let scratch = try Scratch()
        var keys = try scratch.keys()
        let files = try scratch.files()
        try await files.write([1], to: "f")
        let first = try #require(keys.ids.first)
        keys.beforeLoad = { (id) throws(KeychainError) in
            if id.hexadecimal == first { try await files.write([2], to: "f") }
        }
        #expect(try await scratch.files(keys).read("f") == [2])
    }
}
