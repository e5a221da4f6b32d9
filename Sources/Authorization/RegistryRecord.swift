import JSON

/// What the registry keeps about a vault, apart from the vault's own file (docs/vault-format.md, "The registry
/// record").
public struct RegistryRecord: Equatable, Sendable {
    /// The only format so far.
    public static let currentFormat = 1

    public let format: Int
    public let vault: VaultID
    public let owner: Owner
    /// The name of the account or group when the vault was made. If the number has another name now, it is another
    /// owner.
    public let ownerName: String
    /// Milliseconds since 1970-01-01 UTC.
    public let created: UInt64
    public let sealer: SealerKind
    /// The authenticator's public point, 65 bytes.
    public let authenticatorKey: [UInt8]
    /// nil with the software sealer.
    public let storageKey: StorageKeyPin?
    /// The counter that the vault's epoch is compared with; nil with the software sealer.
    public let counter: CounterPin?
    /// The index that the objects opened by a signature depend on. nil with the software sealer, and for vaults from
    /// before generations.
    public let generation: GenerationPin?
    /// The Name of each object, 34 bytes.
    public internal(set) var objects: [ObjectRole: [UInt8]]
    /// The member who made a group's vault; nil for others, and for groups' vaults from before this was recorded.
    public let maker: UInt32?
    /// Whether root made the vault for an account that no person can answer for. Root unlocks such a vault.
    public let isService: Bool
    /// The digest of the enrolled fingers that object 18 is bound to, 32 bytes; nil without that object.
    public internal(set) var biometrySet: [UInt8]?
    /// How the vault is bound to its owner's login password; nil if it is not.
    public internal(set) var binding: BindingPin?
    /// How the vault is tied to the measured boot; nil if it is not.
    public internal(set) var boot: BootPin?

    /// The TPM's NV indexes that this vault needs.
    public var indexHandles: [UInt32] {
        [counter?.handle, generation?.handle, binding?.index.handle, boot?.index.handle].compactMap { $0 }
    }

    /// Those of them that have a policy of their own, so that no two of them are alike.
    public var policyIndexes: [IndexPin] { [generation, binding?.index, boot?.index].compactMap { $0 } }

    /// The user whose share of the TPM the vault takes: its owner, or the member who made it for a group. nil for a
    /// service vault, because root made it.
    public var accountable: UInt32? {
        switch owner {
        case .user(let uid): isService ? nil : uid
        case .group: maker
        }
    }

    public init(
        vault: VaultID, owner: Owner, ownerName: String, created: UInt64, sealer: SealerKind, authenticatorKey: [UInt8],
        storageKey: StorageKeyPin?, counter: CounterPin? = nil, objects: [ObjectRole: [UInt8]],
        isService: Bool = false, biometrySet: [UInt8]? = nil, generation: GenerationPin? = nil, maker: UInt32? = nil
    ) {
        self.format = Self.currentFormat
        self.vault = vault
        self.owner = owner
        self.ownerName = ownerName
        self.created = created
        self.sealer = sealer
        self.authenticatorKey = authenticatorKey
        self.storageKey = storageKey
        self.counter = counter
        self.objects = objects
        self.isService = isService
        self.biometrySet = biometrySet
        self.generation = generation
        if case .group = owner { self.maker = maker } else { self.maker = nil }
    }

    /// The same vault with a key for these enrolled fingers only.
    public func with(biometrySet digest: [UInt8], key name: [UInt8]) -> RegistryRecord {
        var record = self
        record.objects[.biometryCurrentSet] = name
        record.biometrySet = digest
        return record
    }

    /// The same vault under another unlock root. nil ends the binding to a password.
    public func with(binding: BindingPin?, unlockRoot name: [UInt8]) -> RegistryRecord {
        var record = self
        record.objects[.unlockRoot] = name
        record.binding = binding
        return record
    }

    /// The same vault under other roots. nil ends the tie to the boot.
    ///
    /// - Parameter names: the Names of the objects that were sealed again, and of the approving key.
    public func with(boot: BootPin?, names: [ObjectRole: [UInt8]]) -> RegistryRecord {
        var record = self
        record.objects[.approvingKey] = nil
        record.objects.merge(names) { $1 }
        record.boot = boot
        return record
    }

    /// Whether the vault can be bound to a password or tied to the boot. That needs a TPM, and one person to give the
    /// password or approve a boot.
    public var canBeBound: Bool {
        if case .group = owner { return false }
        return sealer == .tpm && !isService
    }

    /// The policy reference that an object of this vault is bound to.
    public func policyReference(for kind: AuthorizationKind) -> PolicyReference {
        PolicyReference(
            vault: vault, owner: owner, kind: kind, setDigest: kind == .biometryCurrentSet ? biometrySet ?? [] : [])
    }
}

/// What keeps a vault's roots. Root chooses it when the vault is made, and it never changes.
public enum SealerKind: String, JSONValue, CaseIterable {
    case tpm
    case software
}

/// The TPM index that one generation of a vault's keys depends on, with what is needed to compute its Name
/// (docs/rotation.md). The pin has the same two members as that of an index that counts tries.
public typealias GenerationPin = IndexPin
