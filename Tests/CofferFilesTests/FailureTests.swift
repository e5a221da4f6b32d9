import Coffer
import Foundation
import Synchronization
import Testing

@testable import CofferFiles

/// What a call leaves behind when one of its steps fails.
@Suite struct FailureTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Gives its parts also to a task that was cancelled.
    private struct Parts: AsyncSequence, AsyncIteratorProtocol, Sendable {
        typealias Element = [UInt8]
        typealias Failure = any Error

        var rest: [[UInt8]]

        func makeAsyncIterator() -> Parts { self }

        mutating func next() async throws -> [UInt8]? { rest.isEmpty ? nil : rest.removeFirst() }
    }

    /// Another program makes a file of its own while ours is written.
    @Test func whatTookTheNameMeanwhileStaysAndTheWriteLeavesNothing() async throws {
        let path = scratch.root + "/f"
        var keys = try scratch.keys()
        keys.afterStore = { () throws(KeychainError) in
            // `try?`: a failure shows below.
            try? Data([9]).write(to: URL(fileURLWithPath: path))
        }
        let files = try scratch.files(keys)
        #expect(await code { try await files.write([1], to: "f") } == .damaged)
        #expect(try scratch.bytes("f") == [9])
        #expect(keys.ids.isEmpty)
        #expect(try scratch.parts().isEmpty)
        try FileManager.default.removeItem(atPath: path)
        do {
            try await files.write(from: Parts(rest: [[1], [2]]), to: "f")
            Issue.record("a file that is not protected was replaced")
        } catch .source(let error) { Issue.record(error) } catch .file(let error) { #expect(error.code == .damaged) }
        #expect(try scratch.bytes("f") == [9])
        #expect(keys.ids.isEmpty)
        #expect(try scratch.parts().isEmpty)
    }

    @Test func aFileWhoseKeyIsNotTakenIsNotWritten() async throws {
        try await scratch.files().write([1], to: "f")
        var keys = try scratch.keys()
        keys.beforeStore = { () throws(KeychainError) in throw KeychainError(.locked, "locked") }
        let files = try scratch.files(keys)
        #expect(await code { try await files.write([2], to: "f") } == .locked)
        #expect(await code { try await files.move("f", to: "g") } == .locked)
        #expect(try await files.read("f") == [1])
        #expect(try await files.list().map(\.path) == ["f"])
        #expect(try scratch.parts().isEmpty)
        #expect(keys.ids.count == 1)
    }

    /// Another program of the user removes the unfinished file.
    @Test func withoutItsPartFileAWriteFailsAndTheFormerFileStays() async throws {
        try await scratch.files().write([1], to: "f")
        let folder = scratch.root + "/.coffer"
        var keys = try scratch.keys()
        keys.afterStore = { () throws(KeychainError) in
            // `try?`: a failure shows below.
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            for name in names where name.hasSuffix(".part") {
                // `try?`: as above.
                try? FileManager.default.removeItem(atPath: folder + "/" + name)
            }
        }
        let files = try scratch.files(keys)
        #expect(await code { try await files.write([2], to: "f") } == .notFound)
        #expect(try await files.read("f") == [1])
        #expect(keys.ids.count == 1)
    }

    /// The caller must know that a key is still there.
    @Test func aKeyThatCannotBeDeletedIsTold() async throws {
        var keys = try scratch.keys()
        for name in ["a", "b", "folder/c", "d"] { try await scratch.files(keys).write([1], to: name) }
        keys.beforeDelete = { () throws(KeychainError) in throw KeychainError(.locked, "locked") }
        let files = try scratch.files(keys)
        #expect(await code { try await files.delete("a") } == .locked)
        #expect(await code { try await files.removeDirectory("folder", recursively: true) } == .locked)
        #expect(await code { try await files.move("b", to: "e") } == .locked)
        #expect(try await files.read("e") == [1])
        #expect(await code { try await files.deleteAll() } == .locked)
        #expect(try await files.list(recursively: true).filter { !$0.isFolder }.isEmpty)
        var old = keys
        old.age = 25 * 3600
        let later = try scratch.files(old)
        #expect(await code { try await later.sweep() } == .locked)
        // A write that has replaced a file is done. The next sweep deletes the key.
        try await files.write([2], to: "f")
        try await files.write([3], to: "f")
        #expect(try await files.read("f") == [3])
    }

    @Test func aMoveToANameThatIsTakenMeanwhileKeepsBothFiles() async throws {
        let others = try scratch.files()
        try await others.write([1], to: "a")
        var keys = try scratch.keys()
        keys.afterStore = { () throws(KeychainError) in try await others.write([2], to: "b") }
        let files = try scratch.files(keys)
        #expect(await code { try await files.move("a", to: "b") } == .alreadyExists)
        #expect(try await others.read("a") == [1])
        #expect(try await others.read("b") == [2])
        #expect(keys.ids.count == 2)
        try await others.createDirectory("folder")
        #expect(await code { try await others.move("a", to: "folder") } == .alreadyExists)
        #expect(try await others.read("a") == [1])
    }

    @Test func aDamagedFileIsNotMoved() async throws {
        let files = try scratch.files()
        try await files.write(sample(150_000), to: "f")
        let whole = try scratch.bytes("f")
        try scratch.put(Array(whole.prefix(32 + 2 * 65_552)), "f")
        #expect(await code { try await files.move("f", to: "g") } == .damaged)
        #expect(try await files.list().map(\.path) == ["f"])
        #expect(try scratch.keys().ids.count == 1)
        #expect(try scratch.parts().isEmpty)
    }

    @Test func aCancelledTaskReadsAndWritesNothing() async throws {
        let (files, keys) = (try scratch.files(), try scratch.keys())
        try await files.write([1], to: "f")
        #expect(await codeWhenCancelled { _ = try await files.read("f") } == .cancelled)
        #expect(await codeWhenCancelled { for try await _ in files.chunks(of: "f") {} } == .cancelled)
        #expect(await codeWhenCancelled { try await files.write([2], to: "f") } == .cancelled)
        #expect(keys.ids.count == 1)
        let streamed = await codeWhenCancelled {
            do throws(FileStreamError<any Error>) {
                try await files.write(from: Parts(rest: [[2], [3]]), to: "f")
            } catch { if case .file(let reason) = error { throw reason } }
        }
        #expect(streamed == .cancelled)
        #expect(await codeWhenCancelled { try await files.move("f", to: "g") } == .cancelled)
        #expect(try await files.read("f") == [1])
        #expect(try await files.list().map(\.path) == ["f"])
        #expect(keys.ids.count == 1)
        #expect(try scratch.parts().isEmpty)
    }

    /// The task is cancelled between the last part and the end.
    @Test func aWriterOfACancelledTaskTakesNothingAndGetsNoName() async throws {
        let (files, keys) = (try scratch.files(), try scratch.keys())
        try await files.write([1], to: "f")
        let task = Task { () throws in
            var writer = try await files.writer(to: "f")
            try await writer.write([2])
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            do throws(KeychainError) {
                try await writer.write([3])
                Issue.record("a cancelled task wrote on")
            } catch { #expect(error.code == .cancelled) }
            try await writer.finish()
        }
        #expect(await code { try await task.value } == .cancelled)
        #expect(try await files.read("f") == [1])
        #expect(keys.ids.count == 1)
        #expect(try scratch.parts().isEmpty)
    }

    @Test func aDescriptorThatTakesNothingIsAnError() async throws {
        let files = try scratch.files()
        try await files.write([1], to: "f")
        let number = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
        try #require(number >= 0)
        defer { close(number) }
        #expect(await code { try await files.export("f", toDescriptor: number) } == .failed)
    }

    /// Sweeps ask for this lock alone, so they would take what is being written or deleted for left behind.
    @Test func noSweepComesBetweenTheStepsOfAWriteOrADeletion() async throws {
        let free = Mutex<[Bool]>([])
        let plain = try scratch.files()
        let look: @Sendable () async throws(KeychainError) -> Void = { () throws(KeychainError) in
            let state = try FolderState(in: FileRoot.making(plain.place()))
            if let alone = try state.tryLock(.writers) {
                alone.keep()
                free.withLock { $0.append(true) }
            } else {
                free.withLock { $0.append(false) }
            }
        }
        try await plain.write([1], to: "f")
        var keys = try scratch.keys()
        keys.beforeStore = look
        keys.afterStore = look
        keys.beforeDelete = look
        let files = try scratch.files(keys)
        try await files.write([2], to: "f")
        #expect(free.withLock { $0 } == [false, false, false])
        try await files.move("f", to: "g")
        #expect(free.withLock { $0.count } == 6)
        try await files.delete("g")
        try await files.write([3], to: "folder/h")
        try await files.removeDirectory("folder", recursively: true)
        let writer = try await files.writer(to: "i")
        await writer.cancel()
        #expect(free.withLock { $0 } == Array(repeating: false, count: 13))
        // And afterwards the lock is given back.
        try await look()
        #expect(free.withLock { $0.last } == true)
    }
}
