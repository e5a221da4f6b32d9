import Foundation
import Platform
import Testing

@testable import Authenticator

@Suite("Failures slow down, per user")
struct AttemptTests {
    @Test func threeAreFreeThenTheDelayGrowsToItsLimit() {
        #expect((0...9).map(AttemptRecord.delay(after:)) == [0, 0, 0, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
        #expect(AttemptRecord.delay(after: 1000) == 30_000)
    }

    @Test func triesMadeSideBySideWaitOneAfterAnother() {
        var record = AttemptRecord()
        #expect((0..<3).map { _ in record.admit(at: 1_000_000) } == [0, 0, 0])
        #expect((0..<3).map { _ in record.admit(at: 1_000_000) } == [1000, 3000, 7000])
        for _ in 0..<20 { #expect(record.admit(at: 1_000_000) <= AttemptRecord.longestDelay) }
    }

    @Test func failuresAreForgottenAfterTenMinutes() {
        var record = AttemptRecord()
        for _ in 0..<10 { _ = record.admit(at: 1_000_000) }
        #expect(record.admit(at: 1_000_000 + AttemptRecord.memory - 1) > 0)
        var other = AttemptRecord()
        for _ in 0..<10 { _ = other.admit(at: 1_000_000) }
        #expect(other.admit(at: 1_000_000 + AttemptRecord.memory) == 0)
    }

    @Test func aClockSetBackNeitherLocksOutNorLetsOff() {
        var record = AttemptRecord()
        for _ in 0..<10 { _ = record.admit(at: 10_000_000) }
        let wait = record.admit(at: 1000)
        #expect(wait > 0)
        #expect(wait <= AttemptRecord.longestDelay)
    }

    @Test func aTryThatWasNoneIsTakenBack() {
        var record = AttemptRecord()
        for _ in 0..<10 {
            #expect(record.admit(at: 1_000_000) == 0)
            record.withdraw()
        }
    }

    @Test func usersDoNotShareACountAndDamageDoesNotWipeOne() throws {
        let folder = NSTemporaryDirectory() + "coffer-attempts-" + UUID().uuidString
        try Folder.make(folder, mode: 0o755)
        defer { try? FileManager.default.removeItem(atPath: folder) }  // Nothing is lost when it stays behind.
        let one = try AttemptLog(registryDirectory: folder, uid: 1)
        let two = try AttemptLog(registryDirectory: folder, uid: 2)
        for _ in 0..<3 { #expect(try one.admit() == .zero) }
        #expect(try one.admit() > .zero)
        #expect(try two.admit() == .zero)
        #expect(try FileStatus.of("\(folder)/attempts")?.mode == 0o700)
        try Data("damaged".utf8).write(to: URL(fileURLWithPath: "\(folder)/attempts/2.json"))
        #expect(try two.admit() > .zero)
        try two.succeed()
        #expect(try two.admit() == .zero)
    }
}
