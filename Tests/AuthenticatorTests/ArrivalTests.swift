import Glibc
import Platform
import TestSupport
import Testing

@testable import Authenticator

/// Attacker 3 connects to the authenticator on and on, so that root starts processes without end.
@Suite("Which connections get a process")
struct ArrivalTests {
    private enum Verdict { case start, refuse, none }

    /// Many connections of one moment, from both ends.
    private final class Scene {
        var arrivals = Arrivals(ofUser: 32)
        let now = ContinuousClock.now
        private var clients: [Int32] = []
        private var servers: [Held] = []

        /// Keeps a connection open as a conversation's process would.
        private final class Held {
            private let connection: Descriptor
            init(_ connection: consuming Descriptor) { self.connection = connection }
        }

        /// - Parameter isOver: whether the client has hung up before its connection was accepted.
        func connect(_ uid: UInt32, running: Int = 0, isOver: Bool = false, after: Duration = .zero) -> Verdict {
            var ends: [Int32] = [-1, -1]
            #expect(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
            if isOver { close(ends[1]) } else { clients.append(ends[1]) }
            switch arrivals.judge(Descriptor(adopting: ends[0]), of: uid, running: running, at: now + after) {
            case .start(let connection):
                servers.append(Held(connection))
                return .start
            case .refuse: return .refuse
            case .none: return .none
            }
        }

        /// How many turns have come.
        func turns(after: Duration) -> [UInt32] {
            var uids: [UInt32] = []
            while let turn = arrivals.takeDue(at: now + after) { uids.append(turn.uid) }
            return uids
        }

        func hangUp() {
            for client in clients { close(client) }
            clients = []
        }

        /// Ends everything that has a process.
        func end() {
            hangUp()
            servers = []
        }

        deinit { hangUp() }
    }

    @Test func whatIsOverGetsNoProcess() {
        let scene = Scene()
        for _ in 0..<1000 { #expect(scene.connect(1, isOver: true) == .none) }
        #expect(scene.arrivals.isEmpty && scene.turns(after: .seconds(60)).isEmpty)
        // They were not counted: even this user goes on.
        #expect(scene.connect(1) == .start && scene.connect(2) == .start)
    }

    @Test func whoConnectsOnAndOnWaits() {
        let scene = Scene()
        for _ in 0..<ServerLimits.burst { #expect(scene.connect(1) == .start) }
        for _ in 0..<10 { #expect(scene.connect(1) == .none) }
        #expect(scene.connect(2) == .start)
        #expect(scene.arrivals.next == scene.now + ServerLimits.interval)
        #expect(scene.turns(after: .zero).isEmpty)
        #expect(scene.turns(after: ServerLimits.interval * 3) == [1, 1, 1])
        #expect(scene.turns(after: ServerLimits.interval * 10).count == 7)
        #expect(scene.arrivals.isEmpty && scene.arrivals.next == nil)
        // After a break everything is as before.
        #expect(scene.connect(1, after: .seconds(60)) == .start)
    }

    @Test func whoHangsUpLosesTheTurn() {
        let scene = Scene()
        for _ in 0..<ServerLimits.burst + 10 { _ = scene.connect(1) }
        scene.hangUp()
        #expect(scene.turns(after: .seconds(60)).isEmpty && scene.arrivals.isEmpty)
    }

    /// All users together.
    @Test func soManyWait() {
        let scene = Scene()
        for uid: UInt32 in 1...9 {
            for _ in 0..<ServerLimits.burst { #expect(scene.connect(uid) == .start) }
            scene.end()
        }
        // Eight users with 32 each are all that may wait.
        for uid: UInt32 in 1...8 {
            for _ in 0..<32 { #expect(scene.connect(uid) == .none) }
            #expect(scene.connect(uid) == .refuse)
        }
        #expect(scene.connect(9) == .refuse)
        #expect(scene.turns(after: ServerLimits.interval).count == 8)
        #expect(scene.connect(9) == .none)
    }

    @Test func whatWaitsCountsAsTheUsers() {
        let scene = Scene()
        for _ in 0..<ServerLimits.burst { #expect(scene.connect(1) == .start) }
        for _ in 0..<22 { #expect(scene.connect(1, running: 10) == .none) }
        #expect(scene.connect(1, running: 10) == .refuse)
        // Those that are over make room.
        scene.hangUp()
        #expect(scene.connect(1, running: 10) == .none)
        #expect(scene.connect(2) == .start)
    }
}
