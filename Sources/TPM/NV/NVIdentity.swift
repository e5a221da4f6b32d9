/// The kind of an index. Coffer fixes its attributes and size, and never reads them from anywhere.
public protocol NVRoleKind: Sendable {
    /// The attributes at definition, so without `written`.
    static var attributes: NVAttributes { get }
    /// The size of the content in bytes.
    static var size: UInt16 { get }
}

/// The purposes of indexes. As types, they keep one kind from being used as another.
public enum NVRole {
    /// The index's password counts and reads; the owner can do neither. The index is not orderly, because an orderly
    /// counter jumps when power is lost.
    public enum EpochCounter: NVRoleKind {
        public static let attributes: NVAttributes = [.authorizedWrite, .authorizedRead, .counter, .noDictionaryAttack]
        public static let size: UInt16 = 8
    }

    /// `policyWrite` is the only right to write, so an attacker who redefines the index cannot write it. The owner can
    /// read the tries.
    public enum PINIndex: NVRoleKind {
        public static let attributes: NVAttributes = [
            .policyWrite, .ownerRead, .authorizedRead, .pinFail, .noDictionaryAttack,
        ]
        public static let size: UInt16 = 8
    }

    /// An approved policy. The empty password reads it, and only its own policy writes it.
    public enum PolicyIndex: NVRoleKind {
        public static let attributes: NVAttributes = [.policyWrite, .authorizedRead, .noDictionaryAttack]
        /// `TPMT_HA` with SHA-256.
        public static let size: UInt16 = 34
    }

    /// One generation of keys depends on the existence of this index, and not on its content. `policyWrite` is the only
    /// right to write, and the key for it is gone.
    public enum Generation: NVRoleKind {
        public static let attributes: NVAttributes = [.policyWrite, .authorizedRead, .noDictionaryAttack]
        public static let size: UInt16 = 8
    }
}

/// The pinned facts about an index. From them, the whole public area is computed, and so the Name.
public struct NVIdentity<Role: NVRoleKind>: Sendable, Hashable {
    public let handle: NVHandle
    /// authPolicy, 32 bytes; empty if the index has none.
    public let policy: [UInt8]

    /// - Throws: `.damaged` for a policy of another size.
    public init(handle: NVHandle, policy: [UInt8] = []) throws(TPMError) {
        guard policy.isEmpty || policy.count == 32 else { throw TPMError(.damaged, "an NV policy is not 32 bytes") }
        self.handle = handle
        self.policy = policy
    }

    /// The public area at definition.
    var area: NVPublicArea {
        NVPublicArea(handle: handle.rawValue, attributes: Role.attributes, policy: policy, size: Role.size)
    }

    /// The Name after the first write, 34 bytes. Takes no command.
    public func name() throws(TPMError) -> [UInt8] { try area.written.name() }
}

public typealias EpochCounterIdentity = NVIdentity<NVRole.EpochCounter>
public typealias PINIndexIdentity = NVIdentity<NVRole.PINIndex>
public typealias GenerationIdentity = NVIdentity<NVRole.Generation>
public typealias PolicyIndexIdentity = NVIdentity<NVRole.PolicyIndex>
