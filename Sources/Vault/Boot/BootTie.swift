import Authorization
import Cryptography

/// A vault's roots, sealed again, with or without a tie to the boot.
public struct ResealedVault: Sendable {
    /// The device root, the unlock root and the recovery key. If tied to the boot, also the approving key and the list
    /// of approved boots.
    public let objects: [SealedObject]
    /// 34 bytes each, for the registry.
    public let names: [ObjectRole: [UInt8]]
    /// nil if the vault is not tied to the boot.
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

/// The secrets that a person released for sealing a vault again.
public struct ReleasedRoots: Sendable {
    /// The vault's next unlock root. It always differs from the present one.
    public let unlockRoot: SecretBytes
    public let recovery: SecretBytes

    public init(unlockRoot: SecretBytes, recovery: SecretBytes) {
        self.unlockRoot = unlockRoot
        self.recovery = recovery
    }
}

/// How the present boot relates to a vault.
public struct BootStanding: Sendable, Equatable {
    /// The values of the registers that the vault is tied to, 32 bytes each.
    public let values: [Int: [UInt8]]
    /// The digest of ``values``.
    public let now: [UInt8]
    /// The boots that the TPM accepts, as far as the vault's file or the present boot reveals them. Empty if they do
    /// not.
    public let inForce: [ApprovedBoot]

    /// Whether the vault opens under this boot.
    public var isApproved: Bool { inForce.contains { $0.digest == now } }

    public init(values: [Int: [UInt8]], now: [UInt8], inForce: [ApprovedBoot]) {
        self.values = values
        self.now = now
        self.inForce = inForce
    }
}

/// Ties a vault to the measured boot (docs/boot.md). Calls are synchronous and may block, as those of a ``Sealer`` do.
public protocol BootTie: Sendable {
    /// Makes an approving key and an index that approves the present boot, and seals the roots under them.
    ///
    /// - Parameters:
    ///   - registers: the PCRs that identify a boot.
    ///   - now: milliseconds since 1970-01-01 UTC.
    func tie(
        _ roots: ReleasedRoots, to registers: [Int], _ objects: SealedObjects, record: RegistryRecord, now: UInt64
    ) throws(SealerError) -> ResealedVault

    /// Seals the roots without a tie to the boot.
    func untie(
        _ roots: ReleasedRoots, _ objects: SealedObjects, record: RegistryRecord
    ) throws(SealerError) -> ResealedVault

    /// Approves these boots and no others. The caller needs the approving key, which the authenticator's signature
    /// releases under an approved boot.
    func approve(_ boots: [ApprovedBoot], by key: SecretBytes, record: RegistryRecord) throws(SealerError)

    /// How the present boot relates to a vault that is tied to the boot. Asks nobody, and opens nothing.
    ///
    /// - Throws: `.bootIndexGone`.
    func standing(of boots: BootList, record: RegistryRecord) throws(SealerError) -> BootStanding

    /// The present values of these registers, 32 bytes each.
    func measurements(of registers: Set<Int>) throws(SealerError) -> [Int: [UInt8]]
}
