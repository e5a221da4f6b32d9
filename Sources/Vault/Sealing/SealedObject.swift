import Authorization
import Cryptography

/// One object of a vault as the vault's file keeps it (docs/vault-format.md, "object"). Only the sealer interprets its
/// two parts.
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

/// The keys with which a device of a circle signs (docs/vault-format.md, "Signing keys of a circle"). They are in
/// neither the vault's table of objects nor the registry record.
public struct SigningKeyPair: Sendable {
    /// Signs by its password alone.
    public let stream: SealedObject
    /// 65 bytes.
    public let streamPoint: [UInt8]
    /// Signs by its password, and a signature of the authenticator.
    public let membership: SealedObject
    /// 65 bytes.
    public let membershipPoint: [UInt8]

    public init(
        stream: SealedObject, streamPoint: [UInt8], membership: SealedObject, membershipPoint: [UInt8]
    ) {
        self.stream = stream
        self.streamPoint = streamPoint
        self.membership = membership
        self.membershipPoint = membershipPoint
    }
}

/// All objects of a vault.
public typealias SealedObjects = [ObjectRole: SealedObject]

/// A new vault's keys from the sealer: the roots in the clear, this once, and the sealed objects.
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
    /// The counter of the vault's epochs; nil with the software sealer.
    public let counter: CounterPin?
    /// The index that all objects except the device root depend on; nil with the software sealer.
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
