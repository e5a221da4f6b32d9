import Authorization
import BrokerProtocol
import Item
import Logging
import Platform
import Testing
import Varlink

@testable import Broker
@testable import Vault

/// How the access log names programs, outcomes and records.
struct LoggedProgramTests {
    @Test("a question has the program as it was when it connected, also after that has ended, or as root resolved it")
    func process() throws {
        let process = try ProcessIdentity.current()
        let traits = ProcessTraits(try HeldProcess(observing: process.pid))
        #expect(traits.name != nil)
        let former = ProcessIdentity(pid: process.pid, startTime: process.startTime - 1)
        let store = ChallengeStore(limits: .init(openPerUser: 8, life: .seconds(60)), clock: .system)
        for program in [nil, "/usr/bin/asker"] {
            let caller = Caller(uid: 7, process: former, connection: 1, traits: traits)
            let id = try store.issue(.vault(.unlock), to: caller, owner: .user(7), vault: VaultID.random())
            _ = try store.describe(id, uid: 7, process: former, program: program, connection: 9)
            store.connectionEnded(9)
            let found = try #require(store.ended.take(of: .user(7)).records.first?.program)
            #expect(found.uid == 7 && found.pid == process.pid && found.controlGroup == traits.controlGroup)
            #expect(found.name == program ?? traits.name && found.isResolved == (program != nil))
        }
    }

    @Test("a refusal's word is the error's own name")
    func words() {
        #expect(OutcomeWord.of(Fault(.locked)) == "locked")
        #expect(OutcomeWord.of(Fault(.challengeRefused)) == "challenge-refused")
        #expect(OutcomeWord.of(Fault(.applicationPasswordRefused)) == "application-password-refused")
        #expect(OutcomeWord.of(Fault(.tpm)) == "tpm")
    }

    @Test("a client gets everything that a record says")
    func record() throws {
        let program = AccessRecord.Program(uid: 7, pid: 8, name: "n", isResolved: true, controlGroup: "/g")
        let subject = AccessRecord.Subject(item: "i", service: "s", account: "a", kind: .key, require: ["presence"])
        var record = AccessRecord(.read, outcome: "refused", by: program, of: subject, reason: "r", detail: "d")
        record.sequence = 5
        record.time = 6
        record.missed = 9
        let expected = Keychain.LogRecord(
            sequence: 5, time: 6, event: "read", outcome: "refused", uid: 7, pid: 8, program: "n", resolved: true,
            controlGroup: "/g", item: "i", service: "s", account: "a", kind: .key, require: ["presence"], reason: "r",
            detail: "d", missed: 9)
        #expect(Keychain.LogRecord(record) == expected)
        let bare = Keychain.LogRecord(AccessRecord(.start))
        let least = Keychain.LogRecord(
            sequence: 0, time: 0, event: "start", outcome: "done", resolved: false, require: [])
        #expect(bare == least)
    }

    @Test("the broker's own log says of a call who made it, and names a method only if it is served")
    func fields() {
        let caller = Caller(uid: 7, process: ProcessIdentity(pid: 8, startTime: 9), connection: 1)
        #expect(LogFields.of(caller) == ["uid": "7", "pid": "8"])
        let served = LogFields.of(caller, method: "m", outcome: .locked)
        #expect(
            served == ["uid": "7", "pid": "8", "method": "m", "outcome": "\(Fault.Name.locked.rawValue)"])
        #expect(LogFields.of(caller, method: "m")["method"] == "m")
        for name in [Fault.Name.methodNotFound, .interfaceNotFound] {
            #expect(LogFields.of(caller, method: "m", outcome: name)["method"] == "unknown")
        }
    }
}

/// How many refusals are recorded one by one.
struct RefusalBudgetTests {
    private let start = ContinuousClock.now

    @Test("so many at once, and then one after each pause")
    func pauses() {
        var budget = RefusalBudget()
        for _ in 0..<LogLimits.refusals { #expect(budget.take(at: start) == 0) }
        for _ in 0..<3 { #expect(budget.take(at: start) == nil) }
        let almost = start + LogLimits.refusalPause - .milliseconds(1)
        #expect(budget.take(at: almost) == nil)
        let next = start + LogLimits.refusalPause
        #expect(budget.take(at: next) == 4)
        #expect(budget.take(at: next) == nil)
        // What is left of a pause counts for the next one.
        let later = start + LogLimits.refusalPause * 3 + .seconds(9)
        #expect(budget.take(at: later) == 1)
        #expect(budget.take(at: later) == 0)
        #expect(budget.take(at: later) == nil)
        #expect(budget.take(at: later + .seconds(1)) == 1)
        #expect(budget.takeCount() == 0)
    }

    @Test("a rest saves up no more than the first ones were")
    func rest() {
        var budget = RefusalBudget()
        #expect(budget.take(at: start) == 0)
        let later = start + LogLimits.refusalPause * 1000
        for _ in 0..<LogLimits.refusals { #expect(budget.take(at: later) == 0) }
        for _ in 0..<2 { #expect(budget.take(at: later) == nil) }
        #expect(budget.takeCount() == 2)
        #expect(budget.takeCount() == 0)
        #expect(budget.take(at: later + LogLimits.refusalPause) == 0)
    }
}
