import Glibc
import Platform
import Testing

/// Files and sockets in places where others can put things, and what started programs must not inherit.
@Suite struct ConfinementTests {
    @Test func whatIsWrittenGoesNowhereElse() throws {
        let folder = try TemporaryFolder()
        let (path, elsewhere) = (folder.path + "/f", folder.path + "/elsewhere")
        try DurableFile.write([9], to: elsewhere, mode: 0o600)
        // An attacker expects the file to be written, or its name to be taken.
        #expect(unsafe symlink(elsewhere, path + ".writing") == 0)
        #expect(unsafe symlink(elsewhere, path) == 0)
        try DurableFile.write([1, 2], to: path, mode: 0o640)
        #expect(try DurableFile.read(elsewhere, limit: 9) == [9])
        #expect(try DurableFile.read(path, limit: 9) == [1, 2])
        #expect(try FileStatus.of(path)?.mode == 0o640)
        for link in ["lock", "shared", "log"] { #expect(unsafe symlink(elsewhere, "\(folder.path)/\(link)") == 0) }
        #expect(throws: SystemError.self) { _ = try FileLock(path: folder.path + "/lock") }
        #expect(throws: SystemError.self) { _ = try FileLock(unlessHeld: folder.path + "/lock") }
        #expect(throws: SystemError.self) { _ = try SharedLock(path: folder.path + "/shared", place: 1) }
        #expect(throws: SystemError.self) { _ = try AppendFile(path: folder.path + "/log") }
        #expect(throws: SystemError.self) { _ = try AppendFile(path: folder.path + "/none") }
    }

    /// A file that somebody made meanwhile stays, and so does what else is in the folder.
    @Test func aFileThatIsMadeReplacesNothing() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/f"
        try DurableFile.write([9], to: path + ".writing", mode: 0o600)
        try DurableFile.create([1, 2], at: path, mode: 0o640)
        #expect(try DurableFile.read(path, limit: 9) == [1, 2])
        #expect(try FileStatus.of(path)?.mode == 0o640)
        let error = #expect(throws: SystemError.self) { try DurableFile.create([3], at: path, mode: 0o600) }
        #expect(error?.errno == EEXIST)
        #expect(try DurableFile.read(path, limit: 9) == [1, 2])
        #expect(unsafe symlink(folder.path + "/nowhere", folder.path + "/link") == 0)
        #expect(throws: SystemError.self) { try DurableFile.create([3], at: folder.path + "/link", mode: 0o600) }
        #expect(try DurableFile.read(path + ".writing", limit: 9) == [9])
        // Nothing of a failed attempt is left behind.
        #expect(try ConfinedFolder(path: folder.path).names().sorted() == ["f", "f.writing", "link"])
    }

    @Test func aFolderIsCheckedBeforeItIsUsed() throws {
        let folder = try TemporaryFolder()
        try DurableFile.checkFolder(of: folder.path + "/f")
        try DurableFile.checkFolder(of: folder.path + "/\u{301}f")
        #expect(throws: SystemError.self) { try DurableFile.checkFolder(of: folder.path + "/missing/\u{301}f") }
        try DurableFile.write([9], to: folder.path + "/file", mode: 0o600)
        for path in ["/none/f", "/file/f"] {
            #expect(throws: SystemError.self) { try DurableFile.checkFolder(of: folder.path + path) }
        }
    }

    /// An attacker who owns the folder above exchanges the folder that root has just made.
    @Test func onlyAnEmptyFolderOfItsOwnIsGivenAway() throws {
        let folder = try TemporaryFolder()
        let confined = try ConfinedFolder(path: folder.path)
        for name in ["made", "full", "theirs"] { #expect(try confined.makeFolder(name)) }
        try DurableFile.write([1], to: folder.path + "/full/secret", mode: 0o600)
        let full = #expect(throws: SystemError.self) { try confined.folder("full").give(to: 65_533) }
        #expect(full?.errno == ENOTEMPTY)
        #expect(try confined.entry("full")?.uid == geteuid())
        guard geteuid() == 0 else { return }
        try confined.folder("made").give(to: 65_533)
        #expect(try confined.entry("made")?.uid == 65_533)
        #expect(unsafe chown(folder.path + "/theirs", 65_532, gid_t.max) == 0)
        let theirs = #expect(throws: SystemError.self) { try confined.folder("theirs").give(to: 65_533) }
        #expect(theirs?.errno == EPERM)
        #expect(try confined.entry("theirs")?.uid == 65_532)
    }

    @Test func aLogKnowsWhatOthersDoToIt() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/log"
        try DurableFile.write([1], to: path, mode: 0o600)
        let file = try AppendFile(path: path)
        try file.append([2, 3], to: 1)
        #expect(try file.size() == 3)
        let other = try Descriptor.open(path, O_WRONLY | O_APPEND)
        #expect(unsafe write(other.number, [4] as [UInt8], 1) == 1)
        #expect(try file.size() == 4)
        try file.append([5], to: 4)
        #expect(try DurableFile.read(path, limit: 9) == [1, 2, 3, 4, 5])
        try file.cut(to: 2)
        #expect(try DurableFile.read(path, limit: 9) == [1, 2])
        try FileRemoval.remove(path)
        #expect(try file.size() == nil)
        try FileRemoval.remove(path)
    }

    private func isFree(_ path: String) throws -> Bool {
        if let lock = try FileLock(unlessHeld: path) {
            lock.keep()
            return true
        }
        return false
    }

    @Test func aLockIsOneHoldersAtATime() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/lock"
        do {
            let first = try FileLock(path: path)
            #expect(try !isFree(path))
            #expect(try FileStatus.of(path)?.mode == 0o600)
            first.keep()
        }
        #expect(try isFree(path))
        if let second = try FileLock(unlessHeld: path) {
            #expect(try !isFree(path))
            second.keep()
        } else {
            Issue.record("nobody holds the lock, and it is not given")
        }
        #expect(try isFree(path))
        let one = try SharedLock(path: folder.path + "/places", place: 1)
        let same = try SharedLock(path: folder.path + "/places", place: 1)
        #expect(try !one.isHeldElsewhere() && !same.isHeldElsewhere())
        do {
            let other = try SharedLock(path: folder.path + "/places", place: 2)
            #expect(try one.isHeldElsewhere() && other.isHeldElsewhere())
        }
        #expect(try !one.isHeldElsewhere())
    }

    @Test func aPrivateFolderIsItsOwnersAloneAndGoes() throws {
        let folder = try TemporaryFolder()
        let path: String
        do {
            let own = try PrivateFolder(in: folder.path, prefix: "own")
            path = own.path
            try DurableFile.write([1], to: own.path + "/f", mode: 0o644)
            #expect(try FileStatus.of(path)?.mode == 0o700)
            #expect(try Folder.entries(own.path) == ["f"])
        }
        #expect(try FileStatus.of(path) == nil)
        #expect(throws: SystemError.self) { try Folder.make(folder.path + "/no/such", mode: 0o700) }
    }

    /// Programs that PAM's modules or the command line start inherit none of these descriptors.
    @Test func noDescriptorGoesToAnotherProgram() throws {
        let folder = try TemporaryFolder()
        func isKept(_ number: Int32) -> Bool { fcntl(number, F_GETFD) & FD_CLOEXEC != 0 }
        let listener = try UnixListener(path: folder.path + "/s", mode: 0o600)
        let client = try UnixSocket(connectingTo: folder.path + "/s")
        let server = try listener.accept()
        let file = try Descriptor.open("/dev/null", O_RDONLY)
        #expect(isKept(listener.number) && isKept(client.number) && isKept(server.number) && isKept(file.number))
        let adopted = try OwnProcess.adopt(dup(file.number))
        #expect(isKept(adopted.number))
    }

    /// A client that closes its connection must not end the server, nor a server its client, no matter how the process
    /// handles signals.
    @Test func writingToWhoHasGoneIsAnErrorAndNoSignal() throws {
        let folder = try TemporaryFolder()
        let listener = try UnixListener(path: folder.path + "/s", mode: 0o600)
        let client = try UnixSocket(connectingTo: folder.path + "/s")
        do { _ = try listener.accept() }
        // Blocked in this thread, so that a signal stays pending and can be seen.
        var (pipe, before, pending) = (sigset_t(), sigset_t(), sigset_t())
        unsafe sigemptyset(&pipe)
        unsafe sigaddset(&pipe, SIGPIPE)
        unsafe pthread_sigmask(SIG_BLOCK, &pipe, &before)
        #expect(throws: SystemError.self) { try client.send([1]) }
        unsafe sigpending(&pending)
        let came = unsafe sigismember(&pending, SIGPIPE) == 1
        if came {
            var number: Int32 = 0
            unsafe sigwait(&pipe, &number)
        }
        unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
        #expect(!came)
        let isClosed = client.peerHasClosed()
        #expect(isClosed)
    }

    @Test func whoTheKernelCannotNameIsNobody() throws {
        for (uid, pid) in [(PeerCredentials.unknownUser, 1), (.max, 1), (1000, 0), (1000, -1)] as [(UInt32, Int32)] {
            #expect(throws: SystemError.self) { try PeerCredentials(uid: uid, gid: 0, pid: pid) }
        }
        #expect(try PeerCredentials(uid: 65533, gid: 0, pid: 1).uid == 65533)
    }

    /// A process chooses its own name. It must not be able to choose its session, terminal or start time that way.
    @Test func aProcessesNameIsNoMoreThanThat() throws {
        let name = "a) S 1 1 1 ("
        // This process's first thread, which `/proc/PID/stat` shows. The process may write the file with its name.
        let path = "/proc/self/task/\(getpid())/comm"
        let old = try DurableFile.read(path, limit: 64)
        func rename(_ bytes: [UInt8]) throws {
            let file = try Descriptor.open(path, O_WRONLY)
            #expect(unsafe write(file.number, bytes, bytes.count) == bytes.count)
        }
        let real = try ProcessStat(pid: getpid())
        try rename(Array(name.utf8))
        let stat = try ProcessStat(pid: getpid())
        try rename(old)
        #expect(stat.command == name)
        #expect(stat.session == getsid(0) && stat.startTime == real.startTime && stat.terminal == real.terminal)
    }

    @Test func bytesAreWipedWhereTheyLieAlsoForOthersWhoHoldThem() {
        let bytes = (1...64).map { UInt8($0) }
        let other = bytes
        Wipe.storage(of: bytes[8..<16])
        #expect(other[..<8] == [1, 2, 3, 4, 5, 6, 7, 8] && other[8..<16].allSatisfy { $0 == 0 } && other[16] == 17)
        Wipe.storage(of: bytes)
        #expect(other.allSatisfy { $0 == 0 } && other.count == 64)
        Wipe.storage(of: [UInt8]())
        var own: [UInt8] = [1, 2, 3]
        let copy = own
        Wipe.bytes(&own)
        #expect(own == [0, 0, 0] && copy == [1, 2, 3])
    }
}
