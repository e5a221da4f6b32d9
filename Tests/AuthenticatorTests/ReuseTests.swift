import Authorization
import BrokerProtocol
import Foundation
import JSON
import Platform
import TestSupport
import Testing

@testable import Authenticator

/// An answer is used again only as the person allowed: in that terminal and session, for that user, for presence, until
/// its time or a lock.
@Suite struct ReuseTests {
    /// A fixture whose person has answered in a shell's terminal.
    private func authorized(_ seconds: Int = 300, _ options: Fixture.Options = .init()) throws -> (Fixture, Puppet) {
        let fixture = try Fixture(options)
        let shell = try Puppet(fixture)
        let outcome = try shell.perform(.authorize(seconds))
        #expect(outcome.done && outcome.questions == 1, "\(outcome)")
        return (fixture, shell)
    }

    private func expectReuse(_ outcome: Puppet.Outcome) {
        #expect(outcome.done && outcome.questions == 0 && outcome.messages.isEmpty, "\(outcome)")
    }

    private func expectQuestion(_ outcome: Puppet.Outcome) {
        #expect(outcome.done && outcome.questions == 1, "\(outcome)")
    }

    @Test func anAnswerIsUsedAgainAndEachItemIsStillSignedFor() throws {
        let (fixture, shell) = try authorized()
        #expect(fixture.broker.calls.isEmpty)
        for _ in 0..<2 { expectReuse(try shell.perform(.begin)) }
        #expect(
            fixture.broker.calls == ["Describe", "Prepare", "Complete", "Describe", "Prepare", "Complete"])
        #expect(fixture.broker.completions.map(\.means) == ["reuse", "reuse"])
        #expect(fixture.log.contains("proof=reuse"))
    }

    @Test func withoutOneEveryReadAsks() throws {
        let fixture = try Fixture()
        let shell = try Puppet(fixture)
        for _ in 0..<2 { expectQuestion(try shell.perform(.begin)) }
        #expect(fixture.broker.completions.map(\.means) == [nil, nil])
    }

    @Test func theNoticeSaysForHowLongAndForWhat() throws {
        let fixture = try Fixture()
        let shell = try Puppet(fixture)
        let text = (try shell.perform(.authorize(90)).messages.first ?? "").unbroken
        #expect(text.contains("for 1 minute and 30 seconds"))
        #expect(text.contains("every program in this terminal's session"))
        #expect(text.contains("terminal pts/"))
        #expect(text.contains("python3"))
    }

    @Test func aWrongPasswordEarnsNoReuse() throws {
        let fixture = try Fixture()
        let shell = try Puppet(fixture)
        var order = Puppet.Order.authorize(300)
        order.password = "wrong"
        #expect(try shell.perform(order).error?.hasSuffix("Failed") == true)
        expectQuestion(try shell.perform(.begin))
    }

    @Test func anotherTerminalAsks() throws {
        let (fixture, shell) = try authorized()
        let other = try Puppet(fixture)
        expectQuestion(try other.perform(.begin))
        expectReuse(try shell.perform(.begin))
    }

    @Test func aProcessWithoutATerminalAsks() throws {
        let (_, shell) = try authorized()
        var order = Puppet.Order.begin
        order.setsid = true
        expectQuestion(try shell.perform(order))
        order = .authorize(60)
        order.setsid = true
        #expect(try shell.perform(order).error?.hasSuffix("InvalidArgument") == true)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can take a terminal over"))
    func anotherSessionThatTookTheTerminalOverAsks() throws {
        let (_, shell) = try authorized()
        var order = Puppet.Order.begin
        order.steal = true
        expectQuestion(try shell.perform(order))
    }

    @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
    func anotherUserInTheSameTerminalAsks() throws {
        let (fixture, shell) = try authorized()
        let other = try #require(try Account.withUID(1))
        let record = try Fixture.newRecord(other, key: fixture.key.publicKey)
        try fixture.registry.write(record)
        fixture.broker.change {
            $0.facts.owner = "user:1"
            $0.facts.vault = record.vault.hex
        }
        var order = Puppet.Order.begin
        order.uid = 1
        expectQuestion(try shell.perform(order))
    }

    @Test func aLockEndsIt() throws {
        let (fixture, shell) = try authorized()
        fixture.broker.change { $0.facts.lastLock = BootTime.milliseconds }
        expectQuestion(try shell.perform(.begin))
        // An answer after the lock may be used again.
        #expect(try shell.perform(.authorize(300)).done)
        expectReuse(try shell.perform(.begin))
    }

    @Test func forgettingEndsItEverywhere() throws {
        let (fixture, shell) = try authorized()
        let other = try Puppet(fixture)
        #expect(try other.perform(.authorize(60)).done)
        #expect(try other.perform(.forget).ended == 2)
        expectQuestion(try shell.perform(.begin))
        expectQuestion(try other.perform(.begin))
        #expect(try other.perform(.forget).ended == 0)
    }

    @Test func timeEndsIt() throws {
        let (_, shell) = try authorized(1)
        let end = ContinuousClock.now + .milliseconds(1100)
        #expect(eventually { ContinuousClock.now > end })
        expectQuestion(try shell.perform(.begin))
    }

    @Test func unlockingIsNeverPartOfIt() throws {
        let (fixture, shell) = try authorized()
        fixture.broker.change {
            $0.facts.purposes = [.unlock]
            $0.facts.authorizations = [.init(kind: "unlock")]
        }
        expectQuestion(try shell.perform(.begin))
        fixture.broker.change {
            $0.facts.purposes = [.unlock, .read]
            $0.facts.authorizations = [.init(kind: "unlock"), .init(kind: "presence")]
            $0.facts.alternatives = [[0, 1]]
        }
        expectQuestion(try shell.perform(.begin))
    }

    @Test func anotherKindOfProofIsAskedFor() throws {
        let (fixture, shell) = try authorized(
            300,
            .init(prepare: { path in
                try FileManager.default.copyItem(atPath: "\(path)/pam/coffer", toPath: "\(path)/pam/coffer-passcode")
            }))
        for kinds in [["passcode"], ["presence", "passcode"]] {
            fixture.broker.change {
                $0.facts.authorizations = kinds.map { .init(kind: $0) }
                $0.facts.alternatives = [kinds.indices.map(Int64.init)]
            }
            expectQuestion(try shell.perform(.begin))
        }
    }

    @Test func aNewVaultIsNeverMadeByIt() throws {
        let (fixture, shell) = try authorized(300, .init(hasVault: false))
        let outcome = try shell.perform(.begin)
        #expect(outcome.questions == 1, "\(outcome)")
        #expect(fixture.broker.calls.contains("Provision"))
    }

    @Test func notLongerThanFiveMinutesNorThanRootAllows() throws {
        for (setting, seconds, works) in [
            ("", 301, false), ("", 0, false), ("", -1, false), ("reuse-limit = 60", 61, false),
            ("reuse-limit = 60", 60, true), ("reuse-limit = 0", 1, false),
        ] {
            let fixture = try Fixture(.init(settings: setting))
            let shell = try Puppet(fixture)
            let outcome = try shell.perform(.authorize(seconds))
            #expect(outcome.done == works, "\(setting) \(seconds): \(outcome)")
            #expect(works || outcome.questions == 0)
        }
    }

    @Test func theRecordsAreRootsAlone() throws {
        let (fixture, _) = try authorized()
        let folder = try #require(try FileStatus.of("\(fixture.path)/registry/reuse"))
        #expect(folder.mode == 0o700)
        for name in try Folder.entries("\(fixture.path)/registry/reuse") {
            #expect(try FileStatus.of("\(fixture.path)/registry/reuse/\(name)")?.mode == 0o600)
            #expect(name.hasPrefix("\(geteuid())."))
        }
    }

    @Test func aRecordThatOthersMayReadIsNotBelieved() throws {
        let (fixture, shell) = try authorized()
        let path = "\(fixture.path)/registry/reuse/\(geteuid()).json"
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path)
        #expect(try shell.perform(.begin).error?.hasSuffix("Misconfigured") == true)
        // The check itself, for each right of others.
        let state = try StateFile(
            registryDirectory: "\(fixture.path)/registry", folder: "reuse", uid: geteuid(), nothing: [ReuseRecord]())
        for mode in [0o640, 0o620, 0o610, 0o604, 0o602, 0o601] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            #expect(throws: SystemError.self) { try state.update { $0.count } }
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        #expect(try state.update { $0.count } == 1)
    }

    /// Root forbids the reuse while some answers are there.
    @Test func noLongerOnceRootForbidsIt() throws {
        let (fixture, shell) = try authorized()
        expectReuse(try shell.perform(.begin))
        let path = "\(fixture.path)/coffer.conf"
        let setting = Array("reuse-limit = 0\n".utf8)
        try DurableFile.write(try DurableFile.read(path, limit: 1 << 16) + setting, to: path, mode: 0o644)
        expectQuestion(try shell.perform(.begin))
        #expect(try shell.perform(.authorize(1)).error?.hasSuffix("Authentication.Failed") == true)
    }

    @Test func aNewerAnswerInTheSameTerminalReplacesTheOlder() throws {
        let (_, shell) = try authorized()
        #expect(try shell.perform(.authorize(60)).done)
        #expect(try shell.perform(.forget).ended == 1)
    }

    /// A stack has let the person in, and the answer cannot be kept.
    @Test func anAnswerThatCannotBeKeptIsSaid() throws {
        let fixture = try Fixture()
        try Folder.make("\(fixture.path)/registry/reuse", mode: 0o700)
        try Folder.make("\(fixture.path)/registry/reuse/\(geteuid()).json.writing", mode: 0o700)
        let shell = try Puppet(fixture)
        let outcome = try shell.perform(.authorize(60))
        #expect(outcome.questions == 1 && outcome.error?.hasSuffix("Misconfigured") == true, "\(outcome)")
    }

    @Test func aDamagedRecordIsNone() throws {
        let (fixture, shell) = try authorized()
        try DurableFile.write(Array("[{".utf8), to: "\(fixture.path)/registry/reuse/\(geteuid()).json", mode: 0o600)
        expectQuestion(try shell.perform(.begin))
    }
}

/// The record itself, for the cases where two checks refuse and the outside cannot tell which one did.
@Suite struct ReuseRecordTests {
    private let session = TerminalSession(terminal: 0x8801, leader: ProcessIdentity(pid: 7, startTime: 70))

    private func record(asked: Int64 = 1000, ends: Int64 = 61_000) -> ReuseRecord {
        ReuseRecord(session: session, boot: "boot", services: [.anyFactor], asked: asked, ends: ends)
    }

    @Test func itHoldsInItsOwnSessionOnly() {
        #expect(record().holds(in: session, lastLock: 0))
        let otherTerminal = TerminalSession(terminal: 0x8802, leader: session.leader)
        #expect(!record().holds(in: otherTerminal, lastLock: 0))
        let otherLeader = TerminalSession(terminal: 0x8801, leader: ProcessIdentity(pid: 8, startTime: 70))
        #expect(!record().holds(in: otherLeader, lastLock: 0))
        let laterLeader = TerminalSession(terminal: 0x8801, leader: ProcessIdentity(pid: 7, startTime: 71))
        #expect(!record().holds(in: laterLeader, lastLock: 0))
    }

    @Test func aLockInTheSameMomentCounts() {
        #expect(record().holds(in: session, lastLock: 999))
        #expect(!record().holds(in: session, lastLock: 1000))
        #expect(!record().holds(in: session, lastLock: 1001))
    }

    @Test func itLivesInItsTimeAndBootOnly() {
        #expect(record().isAlive(boot: "boot", at: 1000))
        #expect(record().isAlive(boot: "boot", at: 60_999))
        #expect(!record().isAlive(boot: "boot", at: 61_000))
        #expect(!record().isAlive(boot: "boot", at: 999))
        #expect(!record().isAlive(boot: "later", at: 1000))
        #expect(record(ends: 1000 + ReuseLimits.lifetime).isAlive(boot: "boot", at: 1000))
        #expect(!record(ends: 1001 + ReuseLimits.lifetime).isAlive(boot: "boot", at: 1000))
    }

    private static func session(_ terminal: Int32) -> TerminalSession {
        TerminalSession(terminal: terminal, leader: ProcessIdentity(pid: 7, startTime: 70))
    }

    @Test func theNewestAnswersAreKept() throws {
        let folder = try TemporaryFolder()
        let book = try ReuseFile(registryDirectory: folder.path, uid: 7)
        let last = Int32(ReuseLimits.answers + 2)
        for terminal in 1...last {
            try book.note([.anyFactor], in: Self.session(terminal), asked: BootTime.milliseconds, seconds: 300)
        }
        for (terminal, isKept) in [(1, false), (2, false), (3, true), (last, true)] as [(Int32, Bool)] {
            let services = try book.services(in: Self.session(terminal), lastLock: 0)
            #expect(services == (isKept ? [.anyFactor] : []), "\(terminal)")
        }
        #expect(try book.forget() == ReuseLimits.answers)
    }

    /// It does not come back, no matter what is said of the lock later. A lock in the same moment counts, too.
    @Test func aLockEndsAnAnswerForGood() throws {
        let folder = try TemporaryFolder()
        let book = try ReuseFile(registryDirectory: folder.path, uid: 7)
        let asked = BootTime.milliseconds
        try book.note([.anyFactor, .biometric], in: session, asked: asked, seconds: 300)
        #expect(try book.services(in: session, lastLock: asked - 1) == [.anyFactor, .biometric])
        #expect(try book.services(in: session, lastLock: asked).isEmpty)
        #expect(try book.services(in: session, lastLock: 0).isEmpty)
        #expect(try book.forget() == 0)
    }

    /// No longer than the person allowed, and never longer than the longest time.
    @Test func anAnswerIsKeptForItsSeconds() throws {
        let folder = try TemporaryFolder()
        let book = try ReuseFile(registryDirectory: folder.path, uid: 7)
        for (seconds, kept) in [(1000, 300), (100, 100)] as [(Int, Int64)] {
            let asked = BootTime.milliseconds
            try book.note([.anyFactor], in: session, asked: asked, seconds: seconds)
            let bytes = try DurableFile.read("\(folder.path)/reuse/7.json", limit: 1 << 20)
            let record = try #require(try JSONReader.readValue([ReuseRecord].self, from: bytes).first)
            #expect((kept * 1000..<kept * 2000).contains(record.ends - asked), "\(seconds)")
        }
    }

    @Test func theRuleIsThisTable() throws {
        let all = Set(ProofService.allCases)
        let reading = PersonRequest.use(.reading, unlocks: false)
        #expect(ReuseRule.allows([.presence], for: reading, by: [.anyFactor]))
        #expect(ReuseRule.allows([.presence], for: reading, by: [.biometric]))
        #expect(ReuseRule.allows([.passcode], for: reading, by: [.passcode]))
        #expect(ReuseRule.allows([.presence, .biometryAny], for: reading, by: [.biometric]))
        #expect(!ReuseRule.allows([.presence], for: reading, by: []))
        #expect(!ReuseRule.allows([.passcode], for: reading, by: [.anyFactor, .biometric]))
        #expect(!ReuseRule.allows([.biometryAny], for: reading, by: [.anyFactor, .passcode]))
        #expect(!ReuseRule.allows([.biometryCurrentSet], for: reading, by: [.anyFactor, .passcode]))
        #expect(!ReuseRule.allows([], for: reading, by: all))
        for kind in AuthorizationKind.allCases where !kind.isForReading {
            #expect(!ReuseRule.allows([kind], for: reading, by: all), "\(kind)")
        }
        #expect(!ReuseRule.allows([], for: .vault(.create), by: all))
        #expect(!ReuseRule.allows([.unlock], for: .vault(.unlock), by: all))
        #expect(!ReuseRule.allows([.unlock], for: reading, by: all))
        #expect(!ReuseRule.allows([.recovery], for: reading, by: all))
        #expect(!ReuseRule.allows([.unlock, .presence], for: .use(.reading, unlocks: true), by: all))
        for request in try PersonRequest.samples.values {
            #expect(ReuseRule.allows([.presence], for: request, by: all) == (request == reading), "\(request)")
            if request.kind.terms.signs == [.circle] { #expect(!ReuseRule.allows([.circle], for: request, by: all)) }
            // Nothing is signed for entering a circle.
            if request.kind == .joinCircle { #expect(!ReuseRule.allows([], for: request, by: all)) }
        }
    }
}
