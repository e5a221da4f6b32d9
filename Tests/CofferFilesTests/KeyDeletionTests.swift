import Coffer
import Foundation
import Synchronization
import Testing

@testable import CofferFiles

@Suite("The keys of files are deleted together, and without a wait if that is enough")
struct KeyDeletionTests {
    /// The calls that deleted keys.
    private final class Calls: Sendable {
        struct Call: Equatable {
            let count: Int
            let protection: RollbackProtection
        }

        private let calls = Mutex<[Call]>([])

        func add(_ count: Int, _ protection: RollbackProtection) {
            calls.withLock { $0.append(Call(count: count, protection: protection)) }
        }

        /// Those since the last look.
        func taken() -> [Call] {
            calls.withLock { calls in
                defer { calls = [] }
                return calls
            }
        }
    }

    private let scratch: Scratch
    private let keys: FolderKeys
    private let calls = Calls()

    init() throws {
        scratch = try Scratch()
        var keys = try scratch.keys()
        keys.age = 10
        keys.whenDeleting = { [calls] in calls.add($0, $1) }
        self.keys = keys
    }

    @Test func severalFilesAreDeletedInOneCall() async throws {
        let files = try scratch.files(keys)
        for name in ["a", "b", "folder/c", "d"] { try await files.write([1], to: name) }
        try await files.delete(["a", "absent", "folder/c"])
        #expect(calls.taken() == [.init(count: 2, protection: .soon)])
        #expect(keys.ids.count == 2)
        try await files.delete("b")
        #expect(calls.taken() == [.init(count: 1, protection: .soon)])
        try await files.delete([])
        #expect(calls.taken() == [])
        #expect(try await files.read("d") == [1])
    }

    @Test func aWholeDirectoryIsDeletedInOneCall() async throws {
        let files = try scratch.files(keys)
        for number in 0..<20 { try await files.write([1], to: "folder/\(number)") }
        try await files.removeDirectory("folder", recursively: true)
        #expect(calls.taken() == [.init(count: 20, protection: .soon)])
        for number in 0..<20 { try await files.write([1], to: "folder/\(number)") }
        try await files.deleteAll()
        #expect(calls.taken() == [.init(count: 20, protection: .soon)])
        #expect(keys.ids == [])
    }

    /// Otherwise a file that is gone would have a key until a sweep a day later.
    @Test func afterAnErrorTheKeysOfTheFilesBeforeItAreGone() async throws {
        let files = try scratch.files(keys)
        for name in ["a", "folder/b", "c"] { try await files.write([1], to: name) }
        #expect(await code { try await files.delete(["a", "folder", "c"]) } == .invalidArgument)
        #expect(keys.ids.count == 2)
        #expect(try await files.read("c") == [1])
        // No name is used before all of them are good.
        #expect(await code { try await files.delete(["c", "../x"]) } == .invalidArgument)
        #expect(try await files.read("c") == [1])
    }

    @Test func whatIsReplacedMovedOrLeftBehindIsDeletedWithoutAWait() async throws {
        let files = try scratch.files(keys)
        try await files.write([1], to: "a")
        try await files.write([2], to: "a")
        #expect(calls.taken() == [.init(count: 1, protection: .later)])
        try await files.move("a", to: "b")
        #expect(calls.taken() == [.init(count: 1, protection: .later)])
        let writer = try await files.writer(to: "c")
        await writer.cancel()
        #expect(calls.taken() == [.init(count: 1, protection: .later)])
        // Keys of files that others have removed.
        for name in ["d", "e"] {
            try await files.write([1], to: name)
            try FileManager.default.removeItem(atPath: scratch.root + "/" + name)
        }
        #expect(try await files.sweep(olderThan: .zero) == 2)
        #expect(calls.taken() == [.init(count: 2, protection: .later)])
        #expect(keys.ids.count == 1)
        #expect(try await files.read("b") == [2])
    }
}
