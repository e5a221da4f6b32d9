import Foundation
import Platform
import Testing

@Suite struct ProcessTests {
    @Test func aProcessThatIsGoneIsNotFound() throws {
        let process = try Subprocess("/bin/true")
        #expect(try process.wait(until: nil) == 0)
        let pid = process.pid
        #expect(throws: SystemError.self) { try ProcessIdentity(observing: pid) }
    }

    @Test func ofTwoProcessesTheLaterStartedLater() throws {
        let own = try ProcessIdentity(observing: getpid())
        let first = try ProcessIdentity(observing: 1)
        #expect(own != first)
        #expect(own.startTime >= first.startTime)
    }

    @Test func accountsComeFromTheNameService() throws {
        #expect(try Account.withUID(0)?.name == "root")
        #expect(try Account.named("root")?.uid == 0)
        #expect(try Account.withUID(3_999_999_999) == nil)
        #expect(try Account.named("no such account") == nil)
    }
}

@Suite struct DurableFileTests {
    @Test func aFileHasItsContentAndModeWhateverTheMask() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/f"
        try DurableFile.write([1, 2, 3], to: path, mode: 0o644)
        try DurableFile.write([4], to: path, mode: 0o644)
        #expect(try DurableFile.read(path, limit: 1) == [4])
        #expect(try FileStatus.of(path)?.mode == 0o644)
        #expect(try FileStatus.of(path + ".writing") == nil)
        #expect(throws: SystemError.self) { try DurableFile.read(path, limit: 0) }
    }

    @Test func aLinkIsNotFollowed() throws {
        let folder = try TemporaryFolder()
        try DurableFile.write([1], to: folder.path + "/f", mode: 0o600)
        #expect(unsafe symlink(folder.path + "/f", folder.path + "/link") == 0)
        #expect(throws: SystemError.self) { try DurableFile.read(folder.path + "/link", limit: 9) }
        #expect(try FileStatus.of(folder.path + "/link")?.isSymbolicLink == true)
    }
}
