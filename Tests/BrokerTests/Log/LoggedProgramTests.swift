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
    @Test("a process is named by what it is called and where it runs, and by its program if root has resolved that")
    func process() throws {
        let process = try ProcessIdentity.current()
        let (name, group) = (
            try ProcessStat(pid: process.pid).command, try ProcessStat.controlGroup(pid: process.pid)
        )
        let plain = LoggedProgram.of(uid: 7, process)
        #expect(plain.uid == 7 && plain.pid == process.pid && plain.name == name && !plain.isResolved)
        #expect(plain.controlGroup == group)
        let resolved = LoggedProgram.of(uid: 7, process, resolved: "/usr/bin/asker")
        #expect(resolved.name == "/usr/bin/asker" && resolved.isResolved && resolved.controlGroup == group)
    }

    @Test("of a process that has ended, and of a later one with its number, nothing is said but the number")
    func ended() throws {
        let process = try ProcessIdentity.current()
        let former = ProcessIdentity(pid: process.pid, startTime: process.startTime - 1)
        let plain = LoggedProgram.of(uid: 7, former)
        #expect(plain.pid == process.pid && plain.name == nil && plain.controlGroup == nil && !plain.isResolved)
        let resolved = LoggedProgram.of(uid: 7, former, resolved: "/usr/bin/asker")
        #expect(resolved.name == "/usr/bin/asker" && resolved.isResolved && resolved.controlGroup == nil)
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
