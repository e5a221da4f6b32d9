import Foundation
import Testing

@testable import Platform

/// Root copies a file for a user. Whoever owns the folder must not choose which file that is.
struct OwnedCopyTests {
    private let folder: String
    private let user = OwnProcess.effectiveUser

    init() throws {
        folder = NSTemporaryDirectory() + "coffer-copy-" + UUID().uuidString
        try Folder.make(folder, mode: 0o700)
        try DurableFile.write([1, 2, 3], to: folder + "/file", mode: 0o600)
    }

    private func copy(_ name: String = "file", owner: UInt32? = nil, to other: String = "copy") throws -> Bool {
        try OwnedCopy.make(of: "\(folder)/\(name)", owner: owner ?? user, at: "\(folder)/\(other)", for: user)
    }

    @Test func aCopyIsTheUsersAloneAndReplacesNothing() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }  // Nothing is lost if it stays behind.
        #expect(try copy("nothing") == false)
        #expect(try copy())
        #expect(try DurableFile.read(folder + "/copy", limit: 9) == [1, 2, 3])
        #expect(try FileStatus.of(folder + "/copy")?.mode == 0o400)
        #expect(throws: SystemError.self) { try copy() }
    }

    @Test func neitherALinkNorASecondNameNorAnothersFileIsCopied() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }  // Nothing is lost if it stays behind.
        try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: folder + "/file")
        #expect(throws: SystemError.self) { try copy("link") }
        #expect(throws: SystemError.self) { try copy(owner: user + 1) }
        try FileManager.default.linkItem(atPath: folder + "/file", toPath: folder + "/second")
        #expect(throws: SystemError.self) { try copy() }
        #expect(try FileStatus.of(folder + "/copy") == nil)
    }

    @Test func theRoomOfAFileSystemIsRead() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }  // Nothing is lost if it stays behind.
        let room = try FileSystemRoom.of(folder)
        #expect(!room.isReadOnly && room.free > 0)
        try FileSystemRoom.checkWritable(folder)
        try FileSystemRoom.checkWritable(folder + "/nothing")
    }
}
