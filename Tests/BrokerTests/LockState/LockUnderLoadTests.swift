import Authorization
import BrokerProtocol
import Cryptography
import Dispatch
import Foundation
import Item
import Platform
import RootConfiguration
import Synchronization
import TestSupport
import Testing
import Varlink
import Vault

@testable import Broker

/// A busy vault delays no lock: not its own, not another user's, and not the wipe before sleep.
@Suite(.serialized, .timeLimit(.minutes(30)))
struct LockUnderLoadTests {
    /// Several users' vaults, unlocked.
    private final class Fixture {
        let folder: TemporaryFolder
        let vaultStore: VaultStore
        let store = ChallengeStore(limits: .init(openPerUser: 8, life: .seconds(600)), clock: .system)
        private let sealer: SoftwareSealer
        private let key: P256.PrivateKey

        init(_ users: [UInt32], group: UInt32? = nil) async throws {
            folder = try TemporaryFolder()
            key = try P256.PrivateKey.generate()
            sealer = SoftwareSealer(directory: folder.path)
            vaultStore = VaultStore(
                dependencies: VaultDependencies(
                    directory: folder.path,
                    registry: Registry(directory: folder.path, authenticatorUID: OwnProcess.effectiveUser),
                    sealer: SealerService(sealer, patience: patience), challenges: store))
            for owner in users.map(Owner.user) + [group].compactMap({ $0 }).map(Owner.group) {
                let id = try question(owner, .vault(.create))
                let vaultActor = vaultStore.vaultActor(of: owner)
                try vaultStore.dependencies.registry.write(
                    try await vaultActor.creation.provision(in: vaultActor, for: id, authenticatorKey: key.publicKey))
                _ = try await vaultActor.creation.adopt(in: vaultActor, for: id)
                try await vaultActor.unlock(with: try await root(of: vaultActor), for: id)
            }
        }

        func question(_ owner: Owner, _ request: Challenge.Request) throws -> Challenge.ID {
            let process = ProcessIdentity(pid: 7, startTime: 70)
            let uid = if case .user(let uid) = owner { uid } else { LockUnderLoadTests.victim }
            return try store.issue(
                request, to: Caller(uid: uid, process: process, connection: 1), owner: owner, vault: nil)
        }

        /// What a signature releases.
        func root(of vaultActor: VaultActor) async throws -> SecretBytes {
            let material = try await vaultActor.material(for: "")
            return try sealer.open(.unlockRoot, material.objects, record: material.record) {
                [key] (request) throws(SigningRefusal) in
                do { return try key.signature(for: request.message()) } catch { throw SigningRefusal() }
            }
        }

        /// The answers to calls.
        func core() throws -> BrokerCore {
            var configuration = Configuration()
            configuration.systemBus = .none
            let (dependencies, logger) = (vaultStore.dependencies, LogLines().logger)
            return BrokerCore(
                configuration: configuration, sealer: dependencies.sealer, vaultStore: vaultStore,
                vaultAccess: VaultAccess(registry: dependencies.registry), challenges: store,
                maker: SealerMaker(dependencies.sealer),
                locks: try LockWatch(
                    configuration: configuration, vaultStore: vaultStore, clock: .system, logger: logger),
                applicationPasswords: ApplicationPasswords(clock: .system, budgets: .usual), budgets: .usual,
                warnings: [], logger: logger)
        }

        /// Keeps a user's vault busy until the gate is opened.
        func keepBusy(_ uid: UInt32) async throws -> Gate {
            let gate = Gate()
            let vaultActor = vaultStore.vaultActor(of: .user(uid))
            Task { try await vaultActor.use { _ in gate.pass() } }
            try await until("it is busy") { gate.isReached }
            return gate
        }
    }

    /// The place where the calls of a busy vault wait.
    private final class Gate: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        private let reached = ConnectionFlag()
        private let opened = ConnectionFlag()

        var isReached: Bool { reached.isUp }
        var isOpen: Bool { opened.isUp }

        func pass() {
            reached.set(true)
            // This ends the test even if it fails.
            _ = semaphore.wait(timeout: .now() + 600)
            opened.set(true)
        }

        func open() { semaphore.signal() }
    }

    private static let (busy, victim): (UInt32, UInt32) = (1, 2)

    private static func isWiped(_ vaultStore: VaultStore, _ uid: UInt32) -> Bool {
        let held = vaultStore.vaultActor(of: .user(uid)).held
        guard let keys = held.keys else { return false }
        return !held.isUnlocked && !keys.contains(.whenUnlocked) && keys.contains(.afterFirstUnlock)
    }

    @Test("a lock wipes while the vault is busy; what waited for the vault finds it locked; the lock is logged")
    func ownLock() async throws {
        let fixture = try await Fixture([Self.busy])
        let vaultActor = fixture.vaultStore.vaultActor(of: .user(Self.busy))
        let id = try fixture.question(.user(Self.busy), .vault(.unlock))
        let root = try await fixture.root(of: vaultActor)
        let gate = try await fixture.keepBusy(Self.busy)
        let reads = (0..<8).map { _ in Task { try await vaultActor.use { $0.keys.contains(.whenUnlocked) } } }
        // The person has said yes. That call waits, too.
        let unlocking = Task { try await vaultActor.unlock(with: root, for: id) }
        let before = SystemClock.now()
        await fixture.vaultStore.lock(.user(Self.busy))
        #expect(!gate.isOpen && Self.isWiped(fixture.vaultStore, Self.busy))
        let after = SystemClock.now()
        gate.open()
        for read in reads { #expect(try await !read.value) }
        await #expect(throws: Faults.challengeRefused) { try await unlocking.value }
        #expect(Self.isWiped(fixture.vaultStore, Self.busy))
        let log = try await vaultActor.use { try $0.vault.logPage().records }
        let lock = try #require(log.last { $0.event == .lock })
        #expect((before...after).contains(lock.time))
        await fixture.vaultStore.close()
    }

    @Test("`Lock` is let in, done and answered while the vault is busy")
    func answered() async throws {
        let fixture = try await Fixture([Self.busy])
        let service = KeychainInterface(core: try fixture.core())
        let gate = try await fixture.keepBusy(Self.busy)
        let isDone = ConnectionFlag()
        let calling = Task {
            let caller = Caller(uid: Self.busy, process: ProcessIdentity(pid: 7, startTime: 70), connection: 1)
            let message = Array(#"{"method":"org.coffer.Keychain.Lock"}"#.utf8)
            let call = try IncomingCall(message, served: service.interfaces.methods)
            _ = try await service.answer(call, from: caller) { false }
            isDone.set(true)
        }
        try await until("it is answered") { isDone.isUp || gate.isOpen }
        #expect(!gate.isOpen && Self.isWiped(fixture.vaultStore, Self.busy))
        gate.open()
        try await calling.value
        await fixture.vaultStore.close()
    }

    @Test("whichever of a lock and an unlocking comes first: the vault is locked afterwards")
    func race() async throws {
        let fixture = try await Fixture([Self.busy])
        let vaultActor = fixture.vaultStore.vaultActor(of: .user(Self.busy))
        let root = try await fixture.root(of: vaultActor)
        var opened = 0
        for round in 0..<300 {
            let id = try fixture.question(.user(Self.busy), .vault(.unlock))
            let unlocking = Task { try await vaultActor.unlock(with: root, for: id) }
            let locking = Task.detached {
                // Every third lock comes after the unlocking, on a machine of any speed.
                if round % 3 == 0 { _ = await unlocking.result } else { usleep(UInt32(round * 7 % 600)) }
                vaultActor.lock()
            }
            if case .success = await unlocking.result { opened += 1 }
            await locking.value
            try #require(!vaultActor.held.isUnlocked, "round \(round)")
        }
        // Both orders occurred.
        #expect(opened >= 100)
        await fixture.vaultStore.close()
    }

    @Test("keys whose question a lock has ended are not taken up")
    func unwanted() async throws {
        let fixture = try await Fixture([Self.busy])
        let vaultActor = fixture.vaultStore.vaultActor(of: .user(Self.busy))
        let keys = try #require(vaultActor.held.keys)
        let id = try fixture.question(.user(Self.busy), .vault(.unlock))
        vaultActor.lock()
        #expect(!vaultActor.held.unlock(keys, at: 1) { fixture.store.isOpen(id) })
        #expect(Self.isWiped(fixture.vaultStore, Self.busy))
        await fixture.vaultStore.close()
    }

    @Test("another user's lock waits for no busy vault, and neither does the lock of all")
    func others() async throws {
        let fixture = try await Fixture([Self.busy, Self.victim, 3])
        let gate = try await fixture.keepBusy(Self.busy)
        let isDone = ConnectionFlag()
        let locking = Task { [vaultStore = fixture.vaultStore] in
            await vaultStore.lock(.user(Self.victim))
            isDone.set(true)
        }
        try await until("the lock has returned") { isDone.isUp || gate.isOpen }
        #expect(!gate.isOpen && Self.isWiped(fixture.vaultStore, Self.victim))
        #expect(fixture.vaultStore.vaultActor(of: .user(Self.busy)).held.isUnlocked)
        isDone.set(false)
        DispatchQueue.global().async { [vaultStore = fixture.vaultStore] in
            vaultStore.lockAll()
            isDone.set(true)
        }
        try await until("the lock of all has returned") { isDone.isUp || gate.isOpen }
        #expect(!gate.isOpen)
        for uid in [Self.busy, Self.victim, 3] { #expect(Self.isWiped(fixture.vaultStore, uid), "\(uid)") }
        gate.open()
        await locking.value
        await fixture.vaultStore.close()
    }

    @Test("logind is heard on while a busy vault locks, and sleep waits for the wipe and not for the busy vault")
    func logind() async throws {
        let fixture = try await Fixture([Self.busy, Self.victim, 3])
        let mock = try LogindMock()
        try mock.add(session: "c1", uid: Self.busy)
        try mock.add(session: "c2", uid: Self.victim)
        var configuration = Configuration()
        configuration.systemBus = .address(mock.address)
        let watch = try LockWatch(
            configuration: configuration, vaultStore: fixture.vaultStore, clock: TestClock().clock,
            logger: LogLines().logger,
            patience: patience)
        let logind = try #require(watch.logind)
        logind.start()
        try await until("logind is heard") { logind.isConnected }
        let gate = try await fixture.keepBusy(Self.busy)
        try mock.lock(session: "c1")
        try mock.lock(session: "c2")
        try await until("the other is locked") { Self.isWiped(fixture.vaultStore, Self.victim) || gate.isOpen }
        #expect(
            !gate.isOpen && Self.isWiped(fixture.vaultStore, Self.busy) && Self.isWiped(fixture.vaultStore, Self.victim)
        )
        #expect(fixture.vaultStore.vaultActor(of: .user(3)).held.isUnlocked)
        try mock.prepareForSleep(true)
        try await until("the machine may sleep") { try mock.inhibitors().hasPrefix("a(ssssuu) 0") || gate.isOpen }
        #expect(!gate.isOpen && Self.isWiped(fixture.vaultStore, 3))
        gate.open()
        logind.stop()
        await fixture.vaultStore.close()
    }

    /// A member's read of a group's vault was admitted while their own vault was open.
    @Test(
        "a member's own vault that is locked during a read of the group's: no secret is given out",
        arguments: [false, true])
    func ownVaultDuringARead(ofSeveral: Bool) async throws {
        let fixture = try await Fixture([Self.victim], group: 5)
        let core = try fixture.core()
        func read(_ owner: Owner, own: VaultCondition?) async throws(Fault) -> Int {
            let request = Request(
                core: core,
                caller: Caller(uid: Self.victim, process: ProcessIdentity(pid: 7, startTime: 70), connection: 1),
                vaultActor: fixture.vaultStore.vaultActor(of: owner), condition: .unlocked,
                admission: Admission(
                    owner: owner, standing: own == nil ? .own : .member, name: own == nil ? nil : "g"),
                own: own, secrets: SecretAllowance(core.budgets, for: Self.victim), isAbandoned: { false })
            if ofSeveral {
                let reader = JointReader(
                    names: [.init(service: "s", account: "a")], reason: nil, mayUnlock: true, challenge: nil)
                return try await reader.read(request).reduce(0) { $0 + $1.value.count }
            }
            let reader = ItemReader(
                service: "s", account: "a", kind: .genericPassword, reason: nil, mayUnlock: true,
                applicationPassword: nil, challenge: nil)
            return try await reader.read(request, for: .read) { _, _, values in values.reduce(0) { $0 + $1.value.count }
            }
        }
        let value = try SecretBytes(copying: Array("value".utf8))
        for owner in [Owner.group(5), .user(Self.victim)] {
            try await fixture.vaultStore.vaultActor(of: owner).use {
                _ = try $0.vault.set(
                    ItemDraft(service: "s", account: "a", value: value, access: AccessControl(.always)))
            }
        }
        #expect(try await read(.group(5), own: .unlocked) == 5)
        await fixture.vaultStore.lock(.user(Self.victim))
        await #expect(throws: Faults.ownLocked) { try await read(.group(5), own: .unlocked) }
        // In their own vault, what can always be read can be read.
        #expect(try await read(.user(Self.victim), own: nil) == 5)
        await fixture.vaultStore.close()
    }

    /// The answers, in their order.
    private final class Answers: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    @Test("what ends a question waits for no vault, and no record for another one's; each has its own time")
    func endedQuestions() async throws {
        let fixture = try await Fixture([Self.busy, Self.victim])
        let gate = try await fixture.keepBusy(Self.busy)
        let before = SystemClock.now()
        for uid in [Self.busy, Self.victim] {
            let caller = Caller(uid: uid, process: ProcessIdentity(pid: 7, startTime: 70), connection: 1)
            let id = try fixture.store.issue(
                .vault(.unlock), to: caller, owner: .user(uid), vault: VaultID.random(), reason: "r")
            fixture.store.end(id, "password")
        }
        let after = SystemClock.now()
        func records(_ uid: UInt32) async throws -> [AccessRecord] {
            try await fixture.vaultStore.vaultActor(of: .user(uid)).use { try $0.vault.logPage().records }.filter {
                $0.outcome == "password"
            }
        }
        let theirs = try await records(Self.victim)
        #expect(theirs.map(\.reason) == ["r"] && !gate.isOpen)
        while SystemClock.now() <= after {}
        gate.open()
        let own = try await records(Self.busy)
        #expect(own.map(\.reason) == ["r"])
        #expect((own + theirs).allSatisfy { (before...after).contains($0.time) })
        await fixture.vaultStore.close()
    }

    @Test("malware that keeps its user's keychain busy: `Lock` is answered before its calls, and they read nothing")
    func sockets() async throws {
        let broker = try await throwAwayBroker()
        let owner = try broker.client()
        try await broker.makeVault(owner)
        var attributes: [String: String] = [:]
        for n in 0..<64 { attributes["a\(n)"] = String(repeating: "x", count: 4090) }
        for n in 0..<8 {
            _ = try await owner.call(
                Keychain.Set(service: "s", account: "\(n)", value: someValue, attributes: attributes))
        }
        let answers = Answers()
        let lists = try (0..<24).map { _ in try broker.client() }
        let readers = try (0..<4).map { _ in try broker.client() }
        // All are on their way, in this order, before the test reads any answer.
        for client in lists { try await client.send(Varlink.encode(VarlinkCall(Keychain.List()))) }
        for client in readers {
            try await client.send(Varlink.encode(VarlinkCall(Keychain.Get(service: "s", account: "0"))))
        }
        try await owner.send(Varlink.encode(VarlinkCall(Keychain.Lock())))
        await withTaskGroup(of: Void.self) { group in
            for client in lists {
                group.addTask {
                    // Whether it succeeds does not matter here.
                    _ = try? await client.reply(Keychain.List.Reply.self)
                    answers.add("list")
                }
            }
            for client in readers {
                group.addTask {
                    do {
                        _ = try await client.reply(Keychain.Get.Reply.self)
                        answers.add("value")
                    } catch { answers.add((error as? Fault)?.name.rawValue ?? "\(error)") }
                }
            }
            group.addTask {
                // A failure is a line that no test expects.
                let state = try? await owner.reply(Keychain.Lock.Reply.self).vault.state
                answers.add("lock \(state?.rawValue ?? "failed")")
            }
        }
        let all = answers.all
        let lock = try #require(all.firstIndex(of: "lock locked"), "\(all)")
        #expect(all[lock...].count { $0 == "list" } > lists.count / 2, "\(all)")
        #expect(!all.contains("value"), "\(all)")
        #expect(all.count { $0 == Faults.locked.name.rawValue } == readers.count, "\(all)")
        await broker.stop()
    }
}
