import Authorization
import BrokerProtocol
import Cryptography
import Platform
import RootConfiguration
import Synchronization
import TestSupport
import Testing
import Vault

@testable import Broker

/// The time that people see, and that a test moves.
final class TestWall: Sendable {
    private let ahead = Mutex<UInt64>(0)

    /// Milliseconds since 1970-01-01 UTC.
    @Sendable func now() -> UInt64 { SystemClock.now() + ahead.withLock { $0 } }

    /// - Parameter days: after the machine's own clock.
    func set(_ days: UInt64) { ahead.withLock { $0 = days * 86_400_000 } }
}

/// Vaults under software, without sockets, and with a clock that the test moves.
final class VaultFixture: Sendable {
    let folder: TemporaryFolder
    let time = TestClock()
    let wall = TestWall()
    let budgets = UserBudgets.usual
    let challenges: ChallengeStore
    let vaultStore: VaultStore
    let key: P256.PrivateKey
    private let sealer: SoftwareSealer

    /// - Parameters:
    ///   - indexes: how many indexes of a TPM each user may take.
    ///   - wrap: puts something between the vaults and the sealer.
    init(indexes: IndexBudget = IndexBudget(), _ wrap: (SoftwareSealer) -> any Sealer = { $0 }) throws {
        folder = try TemporaryFolder()
        key = try P256.PrivateKey.generate()
        sealer = SoftwareSealer(directory: folder.path)
        challenges = ChallengeStore(limits: .init(openPerUser: 64, life: .seconds(600)), clock: time.clock)
        vaultStore = VaultStore(
            dependencies: VaultDependencies(
                directory: folder.path,
                registry: Registry(directory: folder.path, authenticatorUID: OwnProcess.effectiveUser),
                sealer: SealerService(wrap(sealer), patience: patience), challenges: challenges, clock: time.clock,
                wall: wall.now, indexes: indexes, budgets: budgets))
    }

    var dependencies: VaultDependencies { vaultStore.dependencies }

    func caller(_ uid: UInt32) -> Caller {
        Caller(uid: uid, process: ProcessIdentity(pid: 7, startTime: 70), connection: 1)
    }

    /// A challenge of a user about their own vault.
    func ask(_ uid: UInt32, _ request: Challenge.Request, vault: VaultID? = nil) throws -> Challenge.ID {
        try challenges.issue(request, to: caller(uid), owner: .user(uid), vault: vault)
    }

    /// The actor of a user's new vault, which is unlocked. No challenge is left open.
    /// - Parameter isService: whether root makes it for an account for which nobody can be prompted.
    func make(_ uid: UInt32, isService: Bool = false) async throws -> VaultActor {
        let id = try ask(uid, .vault(.create))
        let vaultActor = vaultStore.vaultActor(of: .user(uid))
        let record = try await vaultActor.creation.provision(
            in: vaultActor, for: id, isService: isService, authenticatorKey: key.publicKey)
        try dependencies.registry.write(record)
        _ = try await vaultActor.creation.adopt(in: vaultActor, for: id)
        let root = try await root(of: vaultActor)
        try await vaultActor.unlock(with: root, for: id)
        challenges.drop(id)
        return vaultActor
    }

    /// What a signature releases.
    /// - Parameter id: of a renewal of all keys, whose successor is to be opened; empty for the vault itself.
    func root(
        _ role: ObjectRole = .unlockRoot, of vaultActor: VaultActor, for id: Challenge.ID = ""
    ) async throws -> SecretBytes {
        let material = try await vaultActor.material(for: id)
        return try sealer.open(role, material.objects, record: material.record) {
            [key] (request) throws(SigningRefusal) in
            do { return try key.signature(for: request.message()) } catch { throw SigningRefusal() }
        }
    }

    /// Stores an item, reads it as a call does, and returns what names it.
    func read(_ account: String, _ state: VaultActor.OpenState, stores: Bool = true) throws -> ItemSummary {
        if stores {
            try state.vault.set(
                ItemDraft(
                    service: "s", account: account, value: try SecretBytes(copying: Array("value".utf8))))
        }
        return try state.vault.look(service: "s", account: account) { view in
            let values = try view.values(classKeys: state.keys, keeper: state.held)
            #expect(values.count == 1)
            return view.item
        }
    }

    /// What answers calls.
    func core() throws -> BrokerCore {
        var configuration = Configuration()
        configuration.systemBus = .none
        let logger = LogLines().logger
        return BrokerCore(
            configuration: configuration, sealer: dependencies.sealer, vaultStore: vaultStore,
            vaultAccess: VaultAccess(registry: dependencies.registry), challenges: challenges,
            maker: SealerMaker(dependencies.sealer),
            locks: try LockWatch(
                configuration: configuration, vaultStore: vaultStore, clock: time.clock, logger: logger),
            applicationPasswords: ApplicationPasswords(clock: time.clock, budgets: budgets), budgets: budgets,
            warnings: [], logger: logger)
    }

    /// A call that was let in: by a user about their own vault, unless something else is said.
    func request(
        _ uid: UInt32 = 1, standing: Standing = .own, _ condition: VaultCondition = .unlocked
    ) throws -> Request {
        let core = try core()
        let name: String? = standing == .own ? nil : "name"
        return Request(
            core: core, caller: caller(standing == .root ? 0 : uid), vaultActor: vaultStore.vaultActor(of: .user(uid)),
            condition: condition, admission: Admission(owner: .user(uid), standing: standing, name: name),
            own: standing == .member ? .unlocked : nil, secrets: SecretAllowance(budgets, for: uid),
            isAbandoned: { false })
    }
}
