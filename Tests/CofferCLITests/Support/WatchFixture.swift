import BrokerProtocol
import Foundation
import Platform
import Synchronization
import TestSupport
import Testing
import Varlink

/// `coffer sync watch` with a fake broker, whose events a test chooses.
final class WatchFixture: Sendable {
    /// Events that the test has the broker tell, one after the other.
    private final class Events: Sendable {
        private let room = DispatchSemaphore(value: 0)

        func tell() { room.signal() }
        func wait() { _ = room.wait(timeout: .now() + .seconds(600)) }
    }

    let sync: SyncFixture
    private let events: Events
    private let process: Subprocess
    private let errors: String

    private static func encoded(_ events: [Keychain.Event]) -> [UInt8] {
        FakeServer.encode(VarlinkReply(Keychain.Monitor.Reply(events: events), continues: true))
    }

    /// The first reply, which says that the broker listens, and then one for each call of ``tell()``.
    private static func monitor(_ told: [Keychain.Event], _ events: Events) -> FakeServer.Step {
        .parts([encoded([])] + told.map { encoded([$0]) }) { index, _ in if index > 0 { events.wait() } }
    }

    /// A broker that listens, and tells nothing.
    static var listening: FakeServer.Step { .reply(encoded([])) }
    /// A broker that listens, and then stops.
    static var ending: FakeServer.Step {
        .replies([encoded([]), FakeServer.encode(Fault(.failed, "the broker is stopping"))])
    }

    static func event(_ kind: Keychain.Event.Kind, _ service: String? = nil) -> Keychain.Event {
        .init(event: kind, item: service.map { FakeCoffer.item($0) }, time: 1)
    }

    /// - Parameters:
    ///   - told: what the broker tells, in this order.
    ///   - holdsCircle: whether the folder has what the machines share.
    init(
        _ script: [String: [FakeServer.Step]] = [:], told: [Keychain.Event] = [], holdsCircle: Bool = true,
        socket: String? = nil
    ) throws {
        let events = Events()
        self.events = events
        sync = try SyncFixture(
            ["State": [SyncFixture.shared], "Monitor": [Self.monitor(told, events)]].merging(script) { $1 })
        if holdsCircle { try sync.put([1], "\(SyncFixture.circle)/heads/\(SyncFixture.lap)") }
        errors = sync.fake.scratch.file("watch-errors")
        let environment = sync.fake.program.environment.merging(["PATH": "/usr/bin:/bin"]) { $1 }
            .merging(socket.map { ["COFFER_SOCKET": $0] } ?? [:]) { $1 }
        process = try Subprocess(Program.path, ["sync", "watch"]) { [errors] in
            $0.environment = environment
            $0.errors = .file(errors)
        }
    }

    deinit { sync.remove() }

    var said: String {
        // `try?`: the program has not made it yet.
        (try? String(contentsOfFile: errors, encoding: .utf8)) ?? ""
    }

    func tell() { events.tell() }

    func calls(_ method: String) -> Int { sync.fake.broker.calls(method).count }

    /// Another machine has written something.
    func arrive(_ name: String) throws { try sync.put([7], "\(SyncFixture.circle)/\(name)") }

    func wait(for what: String, _ condition: () throws -> Bool) throws {
        let limit = ContinuousClock.now + patience
        while try !condition() {
            try #require(ContinuousClock.now < limit, "\(what) does not happen; it said: \(said)")
            _ = try Readiness.wait(for: [], until: .now + .milliseconds(10))
        }
    }

    /// Waits for its end.
    func end() throws -> Int32 { try process.finish() }

    /// Ends it as a service manager does, and checks that it asked nobody.
    func stop(_ signal: Int32 = SIGTERM) throws {
        process.signal(signal)
        #expect(try process.finish() == 0)
        for method in ["Unlock", "Set", "CreateVault"] { #expect(calls(method) == 0, "\(method)") }
        #expect(sync.fake.authenticator.connections == 0)
    }
}
