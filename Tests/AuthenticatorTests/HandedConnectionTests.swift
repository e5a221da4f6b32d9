import BrokerProtocol
import Foundation
import Glibc
import Platform
import TestSupport
import Testing
import Varlink

@testable import Authenticator

/// A client that got its connection from another process goes on over one that it has alone (attacker 4: that process has kept a copy).
@Suite struct HandedConnectionTests {
    /// The copy gets the end, and not a byte before it. It cannot answer either.
    @Test func theConversationGoesOnOverTheClientsOwnConnection() throws {
        let fixture = try Fixture()
        let connection = try connect(fixture)
        let copy = Self.duplicate(connection.number)
        var client = try begin(over: connection)
        var bytes = [UInt8](repeating: 0, count: 100)
        let withoutWaiting: Int32 = 0x40  // MSG_DONTWAIT
        #expect(try copy.waitToRead(until: .now + patience))
        #expect(unsafe recv(copy.number, &bytes, bytes.count, withoutWaiting) == 0)
        #expect(try client.receive(TestClient.Step.self).message?.text.hasPrefix("Read \"") == true)
        #expect(try client.go().message?.style == .secret)
        #expect(try client.go(Fixture.password).isDone)
        #expect(eventually { fixture.conversations.isEmpty })
        #expect(fixture.broker.calls.contains("Complete"))
    }

    /// The prompt closes when the agent goes, whatever the caller has kept.
    @Test func itsEndEndsTheConversation() throws {
        let fixture = try Fixture()
        let connection = try connect(fixture)
        let copy = Self.duplicate(connection.number)
        do {
            var client = try begin(over: connection)
            #expect(try client.receive(TestClient.Step.self).message != nil)
        }
        #expect(eventually { fixture.conversations.isEmpty })
        #expect(!fixture.broker.calls.contains("Complete"))
        #expect(copy.number >= 0)
    }

    @Test func aCallerThatHasBegunAlreadyEndsItsConversation() throws {
        let fixture = try Fixture()
        let connection = try connect(fixture)
        let copy = Self.duplicate(connection.number)
        var caller = TestClient(adopting: UnixSocket(adopting: Self.duplicate(copy.number)))
        #expect(try caller.begin().message != nil)
        #expect(try caller.go().message?.style == .secret)
        var client = try begin(over: connection)
        #expect(try client.receive(TestClient.Step.self).name == .authenticationInvalidArgument)
        #expect(eventually { fixture.conversations.isEmpty })
        #expect(!fixture.broker.calls.contains("Complete"))
    }

    /// A file, a connection of another kind, or none.
    @Test func onlyAUnixSocketIsTaken() throws {
        let file = try Descriptor.open("/dev/null", O_RDWR)
        let network = Descriptor(adopting: socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        for passed in [file.number, network.number, nil] {
            let fixture = try Fixture()
            let connection = try connect(fixture)
            try Self.send(.init(challenge: "c", channel: 0), passing: passed, over: connection)
            var client = TestClient(adopting: connection)
            #expect(try client.receive(TestClient.Step.self).name == .authenticationInvalidArgument)
            #expect(eventually { fixture.conversations.isEmpty })
            #expect(fixture.broker.calls.isEmpty)
        }
    }

    @Test func itHasToBeTheFirstDescriptor() throws {
        let fixture = try Fixture()
        let connection = try connect(fixture)
        var other: Descriptor?
        let own = try UnixSocket(pairedWith: &other)
        try Self.send(.init(challenge: "c", channel: 1), passing: other?.number, over: connection)
        var client = TestClient(adopting: connection)
        #expect(try client.receive(TestClient.Step.self).name == .authenticationInvalidArgument)
        _ = own.number
    }

    @Test(.enabled(if: geteuid() == 0, "only root can become other users"))
    func anotherUsersConnectionIsRefused() throws {
        let fixture = try Fixture()
        let path = fixture.path + "/other.sock"
        let listener = try UnixListener(path: path, mode: 0o666)
        let stranger = try Subprocess(
            "/usr/bin/setpriv",
            [
                "--reuid", "65533", "--regid", "65533", "--clear-groups", "perl", "-MIO::Socket::UNIX", "-e",
                "my $s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or die; <STDIN>", path,
            ]
        ) { $0.input = .pipe }
        defer {
            stranger.closeInput()
            // `try?`: it ends with its input, and the wait has a limit.
            _ = try? stranger.finish()
        }
        let theirs = try listener.accept()
        let connection = try connect(fixture)
        try Self.send(.init(challenge: "c", channel: 0), passing: theirs.number, over: connection)
        var client = TestClient(adopting: connection)
        #expect(try client.receive(TestClient.Step.self).name == .authenticationInvalidArgument)
        #expect(fixture.broker.calls.isEmpty)
    }

    // MARK: The agent's part

    private func connect(_ fixture: Fixture) throws -> UnixSocket {
        try UnixSocket(connectingTo: fixture.path + "/auth.sock", until: .now + patience)
    }

    private static func duplicate(_ number: Int32) -> Descriptor {
        Descriptor(adopting: fcntl(number, F_DUPFD_CLOEXEC, 0))
    }

    private func begin(over connection: borrowing UnixSocket) throws -> TestClient {
        var other: Descriptor?
        let own = try UnixSocket(pairedWith: &other)
        try Self.send(.init(challenge: UUID().uuidString, channel: 0), passing: other?.number, over: connection)
        return TestClient(adopting: own)
    }

    private static func send(
        _ begin: BrokerProtocol.Authentication.Begin, passing number: Int32?, over connection: borrowing UnixSocket
    ) throws {
        let bytes = Varlink.encode(VarlinkCall(begin))
        guard let number else { return try connection.send(bytes, until: .now + patience) }
        try connection.send(bytes, passing: number, until: .now + patience)
    }
}
