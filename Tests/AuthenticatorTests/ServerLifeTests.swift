import BrokerProtocol
import Foundation
import Glibc
import Platform
import TestSupport
import Testing
import Varlink

/// The server over a longer time: its warnings, its turns, and what it leaves behind.
@Suite(.timeLimit(.minutes(30))) struct ServerLifeTests {
    /// A client, held as long as the value.
    private final class Held {
        private var client: TestClient

        init(_ fixture: Fixture) throws { client = try fixture.client() }

        func begin() throws -> Bool { try client.begin().message != nil }
        func ask() throws { try client.send(Varlink.encode(VarlinkCall(VarlinkService.GetInfo()))) }
        func isAnswered() throws -> Bool { try client.receive(VarlinkService.GetInfo.Reply.self).fault == nil }
        func isRefused() throws -> Bool {
            try client.receive(Nothing.self).name == .authenticationLimitExceeded
        }
    }

    private func warnings(_ fixture: Fixture) -> Int { fixture.log.ranges(of: "too many conversations").count }

    @Test func tooManyConversationsAreLoggedOnceUntilOneEnds() throws {
        let fixture = try Fixture(.init(settings: "prompt-timeout = 600"))
        #expect(fixture.log.contains("listening"))
        var held: [Held] = []
        func hold() throws {
            let next = try Held(fixture)
            let isAsked = try next.begin()
            #expect(isAsked)
            held.append(next)
        }
        for _ in 0..<32 { try hold() }
        for round in 1...2 {
            for _ in 0..<3 {
                let isRefused = try Held(fixture).isRefused()
                #expect(isRefused)
            }
            #expect(warnings(fixture) == round)
            held.removeLast()
            #expect(eventually { fixture.conversations.count == 31 })
            try hold()
        }
    }

    /// More than may begin at once. Those that are too fast wait, and each is answered.
    @Test func whoConnectsOnAndOnIsServedInTurn() throws {
        let fixture = try Fixture()
        for round in 0..<8 {
            try expectAnswers(30, fixture, round)
            // Their processes are gone before the next ones count.
            #expect(eventually { fixture.conversations.isEmpty })
        }
    }

    private func expectAnswers(_ count: Int, _ fixture: Fixture, _ round: Int) throws {
        let clients = try (0..<count).map { _ in try Held(fixture) }
        for client in clients { try client.ask() }
        for client in clients {
            let isAnswered = try client.isAnswered()
            #expect(isAnswered, "\(round)")
        }
    }

    /// A socket as the service manager's, which writes down what it is told.
    private static let manager = #"""
        import socket, sys
        s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.bind(sys.argv[1])
        log = open(sys.argv[2], "w")
        while True:
            text = s.recv(4096).decode(); log.write(text + "\n"); log.flush()
            if text.startswith("STOPPING"): break
        """#

    @Test func theServiceManagerIsToldOfBothEnds() throws {
        let folder = try TemporaryFolder()
        let (path, log) = (folder.path + "/notify", folder.path + "/log")
        let manager = try Subprocess("/usr/bin/python3", ["-c", Self.manager, path, log])
        // `try?`: what ended already is ended.
        defer { try? manager.end() }
        try #require(eventually { FileManager.default.fileExists(atPath: log) })
        // Without a file nothing was told.
        func told() -> [Substring] {
            // `try?`: nil for a log that is not there yet.
            ((try? String(contentsOfFile: log, encoding: .utf8)) ?? "").split(separator: "\n")
        }
        let fixture = try Fixture(.init(environment: ["NOTIFY_SOCKET": path]))
        #expect(eventually { told() == ["READY=1"] })
        fixture.terminate()
        #expect(fixture.waitForExit())
        #expect(try manager.finish() == 0)
        #expect(told() == ["READY=1", "STOPPING=1"])
    }

    @Test func bothSocketsGoWithTheServer() throws {
        let fixture = try Fixture()
        let paths = ["auth.sock", "report.sock"].map { "\(fixture.path)/\($0)" }
        for path in paths { #expect(FileManager.default.fileExists(atPath: path)) }
        fixture.terminate()
        #expect(fixture.waitForExit())
        for path in paths { #expect(!FileManager.default.fileExists(atPath: path), "\(path)") }
    }

    /// It has not made the sockets that the configuration names. Another server serves there.
    @Test func aServerOfTheServiceManagersRemovesNoSocket() throws {
        let fixture = try Fixture()
        do {
            let started = try ActivatedConversations(fixture, .listening)
            var client = try TestClient(started.socket)
            #expect(try client.begin().message != nil)
            #expect(try client.cancel() == .success(Nothing()))
            withExtendedLifetime(started) {}
        }
        for name in ["auth.sock", "report.sock"] {
            #expect(FileManager.default.fileExists(atPath: "\(fixture.path)/\(name)"), "\(name)")
        }
        var client = try fixture.client()
        #expect(try client.begin().message != nil)
    }

    @Test func aConversationThatHangsIsKilledWithTheServer() throws {
        let fixture = try Fixture()
        // The other one ends as it is told to.
        let held = [try Held(fixture), try Held(fixture)]
        for one in held {
            let isAsked = try one.begin()
            #expect(isAsked)
        }
        let pid = try #require(fixture.conversations.first)
        // It takes no signal but SIGKILL.
        kill(pid, SIGSTOP)
        defer { kill(pid, SIGKILL) }
        fixture.terminate()
        #expect(fixture.waitForExit())
        // What has ended has no arguments, even if nobody has reaped it.
        #expect(eventually { ProcFile.bytes("/proc/\(pid)/cmdline")?.isEmpty ?? true })
        withExtendedLifetime(held) {}
    }

    /// Nobody adopts what such a conversation leaves behind.
    @Test func aConversationOfTheServiceManagersTakesItsModulesAlong() throws {
        let fixture = try Fixture(.init(pam: EndingTests.hanging, prepare: EndingTests.hang))
        let started = try ActivatedConversations(fixture, .accepted)
        do {
            var client = try TestClient(started.socket)
            _ = try client.begin()
            try client.send(Varlink.encode(VarlinkCall(BrokerProtocol.Authentication.Continue(answer: nil))))
            #expect(eventually { fixture.helpers.count >= 2 })
        }
        #expect(eventually { started.conversations.isEmpty && fixture.helpers.isEmpty })
    }

    // MARK: The log

    /// The lines about conversations with this outcome.
    private func lines(_ fixture: Fixture, _ outcome: String) -> [Substring] {
        fixture.log.split(separator: "\n").filter { $0.contains("outcome=\(outcome)") }
    }

    @Test func eachConversationIsLoggedByItsPurpose() throws {
        let fixture = try Fixture()
        let shell = try Puppet(fixture)
        #expect(try shell.perform(.authorize(60)).done)
        #expect(try shell.perform(.forget).ended == 1)
        var renewing = try fixture.client()
        #expect(try renewing.call(BrokerProtocol.Authentication.RenewSigningKey()).fault == nil)
        var moving = try fixture.client()
        let owner = fixture.record.owner.text
        #expect(try moving.call(BrokerProtocol.Authentication.SetAside(owner: owner, stamp: "0")).fault == nil)
        #expect(eventually { lines(fixture, "authorized").count == 4 }, "\(fixture.log)")
        let found = lines(fixture, "authorized")
        for purpose in ["reuse", "forget", "signing-key", "set-aside"] {
            #expect(found.count { $0.contains("purpose=\(purpose) ") } == 1, "\(found)")
        }
        for line in found {
            #expect(line.contains("uid=\(fixture.account.uid)") && line.contains("program=/"), "\(line)")
        }
    }

    @Test func aConversationWithoutAPlaceIsLogged() throws {
        let fixture = try Fixture(.init(settings: "authentications-per-user = 1"))
        var client = try fixture.client()
        #expect(try client.begin().message != nil)
        let other = try Puppet(fixture)
        #expect(try other.perform(.open).error?.contains("Authentication.LimitExceeded") == true)
        #expect(eventually { fixture.log.contains("conversation refused") })
        #expect(lines(fixture, "other (LimitExceeded)").count == 1, "\(fixture.log)")
        #expect(try client.go().message?.style == .secret)
    }
}
