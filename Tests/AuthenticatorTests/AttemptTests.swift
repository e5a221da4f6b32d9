import Foundation
import Platform
import Testing
import Varlink

@testable import Authenticator

@Suite("Failures slow down, per user")
struct AttemptTests {
    @Test func threeAreFreeThenTheDelayGrowsToItsLimit() {
        #expect((0...9).map(AttemptRecord.delay(after:)) == [0, 0, 0, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
        #expect(AttemptRecord.delay(after: 1000) == 30_000)
    }

    /// The limit on guesses, over ten minutes of a virtual clock. It holds for any number of processes and tries.
    @Test func manyProcessesGuessNoMoreThanOne() {
        func guesses(by processes: Int) -> Int {
            var record = AttemptRecord()
            var next = [Int64](repeating: 1_000_000, count: processes)
            var judged = 0
            while let index = next.indices.min(by: { next[$0] < next[$1] }), next[index] < 1_600_000 {
                let wait = record.begin(at: next[index])
                if wait == 0 { judged += 1 }
                // A guesser comes back as soon as its answer was judged.
                next[index] += max(wait, 1)
            }
            return judged
        }
        // Three tries are free, then come five growing delays, then one try in half a minute.
        #expect(guesses(by: 1) == 3 + 5 + 18)
        #expect(guesses(by: 8) == guesses(by: 1))
    }

    /// A file can hold any number: one that gives free guesses, or one that no failure can be added to.
    @Test(arguments: [(-5, 1), (0, 1), (1000, 1001), (1001, 1001), (Int(Int32.max), 1001)])
    func aFilesNumberIsBroughtIntoItsRange(failures: Int, counted: Int) {
        var record = AttemptRecord(failures: failures, last: 1_000_000)
        record.add(at: 1_000_000)
        #expect(record.failures == counted)
    }

    @Test func aGuessCountsBeforeItsOutcomeIsKnown() {
        var record = AttemptRecord()
        for number in 1...3 {
            #expect(record.begin(at: 1_000_000) == 0)
            #expect(record.failures == number)
        }
        #expect(record.begin(at: 1_000_000) == 1000)
        #expect(record.failures == 3)
        #expect(record.begin(at: 1_000_999) == 1)
        #expect(record.begin(at: 1_001_000) == 0)
        #expect(record.begin(at: 1_001_000) == 2000)
    }

    @Test func failuresAreForgottenAfterTenMinutes() {
        let failed = AttemptRecord(failures: 10, last: 1_000_000)
        var record = failed
        #expect(record.wait(at: 1_000_000 + 1) > 0)
        #expect(record.wait(at: 1_000_000 + AttemptLimits.memory - 1) == 0)
        #expect(record.failures == 10)
        #expect(record.wait(at: 1_000_000 + AttemptLimits.memory) == 0)
        #expect(record.failures == 0)
    }

    @Test func aClockSetBackNeitherLocksOutNorLetsOff() {
        var record = AttemptRecord(failures: 10, last: 10_000_000)
        #expect(record.wait(at: 1000) == AttemptLimits.longestDelay)
        #expect(record.wait(at: 1000 + AttemptLimits.longestDelay) == 0)
    }

    @Test(arguments: [Int64.min, -1, .max], [Int.min, -1, .max])
    func aFileMaySayAnything(last: Int64, failures: Int) {
        var record = AttemptRecord(failures: failures, last: last)
        #expect((0...AttemptLimits.longestDelay).contains(record.wait(at: 1_000_000)))
        record = AttemptRecord(failures: failures, last: last)
        record.add(at: 1_000_000)
        #expect((1...1001).contains(record.failures))
    }

    @Test func usersDoNotShareACountAndDamageDoesNotWipeOne() throws {
        let folder = NSTemporaryDirectory() + "coffer-attempts-" + UUID().uuidString
        try Folder.make(folder, mode: 0o755)
        defer { try? FileManager.default.removeItem(atPath: folder) }  // Nothing is lost when it stays behind.
        let one = try AttemptLog(registryDirectory: folder, uid: 1)
        let two = try AttemptLog(registryDirectory: folder, uid: 2)
        for _ in 0..<3 { try one.fail() }
        #expect(try one.wait() > .zero)
        #expect(try two.wait() == .zero)
        #expect(try FileStatus.of("\(folder)/attempts")?.mode == 0o700)
        try Data("damaged".utf8).write(to: URL(fileURLWithPath: "\(folder)/attempts/2.json"))
        #expect(try two.wait() > .zero)
        try two.succeed()
        #expect(try two.wait() == .zero)
    }
}
