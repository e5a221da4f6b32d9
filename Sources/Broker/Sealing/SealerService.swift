import Authorization
import Cryptography
import Synchronization
import TPM
import Vault

/// The sealer as the broker uses it, for one user. Each use waits for its turn at the one thread that may block. No use
/// blocks its caller.
struct SealerService: Sendable {
    private let sealer: any Sealer
    private let thread: SealerThread
    private let identity = KnownIdentity()
    /// Whose uses they are.
    private(set) var user = SealerUser.broker

    /// - Parameter patience: the time from a request to an answer or an error.
    init(_ sealer: any Sealer, patience: Duration = .seconds(10), clock: BrokerClock = .system) {
        self.sealer = sealer
        thread = SealerThread(patience: patience, clock: clock)
    }

    /// The same sealer for another user, who has a share of its own.
    func serving(_ user: SealerUser) -> SealerService {
        var service = self
        service.user = user
        return service
    }

    /// How many uses of all users wait for their turn.
    var waitingCount: Int { thread.waitingCount }

    var kind: SealerKind { sealer.kind }

    /// What reads sealed objects without the TPM, and so without a turn.
    var reader: any SealedObjectReader { sealer }

    /// Runs a use on the sealer's thread, in its turn.
    ///
    /// - Parameters:
    ///   - limit: the time from the request to an answer or an error; nil for the usual time.
    ///   - undo: gets a result that came too late for its caller; runs on the sealer's thread.
    /// - Throws: `.deadline` if the time is over or too many uses wait; any error of `body`.
    func use<Value: Sendable>(
        within limit: Duration? = nil, _ body: @escaping @Sendable (any Sealer) throws(SealerError) -> Value,
        undo: (@Sendable (any Sealer, Value) -> Void)? = nil
    ) async throws(SealerError) -> Value {
        let sealer = sealer
        return try await thread.run(for: user, within: limit) { () throws(SealerError) in
            try body(sealer)
        } undo: { value in
            undo?(sealer, value)
        }
    }

    /// Begins a use that needs the authenticator's signature. Nobody else uses the sealer until it has ended.
    ///
    /// - Parameter time: how long the use waits for the signature.
    func begin(
        _ use: SignedUse, with material: SealingMaterial, waiting time: Duration
    ) async throws(SealerError) -> SigningExchange {
        let sealer = sealer
        return try await thread.begin(for: user, waiting: time) { () throws(SealerError) in
            try sealer.begin(use, material.objects, record: material.record)
        }
    }
}

/// The uses of the sealer that are one call each.
extension SealerService {
    func describe() async throws(SealerError) -> SealerDescription {
        try await use { (sealer) throws(SealerError) in try sealer.describe() }
    }

    /// The keys of a new vault. If they come too late for the caller, the TPM keeps nothing of them.
    func makeKeys(
        vault: VaultID, owner: Owner, authenticatorKey: [UInt8], within limit: Duration
    ) async throws(SealerError) -> NewVaultKeys {
        try await use(within: limit) { (sealer) throws(SealerError) in
            try sealer.makeKeys(vault: vault, owner: owner, authenticatorKey: authenticatorKey)
        } undo: { sealer, keys in
            sealer.remove(counter: keys.counter, generation: keys.generation)
        }
    }

    /// The key for a set of enrolled fingers, and its Name.
    func makeSetKey(
        _ setDigest: [UInt8], record: RegistryRecord
    ) async throws(SealerError) -> (SealedObject, name: [UInt8]) {
        try await use { (sealer) throws(SealerError) in try sealer.makeSetKey(setDigest, record: record) }
    }

    /// The keys with which a device of a circle signs.
    func makeSigningKeys(
        streamPassword: SecretBytes, membershipPassword: SecretBytes, record: RegistryRecord
    ) async throws(SealerError) -> SigningKeyPair {
        try await use { (sealer) throws(SealerError) in
            try sealer.makeSigningKeys(
                streamPassword: streamPassword, membershipPassword: membershipPassword, record: record)
        }
    }

    /// A signature by a device's stream key, `r ‖ s`.
    func sign(
        _ digest: [UInt8], with key: SealedObject, point: [UInt8], password: SecretBytes, record: RegistryRecord
    ) async throws(SealerError) -> [UInt8] {
        try await use { (sealer) throws(SealerError) in
            try sealer.sign(digest, with: key, point: point, password: password, record: record)
        }
    }

    /// The keys that make the TPM known to others. The TPM is asked once: every user may ask the broker, and each of these
    /// keys takes a slow TPM a second.
    func machineIdentity() async throws(SealerError) -> MachineIdentity {
        if let known = identity.value { return known }
        let found = try await use { (sealer) throws(SealerError) in try sealer.requireAttesting().machineIdentity() }
        identity.keep(found)
        return found
    }

    /// The TPM's word that keys are in it.
    func attest(
        _ keys: [SealedObject], to credential: IdentityCredential, request: [UInt8], record: RegistryRecord
    ) async throws(SealerError) -> AttestedLoads {
        try await use { (sealer) throws(SealerError) in
            try sealer.requireAttesting().attest(keys, to: credential, request: request, record: record)
        }
    }

    /// How the present boot relates to a vault that is tied to the boot.
    func standing(of boots: BootList, record: RegistryRecord) async throws(SealerError) -> BootStanding {
        try await use { (sealer) throws(SealerError) in
            try sealer.requireBootTie().standing(of: boots, record: record)
        }
    }

    /// Approves these boots and no others.
    func approve(_ boots: [ApprovedBoot], by key: SecretBytes, record: RegistryRecord) async throws(SealerError) {
        try await use { (sealer) throws(SealerError) in
            try sealer.requireBootTie().approve(boots, by: key, record: record)
        }
    }

    /// The present values of registers.
    func measurements(of registers: Set<Int>) async throws(SealerError) -> [Int: [UInt8]] {
        try await use { (sealer) throws(SealerError) in try sealer.requireBootTie().measurements(of: registers) }
    }

    /// The condition of the TPM, and of a vault's storage key in it.
    ///
    /// - Returns: nil if the sealer cannot be inspected.
    func inspect(_ record: RegistryRecord?) async throws(SealerError) -> SealerCondition? {
        try await use { (sealer) throws(SealerError) in
            try sealer.inspection?.inspect(record)
        }
    }

    /// Identifies the TPM that holds a vault's storage key.
    ///
    /// - Returns: nil if the sealer cannot be inspected.
    func identity(
        of record: RegistryRecord, roots: [Certificate]
    ) async throws(SealerError) -> Endorsement.Standing? {
        try await use { (sealer) throws(SealerError) in
            try sealer.inspection?.identity(of: record, roots: roots)
        }
    }
}

/// The identity of the TPM, once it was asked for it. A TPM has one.
private final class KnownIdentity: Sendable {
    private let state = Mutex<MachineIdentity?>(nil)

    var value: MachineIdentity? { state.withLock { $0 } }

    func keep(_ identity: MachineIdentity) { state.withLock { $0 = identity } }
}
