import BrokerProtocol
import Foundation
import Glibc
import Platform
import RootConfiguration
import TestSupport
import Testing
import Varlink

@testable import Authenticator

/// One user's conversations leave room for everybody else's, no matter what starts the processes.
@Suite("Conversations are counted for each user")
struct ConversationLimitTests {
    /// What starts the conversations' processes.
    enum Starter: CaseIterable { case server, activatedServer, serviceManager }

    /// nil: the fixture's own server.
    private func activated(_ starter: Starter, _ fixture: Fixture) throws -> ActivatedConversations? {
        switch starter {
        case .server: nil
        case .activatedServer: try ActivatedConversations(fixture, .listening)
        case .serviceManager: try ActivatedConversations(fixture, .accepted)
        }
    }

    /// Calls as another user, and returns the answer.
    private static func answer(for uid: UInt32, at socket: String) throws -> String {
        let program = """
            import socket, sys
            s = socket.socket(socket.AF_UNIX); s.settimeout(120); s.connect(sys.argv[1])
            try: s.sendall(b'{"method":"org.varlink.service.GetInfo"}\\0')
            except OSError: pass
            print(s.recv(65536).rstrip(b"\\0").decode())
            """
        return try Command(
            [
                "setpriv", "--reuid=\(uid)", "--regid=\(uid)", "--clear-groups", "/usr/bin/python3", "-c", program,
                socket,
            ]
        ).output
    }

    @Test(.enabled(if: geteuid() == 0, "only root can become other users"), arguments: Starter.allCases)
    func oneUserLeavesRoomForOthers(starter: Starter) throws {
        let fixture = try Fixture(.init(settings: "prompt-timeout = 600"))
        let activated = try activated(starter, fixture)
        let socket = activated?.socket ?? "\(fixture.path)/auth.sock"
        let conversations = { activated?.conversations ?? fixture.conversations }
        let accounts = try ThrowAwayAccounts(1)
        let held = try HeldConversations(socket, 32)
        // If something counts beforehand, a refused connection gets no process.
        for _ in 0..<(starter == .serviceManager ? 8 : 1000) {
            var next = try TestClient(socket)
            #expect(try next.receive(Nothing.self).name == .authenticationLimitExceeded)
            #expect(try next.seesEnd())
            if starter != .serviceManager { #expect(conversations().count == 32) }
        }
        // The refused ones are gone, although nobody has hung up on them.
        #expect(eventually { conversations().count == 32 })
        let answer = try Self.answer(for: accounts.uids[0], at: socket)
        #expect(answer.contains("coffer-authenticator"), "\(answer)")

        // A place is free again when its process ends, no matter how it ends.
        kill(try #require(conversations().first), SIGKILL)
        #expect(eventually { conversations().count < 32 })
        var next = try TestClient(socket)
        #expect(try next.begin().message != nil)
        held.keep()
    }

    @Test(.enabled(if: geteuid() == 0, "only root can become other users"), arguments: Starter.allCases)
    func aUserWhomNobodyKnowsGetsNoConversation(starter: Starter) throws {
        let fixture = try Fixture()
        let activated = try activated(starter, fixture)
        let answer = try Self.answer(for: 4_100_000, at: activated?.socket ?? "\(fixture.path)/auth.sock")
        #expect(answer.contains("Authentication.Failed") && answer.contains("no account has uid 4100000"), "\(answer)")
    }

    @Test func manyUsersLeaveRoomForTheNextOne() throws {
        let folder = try TemporaryFolder()
        var configuration = Configuration()
        configuration.authSocket = folder.path + "/auth.sock"
        let limits = ConversationPlaces(configuration)
        func peer(_ uid: UInt32) throws -> PeerCredentials { try PeerCredentials(uid: uid, gid: uid, pid: 4711) }
        // Accounts that exist on every machine.
        var held: [Held] = []
        for uid in UInt32(1)...6 {
            for _ in 0..<32 { held.append(Held(try limits.admit(peer(uid)))) }
            #expect(throws: ConversationError.refused(ConversationPlaces.tooMany)) { _ = try limits.admit(peer(uid)) }
        }
        #expect(held.count == Int(ConversationLimits.total - ConversationLimits.kept))
        for _ in 0..<2 { held.append(Held(try limits.admit(peer(7)))) }
        let refusal = #expect(throws: ConversationError.self) { _ = try limits.admit(peer(7)) }
        #expect(refusal?.fault?.name == .authenticationLimitExceeded)
        #expect(refusal?.fault?.details.message?.contains("all users together") == true)
        held.append(Held(try limits.admit(peer(8))))
        held.removeFirst(32)
        held.append(Held(try limits.admit(peer(7))))
    }

    @Test func aUserHasSoManyPrograms() throws {
        let folder = try TemporaryFolder()
        var configuration = Configuration()
        configuration.authSocket = folder.path + "/auth.sock"
        configuration.authenticationsPerUser = 3
        let limits = ConversationPlaces(configuration)
        func admit(_ pid: Int32) throws -> Held {
            Held(try limits.admit(try PeerCredentials(uid: 1, gid: 1, pid: pid)))
        }
        var held: [Held] = []
        for pid: Int32 in [1, 2, 4_194_304, 2, 1, 4_194_304] { held.append(try admit(pid)) }
        #expect(throws: ConversationError.refused(ConversationPlaces.tooMany)) { _ = try admit(3) }
        // The second program's first conversation ends, then its other one.
        held.remove(at: 1)
        #expect(throws: ConversationError.refused(ConversationPlaces.tooMany)) { _ = try admit(3) }
        held.remove(at: 2)
        held.append(try admit(3))
    }

    /// A place, held as long as the value.
    private final class Held {
        private let places: PlaceLocks
        init(_ places: consuming PlaceLocks) { self.places = places }
    }
}

/// Conversations that one program has begun and then leaves alone.
private final class HeldConversations {
    private var sockets: [UnixConnection] = []

    init(_ path: String, _ count: Int) throws {
        for _ in 0..<count { sockets.append(try UnixConnection(path)) }
    }

    func keep() {}

    private final class UnixConnection {
        private var client: TestClient
        init(_ path: String) throws {
            client = try TestClient(path)
            guard try client.begin().message != nil else {
                throw SystemError("begin a conversation", reason: "nothing is asked")
            }
        }
    }
}
