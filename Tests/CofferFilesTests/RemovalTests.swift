import Coffer
import Foundation
import Synchronization
import Testing

@testable import CofferFiles

/// Files and folders that are absent, deep, or in the way.
@Suite struct RemovalTests {
    private let scratch: Scratch
    private let files: ProtectedFiles

    init() throws {
        scratch = try Scratch()
        files = try scratch.files()
    }

    @Test func whatIsAbsentIsRemovedAlready() async throws {
        // Without the directory itself, too.
        try await files.delete("a")
        try await files.removeDirectory("a", recursively: true)
        try await files.deleteAll()
        #expect(!FileManager.default.fileExists(atPath: scratch.root))
        try await files.write([1], to: "f")
        try await files.delete("absent/a")
        try await files.removeDirectory("absent/inner")
        try await files.removeDirectory("absent/inner", recursively: true)
        #expect(try await files.list(recursively: true).map(\.path) == ["f"])
    }

    @Test func belowAFileThereIsNothing() async throws {
        let files = files
        try await files.write([1], to: "f")
        #expect(try await !files.exists("f/g"))
        #expect(try await !files.exists("f/g/h"))
        #expect(await code { _ = try await files.info(of: "f/g") } == .notFound)
        #expect(await code { _ = try await files.size(of: "f/g") } == .notFound)
        #expect(await code { _ = try await files.read("f/g") } == .notFound)
        #expect(await code { _ = try await files.list(in: "f") } == .notFound)
        #expect(await code { _ = try await files.list(in: "f/g") } == .notFound)
        #expect(await code { try await files.move("f/g", to: "h") } == .notFound)
        try await files.removeDirectory("f")
        try await files.removeDirectory("f", recursively: true)
        try await files.removeDirectory("f/g", recursively: true)
        try await files.delete("f/g")
        #expect(try await files.read("f") == [1])
    }

    /// A person who follows the advice must not lose a document.
    @Test func aFileInAFoldersPlaceStaysAndIsTold() async throws {
        let files = files
        try await files.write([1], to: "f")
        let calls: [@Sendable () async throws -> Void] = [
            { try await files.createDirectory("f") },
            { try await files.createDirectory("f/g") },
            { try await files.write([2], to: "f/g") },
            { try await files.write([2], to: "f/g", access: .always) },
        ]
        for call in calls {
            do {
                try await call()
                Issue.record("a folder was made where a file is")
            } catch let error as KeychainError {
                #expect(error.code == .notPermitted)
                #expect(error.advice == "choose another path: one of its folders is a file")
            }
        }
        #expect(try await files.read("f") == [1])
        #expect(try await files.list().map(\.path) == ["f"])
        #expect(try scratch.keys().ids.count == 1)
    }

    @Test func aKeyWhoseFoldersNameAFileHasIsSwept() async throws {
        var keys = try scratch.keys()
        keys.age = 25 * 3600
        let files = try scratch.files(keys)
        try await files.write([1], to: "a/b")
        try FileManager.default.removeItem(atPath: scratch.root + "/a")
        try await files.write([2], to: "a")
        #expect(try await files.sweep() == 1)
        #expect(try await files.read("a") == [2])
    }

    /// Another program has made a folder as deep as any can be, and put something into it.
    @Test func nothingBelowTheDeepestFolderIsLookedAt() async throws {
        let deepest = Array(repeating: "d", count: 64).joined(separator: "/")
        try await files.createDirectory(deepest)
        try scratch.put([1], deepest + "/f")
        let found = try await files.list(recursively: true)
        #expect(found.count == 64 && found.last?.path == deepest)
        try await files.deleteAll()
        #expect(try scratch.bytes(deepest + "/f") == [1])
    }

    @Test func aFileAtTheGreatestDepthIsListedAndRemoved() async throws {
        let path = Array(repeating: "d", count: 63).joined(separator: "/") + "/f"
        try await files.write([1], to: path)
        #expect(try await files.list(recursively: true).last?.path == path)
        try await files.deleteAll()
        #expect(try await files.list(recursively: true).isEmpty)
        #expect(try scratch.keys().ids.isEmpty)
    }

    /// Keys that no file has are of no more use, and each call that cannot delete everything says so.
    @Test func theEndOfADirectoryIsTheEndOfItsKeys() async throws {
        let calls = Mutex<[RollbackProtection]>([])
        var keys = try scratch.keys()
        keys.age = 10
        keys.whenDeleting = { _, protection in calls.withLock { $0.append(protection) } }
        let files = try scratch.files(keys)
        for name in ["a", "b"] { try await files.write([1], to: name) }
        try FileManager.default.removeItem(atPath: scratch.root + "/a")
        try await files.deleteAll()
        #expect(keys.ids.isEmpty)
        #expect(calls.withLock { $0 } == [.soon, .later])
        try await files.write([1], to: "c")
        try FileManager.default.createDirectory(
            atPath: scratch.root + "/.coffer/00.part", withIntermediateDirectories: false)
        #expect(await code { try await files.deleteAll() } == .invalidArgument)
        #expect(keys.ids.isEmpty)
    }
}
