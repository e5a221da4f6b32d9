import Coffer
import Foundation
import Platform
import Testing

@testable import CofferFiles

/// The library's own folder: locks, and the directory's id.
@Suite struct FolderStateTests {
    private let scratch: Scratch
    private let files: ProtectedFiles

    init() throws {
        scratch = try Scratch()
        files = try scratch.files()
    }

    private var idPath: String { scratch.root + "/.coffer/id" }

    private func makeFolder() throws {
        try FileManager.default.createDirectory(
            atPath: scratch.root + "/.coffer", withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: scratch.root)
    }

    @Test func aTaskThatIsCancelledNoLongerWaitsForALock() async throws {
        let state = try FolderState(in: FileRoot.making(files.place()))
        guard let held = try state.tryLock(.names) else {
            Issue.record("a new directory is in use")
            return
        }
        let files = files
        let waiting = await codeWhenCancelled {
            let other = try FolderState(in: FileRoot.making(files.place()))
            let lock = try await other.lock(.names)
            lock.keep()
        }
        #expect(waiting == .cancelled)
        #expect(await codeWhenCancelled { try await files.delete("f") } == .cancelled)
        held.keep()
    }

    private func isFree(_ state: borrowing FolderState, isShared: Bool) throws -> Bool {
        guard let lock = try state.tryLock(.writers, isShared: isShared) else { return false }
        lock.keep()
        return true
    }

    /// Locks that are shared exclude only the one that is not, and each is given back with its value.
    @Test func aLockIsSharedOrHeldAlone() throws {
        let one = try FolderState(in: FileRoot.making(files.place()))
        let other = try FolderState(in: FileRoot.making(files.place()))
        if let shared = try one.tryLock(.writers, isShared: true) {
            let together = try isFree(other, isShared: true)
            let alone = try isFree(other, isShared: false)
            #expect(together && !alone)
            shared.keep()
        } else {
            Issue.record("a new directory is in use")
        }
        if let held = try one.tryLock(.writers) {
            let together = try isFree(other, isShared: true)
            let alone = try isFree(other, isShared: false)
            #expect(!together && !alone)
            held.keep()
        } else {
            Issue.record("the shared lock was not given back")
        }
        let isFreeAgain = try isFree(other, isShared: false)
        #expect(isFreeAgain)
    }

    /// No test waits for these. They change on purpose only, and then here, too.
    @Test func limitsAreAsTheyWereChosen() {
        #expect(FolderState.patience == .seconds(20))
        #expect(ProtectedFiles.attempts == 8)
        #expect(HybridLimits.rounds == 64)
    }

    @Test(arguments: [
        "", "0", "0123456789abcdef0123456789abcdef", "0123456789abcdef0123456789abcdef\nx",
        "0123456789abcdef0123456789abcdef\n\n", "0123456789ABCDEF0123456789ABCDEF\n",
        "0123456789abcdef0123456789abcdef0\n",
    ])
    func anIDThatIsNoneIsMadeAnew(text: String) async throws {
        try makeFolder()
        try Data(text.utf8).write(to: URL(fileURLWithPath: idPath))
        let state = try FolderState(in: FileRoot.making(files.place()))
        let id = try await state.identity()
        #expect(id.hexadecimal != "0123456789abcdef0123456789abcdef")
        #expect(try String(contentsOfFile: idPath, encoding: .utf8) == id.hexadecimal + "\n")
        let again = try await state.identity()
        #expect(again == id)
    }

    @Test func anIDStays() async throws {
        try makeFolder()
        try Data("0123456789abcdef0123456789abcdef\n".utf8).write(to: URL(fileURLWithPath: idPath))
        let state = try FolderState(in: FileRoot.making(files.place()))
        let id = try await state.identity()
        #expect(id.hexadecimal == "0123456789abcdef0123456789abcdef")
    }

    /// A process was killed while it made the id.
    @Test func whatACrashLeftOfAnIDIsReplaced() async throws {
        try makeFolder()
        try Data("01".utf8).write(to: URL(fileURLWithPath: idPath + ".new"))
        try await files.write([1], to: "f")
        #expect(try await files.read("f") == [1])
        #expect(try Data(contentsOf: URL(fileURLWithPath: idPath)).count == 33)
        #expect(!FileManager.default.fileExists(atPath: idPath + ".new"))
    }

    @Test func whatCannotBeRemovedFromAnIDsWayIsTold() async throws {
        try makeFolder()
        try FileManager.default.createDirectory(atPath: idPath + ".new", withIntermediateDirectories: false)
        let files = files
        #expect(await code { try await files.write([1], to: "f") } == .invalidArgument)
    }

    @Test func aFolderThatIsMissingIsNoneAndAFileIsAnError() throws {
        try Data().write(to: URL(fileURLWithPath: scratch.path + "/file"))
        let folder = try ConfinedFolder(path: scratch.path)
        if let found = try folder.folderUnlessMissing("none") { Issue.record("\(try found.names())") }
        do throws(SystemError) {
            if let found = try folder.folderUnlessMissing("file") { Issue.record("\(try found.names())") }
            Issue.record("a file was opened as a folder")
        } catch { #expect(error.errno == ENOTDIR) }
    }

    /// Where the kernel makes all folders itself, nobody makes one.
    @Test func aDirectoryThatCannotBeMadeIsToldAsSuch() async throws {
        let files = ProtectedFiles(
            service: "com.example.test", directory: .custom("/sys/coffer-test"), keys: try scratch.keys())
        #expect(await code { try await files.write([1], to: "f") } == .notPermitted)
        #expect(await code { try await files.createDirectory("f") } == .notPermitted)
        #expect(try await files.list().isEmpty)
    }
}
