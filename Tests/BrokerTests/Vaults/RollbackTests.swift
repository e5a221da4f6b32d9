import Authorization
import BrokerProtocol
import Foundation
import Platform
import Synchronization
import TPM
import TestSupport
import Testing
import Varlink
import Vault

@testable import Broker

/// Attacker 5 puts an older copy of the vault's file back, on a real TPM and over real sockets. Harmless events that
/// look like it are here, too.
@Suite(.timeLimit(.minutes(30)))
struct RollbackTests {
    private static let uid = OwnProcess.effectiveUser

    private final class Fixture {
        let tpm: SWTPM
        let recorder = CommandRecorder()
        let time = TestClock()
        var broker: ThrowAwayBroker
        var client: WireClient
        private let bus: LogindMock?
        private let tap: WireTap?
        private let configuration: TCTIConfiguration

        /// - Parameter tap: something between the broker and this TPM.
        init(bus: LogindMock? = nil, tpm: SWTPM? = nil, tap: WireTap? = nil) async throws {
            self.tpm = try tpm ?? SWTPM()
            self.bus = bus
            self.tap = tap
            configuration = tap?.configuration ?? self.tpm.configuration
            broker = try await Self.start(configuration, recorder, time, bus, nil)
            client = try broker.client()
            try await broker.makeVault(client)
            for account in ["a", "b", "c"] { try await set(account) }
        }

        private static func start(
            _ tpm: TCTIConfiguration, _ recorder: CommandRecorder, _ time: TestClock, _ bus: LogindMock?,
            _ earlier: ThrowAwayBroker?
        ) async throws -> ThrowAwayBroker {
            var options = Broker.Options.patient
            options.clock = time.clock
            return try await ThrowAwayBroker(
                folder: earlier?.folder, authenticator: earlier?.authenticator, options: options,
                configure: {
                    $0.sealer = .tpm
                    $0.tcti = "\(tpm)"
                    if let bus { $0.systemBus = .address(bus.address) }
                }
            ) { _ in TPMSealer(TPMAccess.patient(tpm, observer: recorder)) }
        }

        var path: String { "\(broker.configuration.vaultDirectory)/user-\(uid).vault" }

        /// The file as it is. Once a call is answered, the file itself holds everything.
        func copy() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

        func stop() async { await broker.stop() }

        func start() async throws {
            broker = try await Self.start(configuration, recorder, time, bus, broker)
            client = try broker.client()
        }

        func restart(with file: Data? = nil) async throws {
            await stop()
            if let file { try file.write(to: URL(fileURLWithPath: path)) }
            try await start()
        }

        /// What a power cut leaves: this file, and the counter as it is. What the broker does as it stops counts for
        /// nothing, because the TPM's state of before is put back, too.
        func crash(leaving file: Data) async throws {
            try tpm.stop()
            let state = try tpm.saveState()
            try tpm.restart()
            await stop()
            try tpm.stop()
            try tpm.restore(state)
            try tpm.restart()
            try file.write(to: URL(fileURLWithPath: path))
            try await start()
            recorder.reset()
        }

        func set(_ account: String) async throws {
            _ = try await client.call(Keychain.Set(service: "s", account: account, value: someValue))
        }

        /// - Returns: as the reply has it.
        @discardableResult
        func delete(_ account: String, rollback: Keychain.RollbackTime? = nil) async throws -> Bool? {
            try await client.call(Keychain.Delete(service: "s", account: account, rollback: rollback)).protected
        }

        /// As the status says it.
        var isProtected: Bool? {
            get async throws { try await client.call(Keychain.Status()).vault.protected }
        }

        /// Takes all steps that are free now, the first one of a run included.
        ///
        /// - Parameter rest: how many stay free.
        func useUpSteps(butFor rest: Int = 0) async throws {
            for number in 0..<CounterLimits.steps { try await set("spare\(number)") }
            recorder.reset()
            var number = 0
            while counts < CounterLimits.steps - rest {
                #expect(try await delete("spare\(number)") == nil)
                number += 1
            }
            for rest in number..<CounterLimits.steps { try await delete("spare\(rest)", rollback: .later) }
            recorder.reset()
        }

        func unlock() async throws {
            _ = try await broker.call(client, Keychain.Unlock()) { Keychain.Unlock(challenge: $0) }
        }

        var accounts: [String] {
            get async throws { try await client.call(Keychain.List()).items.map(\.account) }
        }

        /// How often the TPM has counted.
        var counts: Int { recorder.names.count { $0 == "TPM2_NV_Increment" } }

        /// Returns when it has counted so often.
        func await(_ wanted: Int) async throws {
            let limit = ContinuousClock.now + patience
            while counts < wanted {
                try #require(ContinuousClock.now < limit, "counted \(counts) times, not \(wanted)")
                try await Task.sleep(for: .milliseconds(10))
            }
        }

        func refusal() async throws -> Fault { try await fault { try await client.call(Keychain.List()) } }
    }

    @Test("an older copy is refused by every call, and root with the owner's consent accepts it")
    func older() async throws {
        let fixture = try await Fixture()
        let old = try fixture.copy()
        try await fixture.delete("a")
        try await fixture.restart(with: old)
        for _ in 0..<2 {
            let refusal = try await fixture.refusal()
            #expect(refusal.name == .damaged && refusal.details.kind == Keychain.rollback)
            #expect(refusal.details.message?.contains("older copy") == true)
            #expect(refusal.details.advice?.contains("coffer vault accept") == true)
        }
        let get = Keychain.Get(service: "s", account: "a")
        #expect(try await fault { try await fixture.client.call(get) }.name == .damaged)
        let findings = try await fixture.client.call(Keychain.Diagnose()).findings
        #expect(findings.contains { $0.check == "rollback" && $0.verdict == .problem }, "\(findings)")

        // No call without the person, and no challenge that was for something else.
        let id = try await challenge { try await fixture.client.call(Keychain.AcceptVault()) }
        let early = try await fault { try await fixture.client.call(Keychain.AcceptVault(challenge: id)) }
        #expect(early.name == .challengeRefused)
        #expect(try await fixture.refusal().name == .damaged)
        _ = try await fixture.broker.call(fixture.client, Keychain.AcceptVault()) {
            Keychain.AcceptVault(challenge: $0)
        }
        #expect(try await fixture.accounts == ["a", "b", "c"])
        try await fixture.unlock()
        #expect(try await fixture.client.call(get).value == someValue)
        let log = try await fixture.client.call(Keychain.Log()).records
        #expect(log.contains { $0.event == "rollback" && $0.outcome == "refused" }, "\(log.map(\.event))")
        #expect(log.contains { $0.event == "accept" && $0.outcome == "done" }, "\(log.map(\.event))")

        // It stays accepted. The copy that was accepted is not accepted a second time.
        let again = try await fault { try await fixture.client.call(Keychain.AcceptVault()) }
        #expect(again.name == .alreadyExists)
        try await fixture.delete("b")
        try await fixture.restart()
        #expect(try await fixture.accounts == ["a", "c"])
        try await fixture.restart(with: old)
        #expect(try await fixture.refusal().details.kind == Keychain.rollback)
        await fixture.stop()
    }

    @Test("a challenge for something else accepts nothing")
    func otherPurpose() async throws {
        let fixture = try await Fixture()
        let old = try fixture.copy()
        try await fixture.delete("a")
        // Granted for opening, while it opens.
        let id = try await challenge {
            _ = try await fixture.client.call(Keychain.Lock())
            return try await fixture.client.call(Keychain.Unlock())
        }
        try await fixture.broker.authenticator.grant(id)
        let other = try await fault { try await fixture.client.call(Keychain.AcceptVault(challenge: id)) }
        #expect(other.name == .challengeRefused)
        try await fixture.restart(with: old)
        #expect(try await fixture.refusal().name == .damaged)
        await fixture.stop()
    }

    @Test("nobody but root may accept", .enabled(if: getuid() == 0, "only root can become other users"))
    func notRoot() async throws {
        let fixture = try await Fixture()
        let other = try await OtherUser(fixture.broker, 1)
        for parameters in ["", #""user":"root""#, #""group":"root""#] {
            let answer = try await other.say("AcceptVault", parameters)
            #expect(answer.contains("NotPermitted"), "\(answer)")
        }
        await fixture.stop()
    }

    @Test("a counter that is gone is refused and made anew by acceptance")
    func gone() async throws {
        let fixture = try await Fixture()
        let record = try #require(try fixture.broker.authenticator.registry.record(for: .user(Self.uid)))
        let handle = "0x" + String(record.counter?.handle ?? 0, radix: 16)
        await fixture.stop()
        try Tool.output("tpm2_nvundefine", ["-T", fixture.tpm.tools, "-Q", "-C", "o", handle])
        try await fixture.start()
        #expect(try await fixture.refusal().details.kind == Keychain.rollback)
        _ = try await fixture.broker.call(fixture.client, Keychain.AcceptVault()) {
            Keychain.AcceptVault(challenge: $0)
        }
        #expect(try await fixture.accounts == ["a", "b", "c"])
        try await fixture.delete("a")
        try await fixture.restart()
        #expect(try await fixture.accounts == ["b", "c"])
        #expect(try fixture.tpm.leftovers() == [])
        await fixture.stop()
    }

    @Test(
        "a counter that goes while the vault is open: doctor's advice works, and nobody says that nothing is to accept")
    func goneWhileOpen() async throws {
        let fixture = try await Fixture()
        try await fixture.unlock()
        let record = try #require(try fixture.broker.authenticator.registry.record(for: .user(Self.uid)))
        let handle = "0x" + String(record.counter?.handle ?? 0, radix: 16)
        try Tool.output("tpm2_nvundefine", ["-T", fixture.tpm.tools, "-Q", "-C", "o", handle])
        let findings = try await fixture.client.call(Keychain.Diagnose()).findings
        let advice = try #require(findings.first { $0.message.hasSuffix("(\(handle))") }?.advice)
        let steps = ["coffer export", "restart cofferd", "coffer vault accept --user \(record.ownerName)"]
        let places = try steps.map { try #require(advice.range(of: $0), "\(advice)").lowerBound }
        #expect(places == places.sorted(), "\(advice)")
        let early = try await fault { try await fixture.client.call(Keychain.AcceptVault()) }
        #expect(early.name == .failed && early.details.advice?.contains("restart cofferd") == true, "\(early)")
        try await fixture.restart()
        _ = try await fixture.broker.call(fixture.client, Keychain.AcceptVault()) {
            Keychain.AcceptVault(challenge: $0)
        }
        #expect(try await fixture.accounts == ["a", "b", "c"])
        let again = try await fault { try await fixture.client.call(Keychain.AcceptVault()) }
        #expect(again.name == .alreadyExists, "\(again)")
        await fixture.stop()
    }

    @Test("a counter that is gone is not made anew where another vault's record names its place")
    func goneToAnother() async throws {
        let fixture = try await Fixture()
        let registry = fixture.broker.authenticator.registry
        let record = try #require(try registry.record(for: .user(Self.uid)))
        let handle = "0x" + String(record.counter?.handle ?? 0, radix: 16)
        let other = RegistryRecord(
            vault: try VaultID.random(), owner: .user(4321), ownerName: "other", created: 1, sealer: .tpm,
            authenticatorKey: record.authenticatorKey, storageKey: record.storageKey, counter: record.counter,
            objects: record.objects)
        await fixture.stop()
        try Tool.output("tpm2_nvundefine", ["-T", fixture.tpm.tools, "-Q", "-C", "o", handle])
        try registry.write(other)
        try await fixture.start()
        let refused = try await fault {
            try await fixture.broker.call(fixture.client, Keychain.AcceptVault()) {
                Keychain.AcceptVault(challenge: $0)
            }
        }
        #expect(refused.name == .tpm, "\(refused)")
        #expect(refused.details.advice?.contains("coffer vault set-aside") == true, "\(refused)")
        #expect(try await fixture.refusal().details.kind == Keychain.rollback)
        try FileManager.default.removeItem(atPath: registry.path(of: other.owner))
        _ = try await fixture.broker.call(fixture.client, Keychain.AcceptVault()) {
            Keychain.AcceptVault(challenge: $0)
        }
        #expect(try await fixture.accounts == ["a", "b", "c"])
        await fixture.stop()
    }

    @Test(
        "a call is acknowledged when it is counted: the first in a run twice, the others once, and a write not at all")
    func counted() async throws {
        let fixture = try await Fixture()
        fixture.recorder.reset()
        try await fixture.set("d")
        #expect(try await fixture.accounts.count == 4)
        #expect(fixture.recorder.names == [])
        try await fixture.delete("a")
        #expect(fixture.counts == 2)
        try await fixture.delete("b")
        #expect(fixture.counts == 3)
        let edit = Keychain.Edit(service: "s", account: "c", access: .presence)
        _ = try await fixture.client.call(edit)
        #expect(fixture.counts == 4)
        // A call that changes nothing counts nothing.
        #expect(try await fault { try await fixture.delete("a") }.name == .notFound)
        #expect(fixture.counts == 4)
        let status = try await fixture.client.call(Keychain.Status())
        // Stored after the generation of its keys.
        #expect(status.vault.counter == 0x1B0_C001)
        await fixture.stop()
        // Everything was counted. Nothing is left to count.
        #expect(fixture.counts == 4)
    }

    @Test("many at once are all counted, and not each by itself")
    func manyAtOnce() async throws {
        let fixture = try await Fixture()
        for number in 0..<12 { try await fixture.set("n\(number)") }
        fixture.recorder.reset()
        let broker = fixture.broker
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<12 {
                group.addTask {
                    let client = try broker.client()
                    _ = try await client.call(Keychain.Delete(service: "s", account: "n\(number)"))
                }
            }
            try await group.waitForAll()
        }
        #expect((2...13).contains(fixture.counts))
        try await fixture.restart()
        #expect(try await fixture.accounts == ["a", "b", "c"])
        await fixture.stop()
    }

    @Test(
        "deletions without end move the counter so often and no more; those after that do not wait, and one move counts all of them"
    )
    func worn() async throws {
        let fixture = try await Fixture()
        for number in 0..<(CounterLimits.steps + 40) { try await fixture.set("n\(number)") }
        fixture.recorder.reset()
        let other =
            Self.uid == 0 ? try await OtherUser(fixture.broker, 1) : nil
        if let other {
            #expect(try await other.pass("Unlock").contains("unlocked"))
            let set = try await other.say("Set", #""service":"s","account":"other","value":"AAAA""#)
            #expect(!set.contains("error"), "\(set)")
        }
        fixture.recorder.reset()
        // The clock stands still: all of this is one moment.
        for number in 0..<(CounterLimits.steps - 1) { #expect(try await fixture.delete("n\(number)") == nil) }
        // Including this run's first step.
        #expect(fixture.counts == CounterLimits.steps)
        let before = try fixture.copy()
        #expect(try await fixture.isProtected == nil)
        for number in CounterLimits.steps - 1..<CounterLimits.steps + 40 {
            #expect(try await fixture.delete("n\(number)") == false)
        }
        #expect(try await fixture.accounts == ["a", "b", "c"])
        #expect(try await fixture.isProtected == false)
        // Locks advance the epoch for what was written, and cost steps too.
        for _ in 0..<5 {
            try await fixture.set("d")
            _ = try await fixture.client.call(Keychain.Lock())
        }
        // Other calls do not wait.
        if let other {
            let deleted = try await other.say("Delete", #""service":"s","account":"other""#)
            #expect(!deleted.contains("error"), "\(deleted)")
        }
        #expect(fixture.counts == CounterLimits.steps + (other == nil ? 0 : 2))
        let made = try fixture.copy()
        fixture.recorder.reset()
        fixture.time.advance(by: CounterLimits.pace)
        try await fixture.await(1)
        try await until("the status says so") { try await fixture.isProtected == nil }
        #expect(fixture.counts == 1)
        // A stop does not wait for a free step.
        try await fixture.set("e")
        let late = try fixture.copy()
        await fixture.stop()
        #expect(fixture.counts == 2)
        for copy in [before, made, late] {
            try await fixture.restart(with: copy)
            #expect(try await fixture.refusal().details.kind == Keychain.rollback)
        }
        await fixture.stop()
    }

    @Test("what is acknowledged without a step is taken back by nobody after the next opening")
    func stoppedBeforeTheStep() async throws {
        let fixture = try await Fixture()
        try await fixture.useUpSteps()
        let before = try fixture.copy()
        #expect(try await fixture.delete("a") == false)
        // As after a power cut: the file as it was acknowledged, and a counter that knows nothing of it.
        let deleted = try fixture.copy()
        #expect(fixture.counts == 0)
        try await fixture.crash(leaving: deleted)
        #expect(try await fixture.accounts == ["b", "c"])
        // The first step of the run, and the one that was left.
        #expect(fixture.counts == 2)
        #expect(try await fixture.isProtected == nil)
        #expect(try await fixture.delete("b") == nil)
        #expect(fixture.counts == 3)
        for copy in [before, deleted] {
            try await fixture.restart(with: copy)
            #expect(try await fixture.refusal().details.kind == Keychain.rollback)
        }
        await fixture.stop()
    }

    @Test("what is acknowledged without a step can be taken back until the next opening, as the threat model says")
    func takenBackBeforeTheStep() async throws {
        let fixture = try await Fixture()
        try await fixture.useUpSteps()
        let before = try fixture.copy()
        #expect(try await fixture.delete("a") == false)
        try await fixture.crash(leaving: before)
        #expect(try await fixture.accounts == ["a", "b", "c"])
        await fixture.stop()
    }

    @Test("a change that must wait waits for the next free step, and it counts the deletions before it")
    func alwaysWaiting() async throws {
        let fixture = try await Fixture()
        try await fixture.unlock()
        try await fixture.useUpSteps()
        let before = try fixture.copy()
        #expect(try await fixture.delete("a") == false)
        let isDone = Mutex(false)
        let rotation = Task { [broker = fixture.broker] in
            let client = try broker.client()
            _ = try await client.call(Keychain.Rotate(service: "s", account: "b"))
            isDone.withLock { $0 = true }
        }
        let named = Keychain.Show(service: "s", account: "b")
        try await until("the fresh key is in the file") { try await fixture.client.call(named).item.version == 2 }
        // Deletions beside it do not wait, nor does stricter access, fewer former values, or a list of changes.
        #expect(try await fixture.delete("c") == false)
        try await fixture.set("e")
        let edit = Keychain.Edit(service: "s", account: "e", access: .presence)
        #expect(try await fixture.client.call(edit).protected == false)
        try await fixture.set("e")
        let open = Keychain.Set(service: "s", account: "e", value: someValue, access: .init(require: []))
        #expect(try await fixture.client.call(open).protected == false)
        #expect(try await fixture.client.call(Keychain.SetHistory(values: 0)).protected == false)
        let apply = Keychain.Apply(changes: [.init(action: .deleteService, service: "s")])
        #expect(try await fixture.client.call(apply).protected == false)
        #expect(fixture.counts == 0 && !isDone.withLock { $0 })
        fixture.time.advance(by: CounterLimits.pace)
        try await rotation.value
        #expect(fixture.counts == 1)
        try await fixture.restart(with: before)
        #expect(try await fixture.refusal().details.kind == Keychain.rollback)
        await fixture.stop()
    }

    @Test("with rollback: later, a deletion takes no step and needs no TPM; the next step covers it")
    func later() async throws {
        let fixture = try await Fixture()
        let before = try fixture.copy()
        fixture.recorder.reset()
        #expect(try await fixture.delete("a", rollback: .later) == nil)
        let apply = Keychain.Apply(
            changes: [.init(action: .delete, service: "s", account: "b")], rollback: .later)
        #expect(try await fixture.client.call(apply).protected == nil)
        #expect(fixture.recorder.names == [])
        #expect(try await fixture.isProtected == nil)
        try fixture.tpm.stop()
        try await fixture.set("d")
        #expect(try await fixture.delete("d", rollback: .later) == nil)
        try fixture.tpm.restart()
        #expect(try await fixture.accounts == ["c"])
        try await fixture.delete("c")
        try await fixture.restart(with: before)
        #expect(try await fixture.refusal().details.kind == Keychain.rollback)
        await fixture.stop()
    }

    @Test("if the TPM did not count, a deletion waits and fails, although it would not wait for a free step")
    func wornAndDead() async throws {
        let tpm = try SWTPM()
        let isSparing = Mutex(false)
        let fixture = try await Fixture(tpm: tpm, tap: try WireTap.sparing(tpm) { isSparing.withLock { $0 } })
        for number in 0..<4 { try await fixture.set("n\(number)") }
        try await fixture.useUpSteps()
        isSparing.withLock { $0 = true }
        // Nobody knows yet.
        #expect(try await fixture.delete("n0") == false)
        fixture.time.advance(by: CounterLimits.pace)
        try await fixture.await(1)
        let failed = try await fault { try await fixture.delete("n1") }
        #expect(failed.name == .tpm && failed.details.kind == "busy", "\(failed)")
        let again = try await fault { try await fixture.delete("n2") }
        #expect(again.name == .tpm && again.details.message?.contains("is made") == false, "\(again)")
        #expect(try await fixture.isProtected == false)
        // A mere write goes on.
        try await fixture.set("n3")
        isSparing.withLock { $0 = false }
        // It is tried again by itself.
        fixture.time.advance(by: CounterLimits.retryDelay)
        try await until("it is counted") { try await fixture.isProtected == nil }
        try await fixture.restart()
        #expect(try await !fixture.accounts.contains("n0"))
        await fixture.stop()
    }

    /// What a tap does with the TPM's counting.
    private enum Counting { case goesOn, isHeld, isRefused }

    @Test("a deletion beside a count that fails is no success, although no step is free for it")
    func hungCount() async throws {
        let tpm = try SWTPM()
        let counting = Mutex(Counting.goesOn)
        let isReached = Mutex(false)
        let tap = try WireTap.sparing(tpm) {
            let end = ContinuousClock.now + patience
            while counting.withLock({ $0 }) == .isHeld, ContinuousClock.now < end {
                isReached.withLock { $0 = true }
                usleep(1000)
            }
            return counting.withLock { $0 } == .isRefused
        }
        let fixture = try await Fixture(tpm: tpm, tap: tap)
        try await fixture.useUpSteps(butFor: 1)
        counting.withLock { $0 = .isHeld }
        let deletions = ["a", "b"].map { account in
            Task { [broker = fixture.broker] in
                let client = try broker.client()
                return try await fault { try await client.call(Keychain.Delete(service: "s", account: account)) }
            }
        }
        try await until("the TPM counts") { isReached.withLock { $0 } }
        try await until("both are in the file") { try await fixture.accounts == ["c"] }
        counting.withLock { $0 = .isRefused }
        for deletion in deletions {
            let failure = try await deletion.value
            #expect(failure.name == .tpm && failure.details.kind == "busy", "\(failure)")
            #expect(failure.details.message?.contains("is made") == true, "\(failure)")
        }
        counting.withLock { $0 = .goesOn }
        #expect(try await fixture.delete("c") == false)
        await fixture.stop()
    }

    @Test("steps that could not wait do not make a deletion wait longer for its own")
    func overdrawn() async throws {
        let tpm = try SWTPM()
        let isSparing = Mutex(false)
        let fixture = try await Fixture(tpm: tpm, tap: try WireTap.sparing(tpm) { isSparing.withLock { $0 } })
        try await fixture.useUpSteps()
        isSparing.withLock { $0 = true }
        #expect(try await fixture.delete("a") == false)
        fixture.time.advance(by: CounterLimits.pace)
        try await fixture.await(1)
        for _ in 0..<3 { _ = try await fault { try await fixture.delete("b") } }
        isSparing.withLock { $0 = false }
        #expect(try await fixture.delete("c") == false)
        let counted = fixture.counts
        fixture.time.advance(by: CounterLimits.pace)
        try await fixture.await(counted + 1)
        try await until("it is counted") { try await fixture.isProtected == nil }
        await fixture.stop()
    }

    @Test("deletions beside each other, when steps run out in their midst, all end without the clock")
    func wornTogether() async throws {
        let fixture = try await Fixture()
        let (number, free) = (180, 5)
        for account in 0..<number { try await fixture.set("n\(account)") }
        try await fixture.useUpSteps(butFor: free)
        let broker = fixture.broker
        let unprotected = try await withThrowingTaskGroup(of: Int.self) { group in
            for part in 0..<6 {
                group.addTask {
                    let client = try broker.client()
                    var unprotected = 0
                    for account in 0..<number where account % 6 == part {
                        let reply = try await client.call(Keychain.Delete(service: "s", account: "n\(account)"))
                        if reply.protected == false { unprotected += 1 }
                    }
                    return unprotected
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(try await fixture.accounts == ["a", "b", "c"])
        // Deletions that are made at once share a step, so some may be left.
        #expect((1...free).contains(fixture.counts))
        #expect(unprotected > 0)
        #expect(try await fixture.isProtected == false)
        await fixture.stop()
    }

    /// A lock advances the epoch for what was written.
    @Test("written and locked: an earlier copy is refused")
    func advanceAtLock() async throws {
        let fixture = try await Fixture()
        let old = try fixture.copy()
        fixture.recorder.reset()
        try await fixture.set("d")
        _ = try await fixture.client.call(Keychain.Lock())
        try await fixture.await(2)
        await fixture.stop()
        #expect(fixture.counts == 2)
        try await fixture.restart(with: old)
        #expect(try await fixture.refusal().details.kind == Keychain.rollback)
        await fixture.stop()
    }

    @Test("written and stopped: an earlier copy is refused")
    func advanceAtStop() async throws {
        let fixture = try await Fixture()
        let old = try fixture.copy()
        fixture.recorder.reset()
        try await fixture.set("d")
        #expect(fixture.counts == 0)
        await fixture.stop()
        #expect(fixture.counts == 2)
        try await fixture.restart(with: old)
        #expect(try await fixture.refusal().details.kind == Keychain.rollback)
        await fixture.stop()
    }

    @Test("written, and ten minutes later: an earlier copy is refused")
    func advanceInTime() async throws {
        let fixture = try await Fixture()
        // What was written when the vault was made.
        fixture.recorder.reset()
        fixture.time.advance(by: .seconds(601))
        try await fixture.await(2)
        let old = try fixture.copy()
        fixture.recorder.reset()
        try await fixture.set("d")
        fixture.time.advance(by: .seconds(590))
        try await fixture.set("e")
        try await Task.sleep(for: .milliseconds(200))
        #expect(fixture.counts == 0)
        fixture.time.advance(by: .seconds(11))
        try await fixture.await(1)
        // Nothing was written since, so the counter stays.
        fixture.time.advance(by: .seconds(3600))
        try await Task.sleep(for: .milliseconds(200))
        #expect(fixture.counts == 1)
        await fixture.stop()
        #expect(fixture.counts == 1)
        try await fixture.restart(with: old)
        #expect(try await fixture.refusal().details.kind == Keychain.rollback)
        await fixture.stop()
    }

    @Test("written, and the machine goes to sleep: it waits for the counter")
    func advanceAtSleep() async throws {
        let mock = try LogindMock()
        try mock.add(session: "c1", uid: Self.uid)
        let fixture = try await Fixture(bus: mock)
        let limit = ContinuousClock.now + patience
        while !fixture.broker.log.all.contains(where: { $0.contains("logind is heard") }) {
            try #require(ContinuousClock.now < limit)
            try await Task.sleep(for: .milliseconds(10))
        }
        let old = try fixture.copy()
        fixture.recorder.reset()
        try await fixture.set("d")
        try mock.prepareForSleep(true)
        while !fixture.broker.log.all.contains(where: { $0.contains("sleep is not held") }) {
            try #require(ContinuousClock.now < limit)
            try await Task.sleep(for: .milliseconds(2))
        }
        #expect(fixture.counts == 2)
        await fixture.stop()
        try await fixture.restart(with: old)
        #expect(try await fixture.refusal().details.kind == Keychain.rollback)
        await fixture.stop()
    }

    @Test(
        "a TPM that is dead at a deletion: the call fails, nothing is lost, and it is no attack",
        arguments: [true, false])
    func deadTPM(isRepaired: Bool) async throws {
        let fixture = try await Fixture()
        try await fixture.delete("a")
        try fixture.tpm.stop()
        let first = try await fault { try await fixture.delete("b") }
        #expect(first.name == .tpm && first.details.kind == "unavailable", "\(first)")
        #expect(first.details.message?.contains("has not counted it yet") == true, "\(first)")
        // Calls that need no counter work.
        try await fixture.set("d")
        #expect(try await fixture.accounts == ["c", "d"])
        // Calls that need it fail, and change nothing.
        let next = try await fault { try await fixture.delete("c") }
        #expect(next.name == .tpm && next.details.message?.contains("is made") == false, "\(next)")
        #expect(try await fixture.accounts == ["c", "d"])
        try fixture.tpm.restart()
        if isRepaired { try await fixture.delete("c") }
        try await fixture.restart()
        #expect(try await fixture.accounts == (isRepaired ? ["d"] : ["c", "d"]))
        await fixture.stop()
    }

    @Test(
        "a TPM that spares its memory for a while: what is deleted is said to be uncounted, nothing is lost, and it is no attack"
    )
    func sparingTPM() async throws {
        let tpm = try SWTPM()
        let isSparing = Mutex(false)
        let fixture = try await Fixture(tpm: tpm, tap: try WireTap.sparing(tpm) { isSparing.withLock { $0 } })
        try await fixture.delete("a")
        isSparing.withLock { $0 = true }
        let first = try await fault { try await fixture.delete("b") }
        #expect(first.name == .tpm && first.details.kind == "busy" && first.details.code == 0x920, "\(first)")
        #expect(first.details.message?.contains("has not counted it yet") == true, "\(first)")
        try await fixture.set("d")
        let next = try await fault { try await fixture.delete("c") }
        #expect(next.details.kind == "busy" && next.details.message?.contains("is made") == false, "\(next)")
        #expect(try await fixture.accounts == ["c", "d"])
        // A broker that starts then waits for it, too. Nobody is told of an attack.
        try await fixture.restart()
        #expect(try await fixture.refusal().details.kind == "busy")
        isSparing.withLock { $0 = false }
        #expect(try await fixture.accounts == ["c", "d"])
        try await fixture.delete("c")
        try await fixture.restart()
        #expect(try await fixture.accounts == ["d"])
        #expect(try tpm.leftovers() == [])
        await fixture.stop()
    }

    @Test("a vault that never came to be leaves no counter")
    func abandoned() async throws {
        let tpm = try SWTPM()
        let broker = try await ThrowAwayBroker(configure: { $0.sealer = .tpm }) { _ in
            TPMSealer(TPMAccess.patient(tpm.configuration))
        }
        let client = try broker.client()
        func indexes() throws -> Int {
            try Tool.output("tpm2_getcap", ["-T", tpm.tools, "handles-nv-index"]).split(separator: "\n").count
        }
        /// The broker refuses another creation until it sees that the last one's line is closed.
        func afterTheLast(_ creation: () async throws -> Void) async throws {
            try await until("the end of the last creation is seen") {
                do { try await creation() } catch let fault as Fault
                    where fault.details.message == "your vault is being made already"
                { return false }
                return true
            }
        }
        for _ in 0..<2 {
            try await afterTheLast {
                let id = try await challenge { try await client.call(Keychain.Unlock()) }
                let line = try await broker.authenticator.described(id)
                do { _ = try await broker.authenticator.provision(id, line) } catch {
                    await line.close()
                    throw error
                }
                await line.close()
            }
        }
        try await afterTheLast { try await broker.makeVault(client) }
        let limit = ContinuousClock.now + patience
        // Counter and generation of the present vault.
        while try indexes() != 2 {
            try #require(ContinuousClock.now < limit, "an index stays")
            try await Task.sleep(for: .milliseconds(50))
        }
        await broker.stop()
    }
}

/// The real program, killed when the file is ahead of the counter. The TPM is held at that moment.
@Suite(.timeLimit(.minutes(30)))
struct KilledMoveTests {
    @Test("killed between file and counter: no attack, and the copy of that moment is no fork", arguments: [1, 2, 3])
    func killed(move: Int) async throws {
        let tpm = try SWTPM()
        let folder = try TemporaryFolder()
        let sealer = "sealer = tpm\ntcti = \(tpm.configuration)"
        var cofferd = try Cofferd(folder: folder, sealer: sealer)
        let uid = OwnProcess.effectiveUser
        let authenticator = try TestAuthenticator(
            socket: folder.path + "/private.sock",
            registry: Registry(directory: folder.path + "/registry", authenticatorUID: uid))
        var client = try WireClient(cofferd.socket)
        try await authenticator.grant(try await challenge { try await client.call(Keychain.Unlock()) })
        for account in ["a", "b", "c", "d"] {
            _ = try await client.call(Keychain.Set(service: "s", account: account, value: someValue))
        }
        let path = "\(folder.path)/vaults/user-\(uid).vault"
        func content() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }
        // The first deletion of a run is killed at its first step, later ones at their own.
        let before = ["a", "b"].prefix(move - 1)
        for account in before { _ = try await client.call(Keychain.Delete(service: "s", account: account)) }
        let last = try content()
        tpm.hang()
        let victim = ["a", "b", "c"][move - 1]
        let dying = client
        let call = Task { try await dying.call(Keychain.Delete(service: "s", account: victim)) }
        let limit = ContinuousClock.now + patience
        // The change is in the file when the file's WAL is empty again.
        func isLogged() throws -> Bool {
            try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int != 0
        }
        while try content() == last || isLogged() {
            try #require(ContinuousClock.now < limit)
            try await Task.sleep(for: .milliseconds(10))
        }
        _ = try cofferd.end(SIGKILL)
        await #expect(throws: (any Error).self) { try await call.value }
        tpm.resume()
        let stopped = try content()
        #expect(stopped != last)

        // This was no attack.
        cofferd = try Cofferd(folder: folder, sealer: sealer)
        client = try WireClient(cofferd.socket)
        let left = try await client.call(Keychain.List()).items.map(\.account)
        #expect(left == ["a", "b", "c", "d"].filter { !before.contains($0) && (move == 1 || $0 != victim) })
        _ = try cofferd.end(SIGKILL)

        // Fork: the run continues from the former file, if that is accepted. The copy from the kill cannot undo what
        // the run acknowledges.
        for start in [stopped, last] {
            try start.write(to: URL(fileURLWithPath: path))
            cofferd = try Cofferd(folder: folder, sealer: sealer)
            client = try WireClient(cofferd.socket)
            do { _ = try await client.call(Keychain.Delete(service: "s", account: "d")) } catch let fault as Fault {
                #expect(start == last && fault.details.kind == Keychain.rollback, "\(fault)")
            }
            _ = try cofferd.end(SIGKILL)
            for copy in [stopped, last] {
                try copy.write(to: URL(fileURLWithPath: path))
                cofferd = try Cofferd(folder: folder, sealer: sealer)
                client = try WireClient(cofferd.socket)
                let refusal = try await fault { try await client.call(Keychain.List()) }
                #expect(refusal.name == .damaged && refusal.details.kind == Keychain.rollback, "\(refusal)")
                _ = try cofferd.end(SIGKILL)
            }
        }
    }
}
