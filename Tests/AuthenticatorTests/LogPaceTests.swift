import BrokerProtocol
import Platform
import TestSupport
import Testing
import Varlink

@testable import Authenticator

/// Attackers 3 and 4 begin conversations on and on, so that the log has nothing else.
@Suite(.timeLimit(.minutes(30))) struct LogPaceTests {
    /// How many of these lines the log takes.
    private func taken(
        _ pace: inout LogPace, _ count: Int, of uid: UInt32 = 1, at now: ContinuousClock.Instant
    ) -> Int {
        var taken = 0
        for _ in 0..<count where pace.takes(of: uid, at: now) { taken += 1 }
        return taken
    }

    @Test func aUserHasSoManyLinesAtOnceAndThenOneASecond() {
        var pace = LogPace()
        let now = ContinuousClock.now
        #expect(taken(&pace, 1000, at: now) == JournalLimits.burst)
        #expect(taken(&pace, 1000, at: now + JournalLimits.interval * 3) == 3)
        // Others have their own.
        #expect(taken(&pace, 10, of: 2, at: now) == 10)
        // After a break everything is as before.
        #expect(pace.takeGaps(at: now + .seconds(600)) == [.init(uid: 1, count: 2000 - JournalLimits.burst - 3)])
        #expect(taken(&pace, 1000, at: now + .seconds(600)) == JournalLimits.burst)
    }

    @Test func allUsersTogetherHaveALimitToo() {
        var pace = LogPace()
        let now = ContinuousClock.now
        let lines = (1...UInt32(1000)).map { taken(&pace, 2, of: $0, at: now) }
        #expect(lines.reduce(0, +) == JournalLimits.commonBurst)
        #expect(lines.prefix(JournalLimits.commonBurst / 2).allSatisfy { $0 == 2 })
        // What is left out is told in one line, and not in one for each of them.
        #expect(pace.takeGaps(at: now).isEmpty)
        let later = now + JournalLimits.commonInterval * JournalLimits.commonBurst
        #expect(pace.takeGaps(at: later) == [.init(uid: nil, count: 2000 - JournalLimits.commonBurst)])
        #expect(pace.takeGaps(at: later).isEmpty)
    }

    /// They come slowly enough for the limit of all.
    @Test func soManyUsersAreToldApart() {
        var pace = LogPace()
        var now = ContinuousClock.now
        for uid in 1...UInt32(JournalLimits.users) {
            #expect(taken(&pace, JournalLimits.burst, of: uid, at: now) == JournalLimits.burst)
            now += JournalLimits.commonInterval * JournalLimits.burst
        }
        // Nobody was forgotten meanwhile. The next two share a place.
        #expect(taken(&pace, JournalLimits.burst, of: 5000, at: now) == JournalLimits.burst)
        #expect(taken(&pace, 1, of: 5001, at: now) == 0)
        #expect(taken(&pace, 1, of: 7, at: now) == 1)
        let gaps = pace.takeGaps(at: now + JournalLimits.interval * JournalLimits.burst)
        #expect(gaps == [.init(uid: nil, count: 1)])
        #expect(taken(&pace, 1, of: 5001, at: now + .seconds(600)) == 1)
    }

    @Test func aUserWhoConnectsOnAndOnDoesNotFillTheLog() throws {
        let start = ContinuousClock.now
        let fixture = try Fixture()
        for _ in 0..<4 {
            for _ in 0..<25 {
                var client = try fixture.client()
                #expect(try client.call(VarlinkService.GetInfo()).fault == nil)
            }
            #expect(eventually { fixture.conversations.isEmpty })
        }
        fixture.terminate()
        #expect(fixture.waitForExit())
        let lines = fixture.log.ranges(of: "client gone").count
        let most = JournalLimits.burst + Int(start.duration(to: .now) / JournalLimits.interval) + 1
        #expect((JournalLimits.burst...most).contains(lines), "\(lines)")
        #expect(lines > 100 || fixture.log.contains("conversations came too fast to be logged"), "\(fixture.log)")
    }

    /// Guesses have their own pace. No flood of other conversations keeps them out of the log.
    @Test func whereSomebodyAnswersThereIsALineAllTheSame() throws {
        let fixture = try Fixture()
        let started = try ActivatedConversations(fixture, .accepted, subcommand: "converse-unlogged")
        do {
            var client = try TestClient(started.socket)
            #expect(try client.begin().message != nil)
        }
        #expect(eventually { started.conversations.isEmpty })
        var client = try TestClient(started.socket)
        #expect(try client.authenticate("wrong").name == .authenticationFailed)
        #expect(eventually { started.log.contains("outcome=password") })
        #expect(!started.log.contains("client gone"), "\(started.log)")
    }

    /// Other users' floods must not hide that the machine has a new signing key.
    @Test func whatOnlyRootMayDoIsInTheLogAllTheSame() throws {
        let fixture = try Fixture()
        let started = try ActivatedConversations(fixture, .accepted, subcommand: "converse-unlogged")
        var client = try TestClient(started.socket)
        _ = try client.call(BrokerProtocol.Authentication.RenewSigningKey()).get()
        #expect(eventually { started.log.contains("purpose=signing-key") }, "\(started.log)")
    }
}
