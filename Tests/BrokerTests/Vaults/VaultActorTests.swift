import Authorization
import BrokerProtocol
import Cryptography
import Dispatch
import Item
import Platform
import Synchronization
import TestSupport
import Testing
import Varlink
import Vault

@testable import Broker

/// One vault from inside: what damage, a stop and root's setting it aside leave of it, and what its log takes.
@Suite(.timeLimit(.minutes(10)))
struct VaultActorTests {
    private let owner = Owner.user(1)

    private func damaged(_ kind: String? = nil) -> Fault {
        Fault(.damaged, Fault.Details(message: "a row is missing", kind: kind))
    }

    /// Grants a lease from the user's vault to this process.
    private func lease(_ fixture: VaultFixture, _ vault: VaultID) throws {
        let subject = try Challenge.Subject.sample("s", "a")
        let way = [Challenge.Authorization(role: .presence, kind: .presence, point: [1])]
        let read = try Challenge.JointRead([subject], reason: nil, wanted: [(subject.item, [way])])
        let terms = Lease.Terms(seconds: 3600, command: nil)
        let process = try ProcessIdentity.current()
        let challenge = Challenge(
            id: "c", uid: 1, owner: owner, process: process, vault: vault, reason: nil, enrolled: [],
            life: ChallengeLife(.lease(read, terms)), expires: .now)
        _ = try fixture.dependencies.leases.add(
            terms, [.init(subject: subject, signatures: way)], for: challenge, in: vault,
            by: AccessRecord.Program(uid: 1, pid: process.pid, name: nil, isResolved: false, controlGroup: nil),
            since: .now, if: { true })
    }

    @Test("damage closes the vault, ends what was granted from it, and stays until root has put the vault aside")
    func damage() async throws {
        let fixture = try VaultFixture()
        let vaultActor = try await fixture.make(1)
        let record = try #require(await vaultActor.open).record
        try lease(fixture, record.vault)
        #expect(fixture.dependencies.leases.list(of: 1, from: owner).count == 1)
        let events = try fixture.dependencies.events.subscribe(to: owner, service: nil) {}
        let id = try fixture.ask(1, .vault(.unlock), vault: record.vault)
        let rollback = damaged(Keychain.rollback)
        for _ in 0..<2 { #expect(await vaultActor.noting(rollback) == rollback) }
        #expect(await vaultActor.open == nil)
        #expect(!vaultActor.held.isUnlocked && vaultActor.held.keys == nil)
        #expect(!fixture.challenges.isOpen(id))
        #expect(fixture.dependencies.leases.list(of: 1, from: owner).isEmpty)
        #expect(try await events.next()?.map(\.event) == [.locked, .missed])
        for _ in 0..<2 {
            await #expect(throws: rollback) { try await vaultActor.use { _ in } }
            await #expect(throws: rollback) { _ = try await vaultActor.condition() }
        }
        let next = try fixture.ask(1, .vault(.unlock), vault: record.vault)
        await vaultActor.closeForSettingAside()
        #expect(!fixture.challenges.isOpen(next))
        let log = try await vaultActor.use { try $0.vault.logPage().records }
        #expect(log.count { $0.event == .rollback && $0.outcome == "refused" } == 1)
        #expect(try await vaultActor.condition() == .sealed)
        await vaultActor.close()
    }

    @Test("what is no damage, or is healed by putting a file back, is not remembered")
    func passing() async throws {
        let fixture = try VaultFixture()
        let vaultActor = try await fixture.make(1)
        for fault in [damaged(Keychain.missing), Fault(.failed, "the disk is full"), Faults.notFound] {
            #expect(await vaultActor.noting(fault) == fault)
            #expect(try await vaultActor.condition() == .unlocked)
        }
        await vaultActor.close()
    }

    @Test("what is set aside is closed, without its keys, and is looked at anew")
    func setAside() async throws {
        let fixture = try VaultFixture()
        let vaultActor = try await fixture.make(1)
        let first = try #require(await vaultActor.open).vault
        await vaultActor.closeForSettingAside()
        #expect(await vaultActor.open == nil)
        #expect(!vaultActor.held.isUnlocked)
        // The file is closed, not only forgotten.
        #expect(throws: VaultError.self) { _ = try first.list() }
        let second = try await vaultActor.use { $0.vault }
        #expect(second !== first)
        await vaultActor.close()
    }

    @Test("after the stop a vault is neither used nor opened, and its keys are gone")
    func stopped() async throws {
        let fixture = try VaultFixture()
        let vaultActor = try await fixture.make(1)
        await vaultActor.close()
        #expect(!vaultActor.held.isUnlocked && vaultActor.held.keys == nil)
        await #expect(throws: Faults.stopping) { try await vaultActor.use { _ in } }
        await #expect(throws: Faults.stopping) { _ = try await vaultActor.condition() }
        await #expect(throws: Faults.stopping) { try await vaultActor.forgetDamage() }
        await #expect(throws: Faults.stopping) { _ = try await vaultActor.opened() }
        // Of an actor that had opened nothing, too.
        let other = VaultActor(owner: owner, dependencies: fixture.dependencies)
        await other.close()
        await #expect(throws: Faults.stopping) { _ = try await other.opened() }
    }

    @Test("an error of what is done with a vault is the caller's, in words that the wire knows")
    func errors() async throws {
        struct Strange: Error {}
        let fixture = try VaultFixture()
        let vaultActor = try await fixture.make(1)
        await #expect(throws: Faults.locked) { try await vaultActor.use { _ -> Void in throw Faults.locked } }
        let missing = try await fault {
            try await vaultActor.use { _ -> Void in throw VaultError(.notFound, "there is no such item") }
        }
        #expect(missing.name == .notFound)
        let strange = try await fault { try await vaultActor.use { _ -> Void in throw Strange() } }
        #expect(strange.name == .failed && strange.details.message == "the broker could not do it")
        #expect(try await vaultActor.condition() == .unlocked)
        await vaultActor.close()
    }

    @Test("want of use locks an open vault once, and none that is carried")
    func unused() async throws {
        let fixture = try VaultFixture()
        let vaultActor = try await fixture.make(1)
        vaultActor.isCarried.withLock { $0 = true }
        let carried = try fixture.ask(1, .vault(.unlock))
        await fixture.vaultStore.lockUnused(1)
        #expect(vaultActor.held.isUnlocked && fixture.challenges.isOpen(carried))
        vaultActor.isCarried.withLock { $0 = false }
        await fixture.vaultStore.lockUnused(1)
        #expect(!vaultActor.held.isUnlocked && !fixture.challenges.isOpen(carried))
        // Somebody is being asked to open it again. Only a lock that is meant ends that.
        let opening = try fixture.ask(1, .vault(.unlock))
        await fixture.vaultStore.lockUnused(1)
        #expect(fixture.challenges.isOpen(opening))
        await fixture.vaultStore.lock(owner)
        #expect(!fixture.challenges.isOpen(opening))
        await vaultActor.close()
    }

    @Test("what happens before the vault is open is recorded with its time when it is, and only so much of it")
    func waiting() async throws {
        let fixture = try VaultFixture()
        try await fixture.make(1).close()
        let vaultActor = VaultActor(owner: owner, dependencies: fixture.dependencies)
        let begin = SystemClock.now()
        for number in 0..<LogLimits.unopened + 6 {
            await vaultActor.note(AccessRecord(.unlock, outcome: "waited \(number)"))
        }
        let end = SystemClock.now()
        while SystemClock.now() <= end {}
        let records = try await vaultActor.use { try $0.vault.logPage().records }.filter {
            $0.outcome.hasPrefix("waited")
        }
        #expect(records.map(\.outcome) == (0..<LogLimits.unopened).map { "waited \($0)" })
        #expect(records.allSatisfy { (begin...end).contains($0.time) })
        // They are recorded once.
        await vaultActor.note(AccessRecord(.unlock, outcome: "waited no longer"))
        let again = try await vaultActor.use { try $0.vault.logPage().records }
        #expect(again.count { $0.outcome.hasPrefix("waited") } == LogLimits.unopened + 1)
        await vaultActor.close()
    }

    @Test("questions that end while the vault is busy are recorded up to a number, and the others are counted")
    func endedWhileBusy() async throws {
        let fixture = try VaultFixture()
        let vaultActor = try await fixture.make(1)
        let vault = try #require(await vaultActor.open).record.vault
        let busy = DispatchSemaphore(value: 0)
        // This ends the test even if it fails.
        vaultActor.executor.inTurn { _ = busy.wait(timeout: .now() + .seconds(Int(patience.components.seconds))) }
        for _ in 0..<LogLimits.refusals + 6 {
            fixture.challenges.end(try fixture.ask(1, .vault(.unlock), vault: vault), "password")
        }
        busy.signal()
        func records() async throws -> [AccessRecord] {
            try await vaultActor.use { try $0.vault.logPage().records }
        }
        #expect(try await records().count { $0.outcome == "password" } == LogLimits.refusals)
        fixture.time.advance(by: LogLimits.countDelay)
        try await until("the others are told") {
            try await records().last?.detail == "6 refusals came too fast to be recorded one by one"
        }
        await vaultActor.close()
    }

    @Test("a recovery code that was typed rightly stays until it is written, and is not kept again after a lock")
    func unwrittenCode() async throws {
        let fixture = try VaultFixture()
        let vaultActor = try await fixture.make(1)
        let record = try #require(await vaultActor.open).record
        let (key, held) = (try await fixture.root(.recovery, of: vaultActor), vaultActor.held)
        func make() async throws -> UnconfirmedCode {
            try await vaultActor.recovery.make(
                in: vaultActor, for: key, of: record.vault, to: fixture.caller(1), ifNoLockSince: held.lockCount)
        }
        let made = try await make()
        let text = try made.code.text.withBytes { bytes in
            String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
        }
        let part = try SecretBytes(copying: Array(text.split(separator: "-")[made.part].utf8))
        func confirm() async throws -> UInt64 {
            try await vaultActor.recovery.confirm(in: vaultActor, part, by: fixture.caller(1))
        }
        await vaultActor.rename(to: "someoneelse")
        #expect(try await fault { try await confirm() }.name == .notPermitted)
        #expect(held.code != nil)
        await vaultActor.put(record)
        #expect(try await confirm() > 0)
        #expect(held.code == nil)
        let other = try await make()
        let locks = held.lockCount
        held.dropCode()
        held.putBack(other, ifNoLockSince: locks)
        #expect(held.code != nil)
        vaultActor.lock()
        held.putBack(other, ifNoLockSince: locks)
        #expect(held.code == nil)
        await vaultActor.close()
    }

    @Test("a setting that was stored is not recorded, its refusal is")
    func settings() async throws {
        let fixture = try VaultFixture()
        let vaultActor = try await fixture.make(1)
        func subject(_ account: String, _ kind: ItemKind) -> AccessRecord.Subject {
            AccessRecord.Subject(item: nil, service: "s", account: account, kind: kind, require: [])
        }
        let records = [
            AccessRecord(.set, of: subject("stored", .setting)), AccessRecord(.set, of: subject("key", .key)),
            AccessRecord(.set, outcome: "locked", of: subject("refused", .setting)),
        ]
        let found = try await vaultActor.use { state in
            state.note(records)
            return try state.vault.logPage().records
        }
        #expect(found.filter { $0.event == .set }.compactMap(\.subject?.account) == ["key", "refused"])
        await vaultActor.close()
    }

    @Test("an open vault is its owner's only as long as the account has the name that it was made for")
    func renamed() async throws {
        let fixture = try VaultFixture()
        let vaultActor = try await fixture.make(1)
        await vaultActor.rename(to: "someoneelse")
        let refusal = try await fault { try await vaultActor.use { _ in } }
        #expect(refusal.name == .notPermitted)
        let other = try await fault { try await vaultActor.condition() }
        #expect(other.name == .notPermitted)
        await vaultActor.close()
    }

    @Test("a wait for some work is over with the work, or with its time if that comes first")
    func limited() async {
        await TimeLimit.wait(.seconds(3600)) {}
        let (gate, open) = AsyncStream<Void>.makeStream()
        let isOver = ConnectionFlag()
        await TimeLimit.wait(.milliseconds(10)) {
            for await _ in gate {}
            isOver.set(true)
        }
        #expect(!isOver.isUp)
        open.finish()
    }
}

extension VaultActor {
    fileprivate func put(_ record: RegistryRecord) { open?.record = record }

    /// The open vault's record, as if the account had had another name when the vault was made.
    fileprivate func rename(to name: String) {
        guard let record = open?.record else { return }
        open?.record = RegistryRecord(
            vault: record.vault, owner: record.owner, ownerName: name, created: record.created, sealer: record.sealer,
            authenticatorKey: record.authenticatorKey, storageKey: nil, objects: record.objects)
    }
}
