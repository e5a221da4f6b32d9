import Glibc
import TestSupport
import Testing

@testable import Broker
@testable import Platform

/// Who made a connection, if another process has since got the number of the process that made it.
struct PeerTests {
    /// No kernel has an option of this number. It stands for a kernel before Linux 6.5.
    private static let noOption: Int32 = 9999

    private static var kernelHasHandles: Bool {
        get throws {
            let folder = try TemporaryFolder()
            let listener = try UnixListener(path: folder.path + "/s", mode: 0o600)
            let client = try UnixSocket(connectingTo: folder.path + "/s")
            _ = try listener.accept()
            // The real kernel answers. The test is about what the broker makes of the answer.
            var handle: Int32 = -1
            var size = socklen_t(MemoryLayout<Int32>.size)
            guard unsafe getsockopt(client.number, SOL_SOCKET, PeerHandle.option, &handle, &size) == 0 else {
                return false
            }
            _ = Descriptor(adopting: handle)
            return true
        }
    }

    @Test("the peer is named the same with the kernel's handle and without")
    func alive() throws {
        let folder = try TemporaryFolder()
        let listener = try UnixListener(path: folder.path + "/s", mode: 0o600)
        let client = try UnixSocket(connectingTo: folder.path + "/s")
        let server = UnixSocket(adopting: try listener.accept())
        for option in [PeerHandle.option, Self.noOption] {
            let held = try server.peer().hold(ofSocket: server.number, option: option)
            #expect(held.identity == (try ProcessIdentity.current()))
            try held.check()
        }
        _ = consume client
    }

    @Test("whoever has got the number of a process that connected and ended is not taken for it")
    func reused() throws {
        guard NumberThief.isPossible, try Self.kernelHasHandles else { return }
        let folder = try TemporaryFolder()
        let listener = try UnixListener(path: folder.path + "/s", mode: 0o600)
        let thief = try NumberThief(connectingTo: folder.path + "/s")
        guard thief.said == "taken" else { return }
        let server = UnixSocket(adopting: try listener.accept())
        let peer = try server.peer()
        #expect(throws: SystemError.self) { _ = try peer.hold(ofSocket: server.number).identity }
        // What remains if the kernel gives no handle (docs/threat-model.md).
        #expect(try peer.hold(ofSocket: server.number, option: Self.noOption).identity.pid == peer.pid)
        _ = consume thief
    }

    @Test("where the kernel has handles and none for this peer, nobody is taken for it")
    func none() throws {
        for error in [ENODATA, EINVAL, ESRCH, EMFILE, EBADF] { #expect(!PeerHandle.isMissing(errno: error)) }
        #expect(PeerHandle.isMissing(errno: ENOPROTOOPT))
        guard try Self.kernelHasHandles else { return }
        // Connected to nobody, so there is no process. The number is one that exists.
        let lone = Descriptor(adopting: socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0))
        let peer = try PeerCredentials(uid: getuid(), gid: getgid(), pid: getpid())
        #expect(throws: SystemError.self) { _ = try peer.hold(ofSocket: lone.number).identity }
    }

    @Test("a process that has ended is nobody")
    func gone() throws {
        let sleeper = try Subprocess("/bin/sleep", ["600"])
        let process = sleeper.pid
        let held = try HeldProcess(observing: process)
        try held.check()
        try sleeper.end()
        var hasEnded = false
        do throws(SystemError) { try held.check() } catch { hasEnded = true }
        #expect(hasEnded)
        #expect(throws: SystemError.self) { _ = try HeldProcess(observing: process) }
    }

    @Test("the broker takes the kernel's handle, and does without where there is none", .timeLimit(.minutes(5)))
    func broker() throws {
        let current = try ProcessIdentity.current()
        for option in [PeerHandle.option, Self.noOption] {
            let answer = try ask(option) { path in try UnixSocket(connectingTo: path) }
            let peer = try answer.get()
            #expect(peer.uid == geteuid() && peer.process == current, "\(option)")
        }
        guard NumberThief.isPossible, try Self.kernelHasHandles else { return }
        var word = ""
        let answer = try ask(PeerHandle.option) { path in
            let thief = try NumberThief(connectingTo: path)
            word = thief.said
            return thief
        }
        guard word == "taken" else { return }
        #expect(throws: SystemError.self) { try answer.get() }
    }

    /// What the broker learns about a client that connects. It asks when that is done.
    private func ask<Held: ~Copyable>(
        _ option: Int32, _ connect: (String) throws -> Held
    ) throws -> Result<Peer, any Error> {
        let folder = try TemporaryFolder()
        let listener = try UnixListener(path: folder.path + "/s", mode: 0o600)
        let held = try connect(folder.path + "/s")
        let server = try listener.accept()
        let result = Result { try Peer(ofSocket: server.number, handleOption: option) }
        _ = consume held
        return result
    }
}
