import Authorization
import Cryptography

/// The unlock root that binding a vault, or unbinding it, leads to, and the class keys under it: in the file beside those in use until the registry
/// names one or the other (docs/vault-format.md, "A bound vault").
struct Transition: Sendable, Equatable {
    let object: SealedObject
    /// As its row will be.
    let keybag: [UInt8]
    /// The password's index; nil where it leads to no binding.
    let index: PINIndexPin?
    /// That of the binding which ends with it; nil where there is none.
    let formerIndex: PINIndexPin?

    init(object: SealedObject, keybag: [UInt8], index: PINIndexPin?, formerIndex: PINIndexPin?) {
        self.object = object
        self.keybag = keybag
        self.index = index
        self.formerIndex = formerIndex
    }

    var encoded: [UInt8] {
        LengthPrefixed.encode(
            object.public, object.private, keybag, Self.encode(index), Self.encode(formerIndex))
    }

    init(decoding bytes: [UInt8]) throws(VaultError) {
        var reader = ByteReader(bytes, "the vault's next unlock root")
        object = SealedObject(role: .unlockRoot, public: try reader.prefixed(), private: try reader.prefixed())
        keybag = try reader.prefixed()
        index = try Self.index(reader.prefixed())
        formerIndex = try Self.index(reader.prefixed())
        try reader.end()
    }

    private static func encode(_ index: PINIndexPin?) -> [UInt8] {
        index.map { BigEndian.bytes($0.handle) + $0.policy } ?? []
    }

    private static func index(_ bytes: [UInt8]) throws(VaultError) -> PINIndexPin? {
        guard !bytes.isEmpty else { return nil }
        var reader = ByteReader(bytes, "the index of a password")
        let handle: UInt32 = try reader.integer()
        let policy = try reader.bytes(32)
        try reader.end()
        guard let index = PINIndexPin(handle: handle, policy: policy) else {
            throw .damaged("the index of a password has an impossible handle")
        }
        return index
    }
}
