import Glibc
import Platform
import Testing

/// A folder that goes with the test.
final class TemporaryFolder {
    let path: String

    init() throws {
        var template = Array("/tmp/coffer-platform-XXXXXX".utf8CString)
        guard let name = unsafe mkdtemp(&template) else { throw SystemError("make a temporary folder", errno: errno) }
        path = unsafe String(cString: name)
    }

    deinit {
        // What a test leaves behind has no subfolders.
        if let folder = unsafe opendir(path) {
            while let entry = unsafe readdir(folder) {
                let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                    unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
                }
                unsafe unlink("\(path)/\(name)")
            }
            unsafe closedir(folder)
        }
        unsafe rmdir(path)
    }
}

@Suite struct UnixSocketTests {
    @Test func whatDoesNotFitIsLeftToTheSender() throws {
        let folder = try TemporaryFolder()
        let listener = try UnixListener(path: folder.path + "/s", mode: 0o600)
        var client = try UnixSocket(connectingTo: folder.path + "/s")
        let server = try listener.accept()
        let sender = try SocketSender(of: server)
        let message = [UInt8](repeating: 7, count: 4 << 20)
        let count = try sender.send(message)
        #expect(count > 0 && count < message.count)
        #expect(try sender.send(message) == 0)
        sender.shutDown()
        #expect(throws: SystemError.self) { try sender.send(message) }
        let hasClosed = client.peerHasClosed()
        #expect(hasClosed)
        // What was sent before arrives.
        #expect(throws: SystemError.self) { try client.receiveMessage(limit: count - 1) }
    }

    @Test func messagesArriveWholeAndInOrder() throws {
        let folder = try TemporaryFolder()
        let listener = try UnixListener(path: folder.path + "/s", mode: 0o600)
        let client = try UnixSocket(connectingTo: folder.path + "/s")
        var server = UnixSocket(adopting: try listener.accept())
        try client.send(Array("one\0tw".utf8))
        #expect(try server.receiveMessage(limit: 10) == Array("one".utf8))
        try client.send(Array("o\0\0".utf8))
        #expect(try server.receiveMessage(limit: 10) == Array("two".utf8))
        #expect(try server.receiveMessage(limit: 10) == [])
        let early = server.peerHasClosed()
        #expect(!early)
        client.shutDown()
        #expect(try server.receiveMessage(limit: 10) == nil)
        let late = server.peerHasClosed()
        #expect(late)
    }

    @Test func aMessageHasALimitAndADeadline() throws {
        let folder = try TemporaryFolder()
        let listener = try UnixListener(path: folder.path + "/s", mode: 0o600)
        let client = try UnixSocket(connectingTo: folder.path + "/s")
        var server = UnixSocket(adopting: try listener.accept())
        let error = #expect(throws: SystemError.self) {
            try server.receiveMessage(limit: 10, until: .now + .milliseconds(20))
        }
        #expect(error?.errno == ETIMEDOUT)
        try client.send([UInt8](repeating: 65, count: 11))
        #expect(throws: SystemError.self) { try server.receiveMessage(limit: 10) }
    }

    @Test func theKernelNamesThePeer() throws {
        let folder = try TemporaryFolder()
        let listener = try UnixListener(path: folder.path + "/s", mode: 0o600)
        let client = try UnixSocket(connectingTo: folder.path + "/s")
        let server = UnixSocket(adopting: try listener.accept())
        let peer = try server.peer()
        #expect(peer.uid == getuid())
        #expect(peer.pid == getpid())
        #expect(try peer.hold(ofSocket: server.number).identity == ProcessIdentity(observing: getpid()))
        #expect(try client.peer().pid == getpid())
    }

    @Test func aDeadSocketIsReplacedALiveOneAndAFileAreNot() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/s"
        do { _ = try UnixListener(path: path, mode: 0o600) }
        let second = try UnixListener(path: path, mode: 0o666)
        #expect(try FileStatus.of(path)?.mode == 0o666)
        #expect(throws: SystemError.self) { _ = try UnixListener(path: path, mode: 0o600) }
        _ = consume second
        try DurableFile.write([1], to: folder.path + "/file", mode: 0o600)
        #expect(throws: SystemError.self) { _ = try UnixListener(path: folder.path + "/file", mode: 0o600) }
        #expect(try DurableFile.read(folder.path + "/file", limit: 1) == [1])
    }

    @Test func aPathThatDoesNotFitIsRefusedInWords() {
        let error = #expect(throws: SystemError.self) {
            _ = try UnixSocket(connectingTo: "/" + String(repeating: "x", count: 107))
        }
        #expect(error?.reason.contains("107") == true)
    }
}
