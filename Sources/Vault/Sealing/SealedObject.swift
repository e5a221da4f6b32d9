import Authorization
import Cryptography

/// One object of a vault as the vault's file keeps it (docs/vault-format.md, "object"). Both parts are opaque here: what they must be is for the sealer to say.
public struct SealedObject: Sendable, Equatable {
    public let role: ObjectRole
    public let `public`: [UInt8]
    public let `private`: [UInt8]

    public init(role: ObjectRole, public: [UInt8], private: [UInt8]) {
        self.role = role
        self.public = `public`
        self.private = `private`
    }
}

/// All objects of a vault.
public typealias SealedObjects = [ObjectRole: SealedObject]

/// What a sealer makes for a new vault: the roots, once in the clear, and everything sealed.
public struct NewVaultKeys: Sendable {
    /// 32 bytes.
    public let deviceRoot: SecretBytes
    /// 32 bytes.
    public let unlockRoot: SecretBytes
    /// X25519, 32 bytes.
    public let recoveryPublicKey: [UInt8]
    public let objects: [SealedObject]
    /// The Name of each object, 34 bytes, for the registry.
    public let names: [ObjectRole: [UInt8]]
    /// nil with the software sealer.
    public let storageKey: StorageKeyPin?
    /// What counts its epochs; nil with the software sealer.
    public let counter: CounterPin?
    /// What all of them but the device root hang on; nil with the software sealer.
    public let generation: GenerationPin?

    public init(
        deviceRoot: SecretBytes, unlockRoot: SecretBytes, recoveryPublicKey: [UInt8], objects: [SealedObject],
        names: [ObjectRole: [UInt8]], storageKey: StorageKeyPin?, counter: CounterPin? = nil,
        generation: GenerationPin? = nil
    ) {
        self.deviceRoot = deviceRoot
        self.unlockRoot = unlockRoot
        self.recoveryPublicKey = recoveryPublicKey
        self.objects = objects
        self.names = names
        self.storageKey = storageKey
        self.counter = counter
        self.generation = generation
    }
}
