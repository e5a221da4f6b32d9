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

    @Test func aFileInAFoldersPlaceIsAnError() async throws {
        let files = files
        try await files.write([1], to: "f")
        #expect(await code { try await files.createDirectory("f") } == .notPermitted)
        #expect(await code { try await files.createDirectory("f/g") } == .notPermitted)
        #expect(await code { try await files.removeDirectory("f") } == .notPermitted)
        #expect(await code { try await files.removeDirectory("f/g", recursively: true) } == .notPermitted)
        #expect(await code { try await files.delete("f/g") } == .notPermitted)
        #expect(try await files.read("f") == [1])
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
