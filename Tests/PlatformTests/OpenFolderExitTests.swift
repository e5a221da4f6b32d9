import Glibc
import Platform
import Testing

/// Files that the disk has no room for. The limit is of the whole process.
@Suite(.serialized) struct OpenFolderExitTests {
    /// From here on, no file of this process grows beyond so many bytes, as if the disk were full.
    private static func limitFiles(to size: UInt) {
        // Otherwise the signal ends the process, and the call does not fail.
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { exit(99) }
        limit.rlim_cur = min(rlim_t(size), limit.rlim_max)
        guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { exit(98) }
    }

    @Test func aWriteThatTheDiskRefusesLeavesTheFormerFileAndNothingElse() async throws {
        let temporary = try TemporaryFolder()
        let path = temporary.path
        try DurableFile.write([1], to: path + "/f", mode: 0o600)
        await #expect(processExitsWith: .success) { [path = path as String] in
            let folder = try OpenFolder(path)
            Self.limitFiles(to: 4096)
            do throws(SystemError) {
                _ = try folder.replace("f", with: [UInt8](repeating: 7, count: 10_000), mode: 0o600, former: nil)
                exit(1)
            } catch { guard error.errno == EFBIG else { exit(2) } }
            do throws(SystemError) {
                try MemoryFolder.write([UInt8](repeating: 7, count: 10_000), to: path + "/secret")
                exit(3)
            } catch { guard error.errno == EFBIG else { exit(4) } }
        }
        #expect(try DurableFile.read(path + "/f", limit: 9) == [1])
        #expect(try FileStatus.of(path + "/.f.writing") == nil)
        #expect(try FileStatus.of(path + "/secret") == nil)
    }
}
