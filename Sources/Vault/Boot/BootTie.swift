import Authorization
import Cryptography

/// The roots of a vault as they were sealed anew, tied to the boot or not.
public struct ResealedVault: Sendable {
    /// Device root, unlock root and recovery key; tied to the boot, approving key and list of approved boots besides.
    public let objects: [SealedObject]
    /// 34 bytes each, for the registry.
    public let names: [ObjectRole: [UInt8]]
    /// nil where it is tied to no boot.
    public let boot: BootPin?

    public init(objects: [SealedObject], names: [ObjectRole: [UInt8]], boot: BootPin?) {
        self.objects = objects
        self.names = names
        self.boot = boot
    }
}

extension ResealedVault: Resealed {
    public var madeIndex: VaultIndex? { boot.map { .boots($0.index) } }

    public func begin(in vault: OpenVault, from root: SecretBytes, to next: SecretBytes) throws(VaultError) {
        try vault.begin(from: root, to: next, self)
    }
}

/// What a person released for it.
public struct ReleasedRoots: Sendable {
    /// The one that the vault is to have: never the one that it had.
    public let unlockRoot: SecretBytes
    public let recovery: SecretBytes

    public init(unlockRoot: SecretBytes, recovery: SecretBytes) {
        self.unlockRoot = unlockRoot
        self.recovery = recovery
    }
}

/// What the TPM says of the boot.
public struct BootStanding: Sendable, Equatable {
    /// What the registers hold that the vault is tied to, 32 bytes each.
    public let values: [Int: [UInt8]]
    /// The digest of that.
    public let now: [UInt8]
    /// The boots that the TPM takes, as far as the vault's file or this boot itself names them; empty where they do not.
    public let inForce: [ApprovedBoot]

    /// Whether the vault opens under this boot.
    public var isApproved: Bool { inForce.contains { $0.digest == now } }

    public init(values: [Int: [UInt8]], now: [UInt8], inForce: [ApprovedBoot]) {
        self.values = values
        self.now = now
        self.inForce = inForce
    }
}

/// Ties a vault to the measured boot (docs/boot.md). Calls are synchronous and may block, as a ``Sealer``'s.
public protocol BootTie: Sendable {
    /// Makes an approving key and an index that approves this boot, and seals the roots under it.
    ///
    /// - Parameters:
    ///   - registers: what a boot is told by.
    ///   - now: milliseconds since 1970-01-01 UTC.
    /// - Throws: `.unsupported` where nothing measures here.
    func tie(
        _ roots: ReleasedRoots, to registers: [Int], _ objects: SealedObjects, record: RegistryRecord, now: UInt64
    ) throws(SealerError) -> ResealedVault

    /// Seals the roots under no boot.
    func untie(
        _ roots: ReleasedRoots, _ objects: SealedObjects, record: RegistryRecord
    ) throws(SealerError) -> ResealedVault

    /// Approves these boots and no others. Who has the approving key does it: the authenticator's signature has released it under an approved boot.
    func approve(_ boots: [ApprovedBoot], by key: SecretBytes, record: RegistryRecord) throws(SealerError)

    /// How this boot stands to a vault that is tied to one. Needs no person, and opens nothing.
    ///
    /// - Throws: `.bootIndexGone`.
    func standing(of boots: BootList, record: RegistryRecord) throws(SealerError) -> BootStanding

    /// The digest of register values, as an approved boot has it.
    func digest(of values: [Int: [UInt8]], record: RegistryRecord) throws(SealerError) -> [UInt8]

    /// What these registers hold now, 32 bytes each.
    func measurements(of registers: Set<Int>) throws(SealerError) -> [Int: [UInt8]]
}

/// What keeps no registers ties nothing.
extension BootTie {
    private var refusal: SealerError {
        SealerError(
            .unsupported, "only a TPM knows how the machine was started, and this keychain is not sealed by one")
    }

    public func tie(
        _ roots: ReleasedRoots, to registers: [Int], _ objects: SealedObjects, record: RegistryRecord, now: UInt64
    ) throws(SealerError) -> ResealedVault { throw refusal }

    public func untie(
        _ roots: ReleasedRoots, _ objects: SealedObjects, record: RegistryRecord
    ) throws(SealerError) -> ResealedVault { throw refusal }

    public func approve(_ boots: [ApprovedBoot], by key: SecretBytes, record: RegistryRecord) throws(SealerError) {
        throw refusal
    }

    public func standing(of boots: BootList, record: RegistryRecord) throws(SealerError) -> BootStanding {
        throw refusal
    }

    public func digest(of values: [Int: [UInt8]], record: RegistryRecord) throws(SealerError) -> [UInt8] {
        throw refusal
    }

    public func measurements(of registers: Set<Int>) throws(SealerError) -> [Int: [UInt8]] { throw refusal }
}
