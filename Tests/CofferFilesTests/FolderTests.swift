import Coffer
import Foundation
import Testing

@testable import CofferFiles

@Suite struct FolderTests {
    @Test func filesAndFoldersAreListedWithSizeAndDate() async throws {
        let scratch = try Scratch()
        let files = try scratch.files()
        #expect(try await files.list().isEmpty)
        #expect(await code { _ = try await files.list(in: "notes") } == .notFound)
        let before = Date.now.addingTimeInterval(-2)
        try await files.write(sample(70_000), to: "notes/b")
        try await files.write([1, 2], to: "notes/deep/a")
        try await files.write([], to: "top")
        try await files.createDirectory("empty/inner")
        try await files.createDirectory("empty/inner")
        #expect(try await files.list().map(\.path) == ["empty", "notes", "top"])
        #expect(try await files.list(in: "notes").map(\.name) == ["b", "deep"])
        let all = try await files.list(recursively: true)
        #expect(all.map(\.path) == ["empty", "empty/inner", "notes", "notes/b", "notes/deep", "notes/deep/a", "top"])
        #expect(all.map(\.size) == [0, 0, 0, 70_000, 0, 2, 0])
        #expect(all.allSatisfy { $0.modified > before && $0.modified < .now.addingTimeInterval(2) })
        #expect(try await files.directorySize() == 70_002)
        #expect(try await files.directorySize(in: "notes/deep") == 2)
        #expect(try await files.modified(of: "top") > before)
        #expect(try await files.info(of: "notes").isFolder)
        #expect(try await files.exists("notes/b"))
        #expect(try await !files.exists("notes"))
        for path in ["", "/notes", "notes/deep", "notes/b"] {
            let mode = try FileManager.default.attributesOfItem(atPath: scratch.root + "/" + path)[.posixPermissions]
            #expect(mode as? Int == (path == "notes/b" ? 0o600 : 0o700))
        }
    }

    @Test func foldersAndEverythingInThemCanBeRemoved() async throws {
        let scratch = try Scratch()
        let (files, keys) = (try scratch.files(), try scratch.keys())
        for path in ["a", "f/b", "f/g/c"] { try await files.write([1], to: path) }
        #expect(await code { try await files.removeDirectory("f") } == .failed)
        try await files.removeDirectory("f", recursively: true)
        #expect(try await files.list(recursively: true).map(\.path) == ["a"])
        #expect(keys.ids.count == 1)
        try await files.removeDirectory("f", recursively: true)
        try await files.delete("a")
        try await files.delete("a")
        #expect(keys.ids.isEmpty)
        for path in ["a", "f/b", "f/g/c"] { try await files.write([1], to: path) }
        // What is not the library's is never removed.
        try scratch.put([1, 2, 3], "f/plain")
        #expect(await code { try await files.removeDirectory("f", recursively: true) } == .failed)
        try await files.deleteAll()
        #expect(try await files.list(recursively: true).map(\.path) == ["f", "f/plain"])
        #expect(keys.ids.isEmpty)
        #expect(await code { try await files.write([1], to: "f/plain") } == .damaged)
        #expect(await code { try await files.delete("f") } == .invalidArgument)
    }

    /// Between the deletion of the keys and the removal of the empty folders, somebody else changes one of them.
    @Test func aFolderThatCannotBeRemovedIsTold() async throws {
        let scratch = try Scratch()
        var keys = try scratch.keys()
        for path in ["f/b", "f/g/c"] { try await scratch.files(keys).write([1], to: path) }
        let folder = scratch.root + "/f/g"
        keys.beforeDelete = { () throws(KeychainError) in
            // A failure shows below.
            try? FileManager.default.removeItem(atPath: folder)
            try? Data([1]).write(to: URL(fileURLWithPath: folder))
        }
        #expect(await code { try await scratch.files(keys).deleteAll() } == .notPermitted)
        try FileManager.default.removeItem(atPath: folder)
        try await scratch.files(keys).write([1], to: "f/g/c")
        // One that is gone, or has something in it, is none of this call's. `try?`: a failure shows below.
        keys.beforeDelete = { () throws(KeychainError) in try? FileManager.default.removeItem(atPath: folder) }
        try await scratch.files(keys).deleteAll()
        #expect(try await scratch.files(keys).list(recursively: true).isEmpty && keys.ids.isEmpty)
    }

    @Test(arguments: [
        "", "/a", "a/", "a//b", ".", "..", "../a", "a/../b", "a/./b", "a\0b", ".coffer", ".coffer/id",
        String(repeating: "x", count: 256), String(repeating: "x/", count: 64) + "x",
        String(repeating: "y/", count: 520) + "y",
    ])
    func noPathLeadsOutOfTheDirectory(path: String) async throws {
        let scratch = try Scratch()
        let files = try scratch.files()
        #expect(await code { try await files.write([1], to: path) } == .invalidArgument)
        #expect(await code { _ = try await files.read(path) } == .invalidArgument)
        #expect(await code { try await files.delete(path) } == .invalidArgument)
        #expect(await code { try await files.createDirectory(path) } == .invalidArgument)
        #expect(await code { try await files.removeDirectory(path, recursively: true) } == .invalidArgument)
        #expect(await code { _ = try await files.exists(path) } == .invalidArgument)
    }

    /// Another program of the user, or one that can write to the folder, puts links in the way.
    @Test func noLinkIsFollowed() async throws {
        let scratch = try Scratch()
        let files = try scratch.files()
        try await files.write([1], to: "inside/f")
        let outside = scratch.path + "/outside"
        try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: true)
        let target = scratch.root + "/inside/f"
        try Data([9]).write(to: URL(fileURLWithPath: outside + "/g"))
        for (link, to) in [
            ("folder", outside), ("file", outside + "/g"), ("twin", target), ("inner", scratch.root + "/inside"),
        ] {
            try FileManager.default.createSymbolicLink(atPath: scratch.root + "/" + link, withDestinationPath: to)
        }
        for path in ["folder/g", "inner/f", "twin", "file"] {
            #expect(await code { _ = try await files.read(path) } == .notPermitted, "\(path)")
        }
        for path in ["folder/g", "folder/new", "inner/f", "inner/new"] {
            #expect(await code { try await files.write([2], to: path) } == .notPermitted, "\(path)")
        }
        for path in ["file", "twin"] { #expect(await code { try await files.write([2], to: path) } == .damaged) }
        #expect(await code { try await files.delete("folder/g") } == .notPermitted)
        #expect(await code { _ = try await files.list(in: "folder") } == .notPermitted)
        for path in ["folder", "inner", "file"] {
            #expect(await code { try await files.removeDirectory(path) } == .notPermitted, "\(path)")
        }
        #expect(try await files.list(recursively: true).map(\.path) == ["inside", "inside/f"])
        // Deleting a link removes the link alone.
        try await files.delete("file")
        try await files.deleteAll()
        #expect(try Data(contentsOf: URL(fileURLWithPath: outside + "/g")) == Data([9]))
        #expect(try FileManager.default.contentsOfDirectory(atPath: outside) == ["g"])
    }

    @Test func somethingElseInAFilesPlaceIsRefusedAtOnce() async throws {
        let scratch = try Scratch()
        let files = try scratch.files()
        try await files.write([1], to: "f")
        let made = unsafe mkfifo(scratch.root + "/pipe", 0o600)
        try #require(made == 0)
        #expect(await code { _ = try await files.read("pipe") } == .invalidArgument)
        #expect(await code { try await files.write([1], to: "pipe") } == .damaged)
        try await files.createDirectory("folder")
        #expect(await code { _ = try await files.read("folder") } == .invalidArgument)
        #expect(await code { try await files.write([1], to: "folder") } == .damaged)
        #expect(await code { try await files.write([1], to: "f/g") } == .notPermitted)
    }

    @Test func aDirectoryThatOthersMayWriteToIsRefused() async throws {
        let scratch = try Scratch()
        let files = try scratch.files()
        try await files.write([1], to: "f")
        for mode in [0o720, 0o702, 0o777] {
            let set = unsafe chmod(scratch.root, mode_t(mode))
            try #require(set == 0)
            #expect(await code { _ = try await files.read("f") } == .notPermitted)
            #expect(await code { try await files.write([1], to: "f") } == .notPermitted)
        }
    }

    @Test func theCommandOfTheAdviceMakesTheDirectoryUsable() async throws {
        let scratch = try Scratch()
        let path = scratch.path + "/it's mine"
        let files = ProtectedFiles(service: "app", directory: .custom(path), keys: try scratch.keys())
        try await files.write([1], to: "f")
        let opened = unsafe chmod(path, 0o775)
        try #require(opened == 0)
        do throws(KeychainError) {
            _ = try await files.read("f")
            Issue.record("a directory that others may write to was used")
        } catch {
            #expect(error.code == .notPermitted)
            #expect(error.message == #"others may write to the directory "\#(path)""#)
            #expect(error.advice == #"run: chmod go-w '\#(scratch.path)/it'\''s mine'"#)
        }
        let closed = unsafe chmod(path, 0o755)
        try #require(closed == 0)
        #expect(try await files.read("f") == [1])
    }

    /// In /tmp, another user can be the first to make the folder whose name everybody knows.
    @Test(.enabled(if: geteuid() == 0, "only root can make a folder of another user's"))
    func aDirectoryThatSomebodyElseHasMadeIsRefused() async throws {
        for (folder, mode) in [("coffer-0", 0o700), ("coffer-0", 0o755), ("coffer-0/app", 0o700)] {
            let scratch = try Scratch()
            try FileManager.default.createDirectory(
                atPath: scratch.path + "/" + folder, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            try FileManager.default.setAttributes(
                [.ownerAccountID: 65534, .groupOwnerAccountID: 65534, .posixPermissions: mode],
                ofItemAtPath: scratch.path + "/" + folder)
            let files = ProtectedFiles(
                service: "app", directory: .temporary, keys: try scratch.keys(),
                environment: ["TMPDIR": scratch.path])
            #expect(await code { try await files.write([1], to: "f") } == .notPermitted)
            #expect(await code { _ = try await files.list() } == .notPermitted)
            let made = try FileManager.default.subpathsOfDirectory(atPath: scratch.path).filter { $0.hasSuffix("/f") }
            #expect(made.isEmpty, "\(made)")
        }
    }

    @Test func directoriesFollowTheSpecificationOfXDG() throws {
        func path(_ directory: ProtectedDirectory, _ environment: [String: String], service: String = "app") -> String?
        {
            // Places that cannot be are refused.
            (try? DirectoryPlace(directory, service: service, environment: environment)).map {
                ([$0.base[$0.base.count - 1]] + $0.names).joined(separator: "/")
            }
        }
        let home = ["HOME": "/h"]
        #expect(path(.documents, home) == "/h/.local/share/app/Documents")
        #expect(path(.support, home) == "/h/.local/share/app/Support")
        #expect(path(.caches, home) == "/h/.cache/app")
        #expect(path(.documents, home.merging(["XDG_DATA_HOME": "/d"]) { $1 }) == "/d/app/Documents")
        #expect(path(.caches, home.merging(["XDG_CACHE_HOME": "/c"]) { $1 }) == "/c/app")
        #expect(path(.caches, home.merging(["XDG_CACHE_HOME": "c"]) { $1 }) == "/h/.cache/app")
        #expect(path(.temporary, ["XDG_RUNTIME_DIR": "/run/user/1"]) == "/run/user/1/app")
        #expect(path(.temporary, ["TMPDIR": "/t"]) == "/t/coffer-\(geteuid())/app")
        #expect(path(.temporary, [:]) == "/tmp/coffer-\(geteuid())/app")
        #expect(path(.custom("/x/y"), [:]) == "/x/y")
        #expect(path(.custom("x"), [:]) == nil)
        #expect(path(.documents, [:]) == nil)
        let longest = String(repeating: "n", count: 255)
        for service in ["", ".", "..", "a/b", "/a", "a\0", longest + "n"] {
            #expect(path(.documents, home, service: service) == nil)
        }
        for service in ["a", "a b", "a\\b", "^", longest] { #expect(path(.caches, home, service: service) != nil) }
    }

    @Test func directoriesOfOneServiceAreApart() async throws {
        let scratch = try Scratch()
        let keys = try scratch.keys()
        let environment = [
            "XDG_DATA_HOME": scratch.path + "/data", "XDG_CACHE_HOME": scratch.path + "/cache", "TMPDIR": scratch.path,
        ]
        func files(_ directory: ProtectedDirectory) -> ProtectedFiles {
            ProtectedFiles(service: "app", directory: directory, keys: keys, environment: environment)
        }
        for (number, directory) in [ProtectedDirectory.documents, .support, .caches, .temporary].enumerated() {
            try await files(directory).write([UInt8(number)], to: "f")
        }
        for (number, directory) in [ProtectedDirectory.documents, .support, .caches, .temporary].enumerated() {
            #expect(try await files(directory).read("f") == [UInt8(number)])
            #expect(try await files(directory).list(recursively: true).count == 1)
        }
        try await files(.support).deleteAll()
        #expect(try await files(.documents).read("f") == [0])
        #expect(keys.ids.count == 3)
        // A file of one directory is none of the other's, even under its own name.
        try FileManager.default.removeItem(atPath: scratch.path + "/cache/app/f")
        try FileManager.default.copyItem(
            atPath: scratch.path + "/data/app/Documents/f", toPath: scratch.path + "/cache/app/f")
        #expect(await code { _ = try await files(.caches).read("f") } == .damaged)
    }
}
