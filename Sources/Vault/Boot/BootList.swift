import Authorization
import Cryptography

/// A boot under which a vault opens.
public struct ApprovedBoot: Sendable, Hashable {
    /// SHA-256 over the values of the registers that the registry record names, in their order; 32 bytes.
    public let digest: [UInt8]
    /// When it was approved; milliseconds since 1970-01-01 UTC.
    public let approved: UInt64

    public init(digest: [UInt8], approved: UInt64) {
        self.digest = digest
        self.approved = approved
    }
}

/// The boots under which a vault opens (docs/vault-format.md, "A vault that is tied to the boot"). Security does not
/// depend on this list: the TPM holds its digest, and opens nothing for another list.
public struct BootList: Sendable, Equatable {
    /// At least one.
    public let inForce: [ApprovedBoot]
    /// The list that is about to replace ``inForce``. Empty, except during a replacement and after one was interrupted.
    public let next: [ApprovedBoot]

    public init(inForce: [ApprovedBoot], next: [ApprovedBoot] = []) {
        self.inForce = inForce
        self.next = next
    }

    /// The object that the vault's file stores.
    public var object: SealedObject {
        SealedObject(role: .approvedBoots, public: Self.encode(inForce) + Self.encode(next), private: [])
    }

    /// - Throws: `.damaged`.
    public init(_ object: SealedObject?) throws(SealerError) {
        guard let object, object.private.isEmpty else {
            throw SealerError(.damaged, "the vault has no list of approved boots", advice: "restore it from a backup")
        }
        do throws(VaultError) {
            var reader = ByteReader(object.public, "the list of approved boots")
            inForce = try Self.boots(&reader, 1...VaultLimits.boots)
            next = try Self.boots(&reader, 0...VaultLimits.boots)
            try reader.end()
        } catch { throw SealerError(.damaged, error.reason, advice: error.advice) }
    }

    private static func encode(_ boots: [ApprovedBoot]) -> [UInt8] {
        boots.reduce(into: [UInt8(boots.count)]) { $0 += $1.digest + BigEndian.bytes($1.approved) }
    }

    private static func boots(_ reader: inout ByteReader, _ count: ClosedRange<Int>) throws(VaultError)
        -> [ApprovedBoot]
    {
        let number = Int(try reader.integer(UInt8.self))
        guard count.contains(number) else { throw .damaged("it approves an impossible number of boots") }
        var boots: [ApprovedBoot] = []
        for _ in 0..<number {
            let digest = try reader.bytes(SHA256.count)
            guard !boots.contains(where: { $0.digest == digest }) else {
                throw .damaged("it approves the same boot twice")
            }
            boots.append(ApprovedBoot(digest: digest, approved: try reader.integer()))
        }
        return boots
    }
}

/// Tying a vault to the boot, and ending that, takes the same three steps as binding it to a password
/// (``OpenVault/begin(from:to:_:)``).
extension OpenVault {
    /// Puts roots that were sealed again, and the class keys under them, beside those in use.
    ///
    /// - Parameters:
    ///   - root: the unlock root in use.
    ///   - next: the other unlock root.
    /// - Throws: `.damaged`, `.storage`, `.changed`. After an error, the roots may be in the file. Nothing uses them.
    public func begin(from root: SecretBytes, to next: SecretBytes, _ sealed: ResealedVault) throws(VaultError) {
        try begin(
            from: root, to: next, sealed.objects, isToBeBound: isBound,
            index: sealed.boot.map { .boots($0.index) }, formerIndex: record.boot.map { .boots($0.index) })
    }

    /// The list of approved boots. The TPM decides whether it is the right one.
    ///
    /// - Throws: `.damaged` if there is none.
    public var boots: BootList {
        get throws(VaultError) {
            do throws(SealerError) { return try BootList(objects[.approvedBoots]) } catch { throw VaultError(error) }
        }
    }

    /// Writes the list. A new list is first written beside the old one, then the TPM is told, then the new one is
    /// written alone. If this is interrupted, the file still has the list that the TPM keeps.
    ///
    /// - Throws: `.damaged`, `.storage`, `.changed`. After an error, the list may be in the file. Then the vault in memory
    ///   has it, too.
    public func put(_ boots: BootList) throws(VaultError) {
        guard record.boot != nil, !isBindingUnfinished else {
            throw VaultError(.changed, "the vault is not tied to the boot", advice: "tie it with: coffer boot bind")
        }
        let object = boots.object
        let (objects, transition) = pinned.withLock {
            ($0.storedObjects.merging([.approvedBoots: object]) { $1 }, $0.transition)
        }
        let digest = try cryptography { () throws(CryptographyError) in
            try Header.digest(of: objects, transition: transition?.encoded ?? [])
        }
        try write { (change) throws(VaultError) in
            try change.put(object, objectsDigest: digest)
        } committed: { _ in
            pinned.withLock { $0.put(boots: object) }
        }
    }
}
