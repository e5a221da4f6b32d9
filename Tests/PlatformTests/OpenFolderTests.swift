import Glibc
import Platform
import Testing

/// Files that are replaced and locked by their names in an open folder.
@Suite struct OpenFolderTests {
    /// Readers take a file of the same time for the one that they know. The time before may be ahead of the clock, and the
    /// last of a second.
    @Test func aNewFileIsLaterThanTheOneBefore() throws {
        let temporary = try TemporaryFolder()
        let path = temporary.path + "/f"
        let folder = try OpenFolder(temporary.path)
        for nanoseconds in [5, 999_999_998, 999_999_999] {
            try DurableFile.write([1], to: path, mode: 0o600)
            let time = timespec(tv_sec: 2_000_000_000, tv_nsec: nanoseconds)
            #expect(unsafe utimensat(AT_FDCWD, path, [time, time], 0) == 0)
            let former = try #require(try FileStatus.of(path))
            #expect(former.changed.seconds == 2_000_000_000)
            let new = try folder.replace("f", with: [2], mode: 0o640, former: former)
            #expect(new.changed > former.changed && new.mode == 0o640)
            #expect(try FileStatus.of(path) == new)
            #expect(try DurableFile.read(path, limit: 9) == [2])
        }
    }

    /// Half of a file with secrets is not left behind.
    @Test func aReplacementThatFailsLeavesNothing() throws {
        let temporary = try TemporaryFolder()
        let folder = try OpenFolder(temporary.path)
        // No file replaces a folder.
        #expect(unsafe mkdir(temporary.path + "/f", 0o700) == 0)
        let error = #expect(throws: SystemError.self) {
            _ = try folder.replace("f", with: [1, 2], mode: 0o600, former: nil)
        }
        #expect(error?.errno == EISDIR)
        #expect(try FileStatus.of(temporary.path + "/.f.writing") == nil)
        #expect(unsafe rmdir(temporary.path + "/f") == 0)
        _ = try folder.replace("f", with: [1, 2], mode: 0o600, former: nil)
        #expect(try DurableFile.read(temporary.path + "/f", limit: 9) == [1, 2])
        #expect(try FileStatus.of(temporary.path + "/.f.writing") == nil)
    }

    /// A lock on a pipe is no lock on the file that others lock.
    @Test func aLockIsAPlainFileAndHasItsMode() throws {
        let temporary = try TemporaryFolder()
        let folder = try OpenFolder(temporary.path)
        if let lock = try FileLock(unlessHeld: "lock", in: folder, mode: 0o660) {
            #expect(try FileStatus.of(temporary.path + "/lock")?.mode == 0o660)
            lock.keep()
        } else {
            Issue.record("nobody holds the lock, and it is not given")
        }
        #expect(unsafe mkfifo(temporary.path + "/pipe", 0o600) == 0)
        #expect(throws: SystemError.self) { _ = try FileLock(unlessHeld: "pipe", in: folder, mode: 0o600) }
        #expect(unsafe symlink(temporary.path + "/lock", temporary.path + "/link") == 0)
        #expect(throws: SystemError.self) { _ = try FileLock(unlessHeld: "link", in: folder, mode: 0o600) }
    }
}
