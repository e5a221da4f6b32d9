import BrokerProtocol
import Platform
import TestSupport
import Testing
import Varlink

@testable import Broker

/// One user's calls do not push other users' lines out of the journal (attacker 3).
@Suite(.timeLimit(.minutes(30))) struct CallLogTests {
    private let time = TestClock()
    private let lines = LogLines()
    private let log: CallLog

    init() { log = CallLog("call", lines.logger, clock: time.clock) }

    private func note(_ count: Int, of uid: UInt32) {
        for _ in 0..<count { log.note(of: uid, ["uid": "\(uid)"]) }
    }

    private func told(_ count: Int, of uid: UInt32) -> String {
        "info call: more were not logged one by one count=\(count) uid=\(uid)"
    }

    @Test func eachUserHasAPaceOfTheirOwn() {
        note(LogLimits.calls + 5, of: 7)
        #expect(lines.all == Array(repeating: "info call uid=7", count: LogLimits.calls))
        note(1, of: 8)
        #expect(lines.all.last == "info call uid=8" && lines.all.count == LogLimits.calls + 1)
        time.advance(by: LogLimits.callPause - .milliseconds(1))
        note(1, of: 7)
        #expect(lines.all.count == LogLimits.calls + 1)
        time.advance(by: .milliseconds(1))
        note(2, of: 7)
        #expect(lines.all.suffix(2) == [told(6, of: 7), "info call uid=7"])
        #expect(lines.all.count == LogLimits.calls + 3)
    }

    @Test func aCountIsToldEvenIfNoMoreCallsCome() {
        for _ in 0..<2 {
            let before = lines.all.count
            note(LogLimits.calls + 3, of: 7)
            #expect(lines.all.count == before + LogLimits.calls)
            time.advance(by: LogLimits.countDelay)
            #expect(lines.all.last == told(3, of: 7) && lines.all.count == before + LogLimits.calls + 1)
            time.advance(by: LogLimits.countDelay)
            #expect(lines.all.count == before + LogLimits.calls + 1)
        }
    }

    @Test func usersWhoHaveHadABreakAreForgottenAndTheirCountsAreNot() {
        for uid in 1...100 { note(1, of: UInt32(uid)) }
        note(LogLimits.calls - 1, of: 7)
        time.advance(by: .milliseconds(500))
        #expect(log.userCount == 100)
        let count = lines.all.count
        note(1, of: 7)
        #expect(lines.all.count == count)
        time.advance(by: LogLimits.callPause * LogLimits.calls - .milliseconds(500))
        note(1, of: 101)
        #expect(log.userCount == 2)
        time.advance(by: .milliseconds(500))
        #expect(lines.all.last == told(1, of: 7))
        time.advance(by: LogLimits.callPause * LogLimits.calls)
        note(1, of: 102)
        #expect(log.userCount == 1)
    }

    private func broker() async throws -> ThrowAwayBroker {
        var options = Broker.Options.patient
        options.clock = time.clock
        return try await throwAwayBroker(options: options)
    }

    @Test func everyCallOfAUserCountsAlsoARefusedOne() async throws {
        let broker = try await broker()
        let client = try broker.client()
        for _ in 0..<LogLimits.calls { _ = try await client.call(Keychain.Status()) }
        for _ in 0..<5 { _ = try await fault { try await client.call(Keychain.Show(service: "s", account: "a")) } }
        #expect(broker.log.all.count { $0.hasPrefix("info call ") } == LogLimits.calls)
        time.advance(by: LogLimits.callPause)
        _ = try await client.call(Keychain.Status())
        #expect(broker.log.all.suffix(2).first == told(5, of: OwnProcess.effectiveUser))
        #expect(broker.log.all.last?.hasPrefix("info call method=org.coffer.Keychain.Status ") == true)
        await broker.stop()
    }

    @Test func theAuthenticatorsCallsCountToTheUserWhomTheyAreFor() async throws {
        let broker = try await broker()
        let first = try broker.authenticator.connect()
        for _ in 0..<(LogLimits.calls + 5) { _ = try await first.call(BrokerInterface.Report(uid: 1)) }
        let second = try broker.authenticator.connect()
        _ = try await second.call(BrokerInterface.Report(uid: 2))
        let count = broker.log.all.count { $0.hasPrefix("info authenticator's call method=org.coffer.Broker.Report ") }
        #expect(count == LogLimits.calls + 1)
        await broker.stop()
    }

    @Test func connectionsThatEndInAnErrorAreLoggedOnceInAWhile() async throws {
        let broker = try await broker()
        let begun = ContinuousClock.now
        for _ in 0..<20 {
            let client = try broker.client()
            try await client.send(Array("nonsense".utf8) + [0])
            _ = try await client.message()
            await client.close()
        }
        let whiles = Int((ContinuousClock.now - begun) / .seconds(5)) + 2
        let count = broker.log.all.count { $0.hasPrefix("info connection refused ") }
        #expect(count >= 1 && count <= whiles)
        await broker.stop()
    }
}
