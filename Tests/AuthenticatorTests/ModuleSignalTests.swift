import Foundation
import Platform
import Synchronization
import TestSupport
import Testing

/// `pam_coffer` in a locker, with a service that goes while the module talks to it. SIGPIPE would end the locker, and so open the screen.
@Suite("pam_coffer and a service that goes", .serialized, .enabled(if: geteuid() == 0, "needs root"))
struct ModuleSignalTests {
    private static let challenge = #"""
        {"error":"org.coffer.Keychain.AuthenticationRequired","parameters":{"challenge":"c-1","purposes":["unlock"]}}
        """#
    private static let info = #"{"parameters":{"message":{"style":"info","text":"wants in"},"done":false}}"#
    private static let secret = #"{"parameters":{"message":{"style":"secret","text":"Password: "},"done":false}}"#
    private static let done = #"{"parameters":{"done":true}}"#

    /// A user's program behind a stack that has checked the password.
    private final class Locker {
        let fixture: Fixture
        private let service: SystemService

        init() throws {
            fixture = try Fixture()
            let path = fixture.path
            try Script.write(
                "#!/bin/sh\n[ \"$(tr -d '\\000')\" = '\(Fixture.password)' ]\n", to: "\(path)/locker-check")
            let module = "\(path)/pam_coffer.so"
            try FileManager.default.copyItem(atPath: LoginModule.built.get(), toPath: module)
            service = try SystemService(
                rules: """
                    auth required pam_exec.so expose_authtok quiet \(path)/locker-check
                    auth optional \(module) socket=\(path)/report.sock broker=\(path)/b.sock auth=\(path)/a.sock patience=99

                    """)
        }

        func open() throws -> Command {
            // The module hands on nothing but its own user's password.
            let person = try #require(try Account.withUID(2)).name
            return try Command(
                [
                    "/usr/bin/setpriv", "--reuid=2", "--regid=2", "--clear-groups", "/usr/bin/pamtester", service.name,
                    person, "authenticate",
                ], input: Fixture.password + "\n")
        }
    }

    /// Takes one call on each connection, takes nothing more from then on, and answers. So what is sent next always fails.
    private final class GoingSocket: Sendable {
        private let number: Int32
        private let asked = Mutex(0)

        init(path: String, answer: String) throws {
            number = try UnixListener(path: path, mode: 0o666).release()
            Thread { [self] in
                let listener = UnixListener(adopting: Descriptor(adopting: number))
                // Ends when the listening socket is shut down.
                while let accepted = try? listener.accept() { serve(UnixSocket(adopting: accepted), answer) }
            }.start()
        }

        private func serve(_ accepted: consuming UnixSocket, _ answer: String) {
            var connection = accepted
            // Any end of the connection ends its service.
            guard let call = (try? connection.receiveMessage(limit: 64 << 10, until: .now + patience)) ?? nil,
                !call.isEmpty
            else { return }
            connection.endReceiving()
            asked.withLock { $0 += 1 }
            // A locker that has gone on takes no answer.
            try? connection.send(Array(answer.utf8) + [0], until: .now + patience)
        }

        var calls: Int { asked.withLock { $0 } }

        func stop() { shutdown(number, Int32(SHUT_RDWR)) }
    }

    @Test func anAuthenticatorThatGoesEndsNoLocker() throws {
        let locker = try Locker()
        let path = locker.fixture.path
        let broker = try ScriptedSocket(path: "\(path)/b.sock", answers: [Self.challenge])
        let authenticator = try GoingSocket(path: "\(path)/a.sock", answer: Self.info)
        defer {
            broker.stop()
            authenticator.stop()
        }
        let opened = try locker.open()
        #expect(opened.code == 0, "\(opened.output)")
        #expect(broker.calls.count == 1 && authenticator.calls == 1)
    }

    @Test func aBrokerThatGoesEndsNoLocker() throws {
        let locker = try Locker()
        let path = locker.fixture.path
        let broker = try GoingSocket(path: "\(path)/b.sock", answer: Self.challenge)
        let authenticator = try ScriptedSocket(path: "\(path)/a.sock", answers: [Self.secret, Self.done])
        defer {
            broker.stop()
            authenticator.stop()
        }
        let opened = try locker.open()
        #expect(opened.code == 0, "\(opened.output)")
        #expect(broker.calls == 1 && authenticator.calls.count == 2)
    }
}
