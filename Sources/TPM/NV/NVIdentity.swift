/// What kind of index it is: its attributes and size are part of what Coffer expects, never read from anywhere.
public protocol NVRoleKind: Sendable {
    /// As it is defined, hence without `written`.
    static var attributes: NVAttributes { get }
    /// Bytes of content.
    static var size: UInt16 { get }
}

/// What an index is for: one kind cannot be used as another.
public enum NVRole {
    /// Who holds the index's password counts and reads; the owner does neither. Not orderly: such a counter jumps when
    /// power is lost.
    public enum EpochCounter: NVRoleKind {
        public static let attributes: NVAttributes = [.authorizedWrite, .authorizedRead, .counter, .noDictionaryAttack]
        public static let size: UInt16 = 8
    }

    /// `policyWrite` alone among the rights to write: whoever redefines the index cannot write it. The owner reads the
    /// tries.
    public enum PINIndex: NVRoleKind {
        public static let attributes: NVAttributes = [
            .policyWrite, .ownerRead, .authorizedRead, .pinFail, .noDictionaryAttack,
        ]
        public static let size: UInt16 = 8
    }

    /// An approved policy: its empty password reads, only its own policy writes.
    public enum PolicyIndex: NVRoleKind {
        public static let attributes: NVAttributes = [.policyWrite, .authorizedRead, .noDictionaryAttack]
        /// `TPMT_HA` with SHA-256.
        public static let size: UInt16 = 34
    }

    /// What one generation of keys hangs on: its being there, and nothing that it holds. `policyWrite` alone, by a key that is gone.
    public enum Generation: NVRoleKind {
        public static let attributes: NVAttributes = [.policyWrite, .authorizedRead, .noDictionaryAttack]
        public static let size: UInt16 = 8
    }
}

/// What of an index is pinned outside the TPM: with it the whole public area, hence the Name, is computed.
public struct NVIdentity<Role: NVRoleKind>: Sendable, Hashable {
    public let handle: NVHandle
    /// authPolicy: 32 bytes, or none where the index has none.
    public let policy: [UInt8]

    /// Throws `.damaged` for a policy of another size.
    public init(handle: NVHandle, policy: [UInt8] = []) throws(TPMError) {
        guard policy.isEmpty || policy.count == 32 else { throw TPMError(.damaged, "an NV policy is not 32 bytes") }
        self.handle = handle
        self.policy = policy
    }

    /// The public area as the index was defined.
    var area: NVPublicArea {
        NVPublicArea(handle: handle.rawValue, attributes: Role.attributes, policy: policy, size: Role.size)
    }

    /// The Name it has since it was written, 34 bytes. No command.
    public func name() throws(TPMError) -> [UInt8] { try area.written.name() }
}

public typealias EpochCounterIdentity = NVIdentity<NVRole.EpochCounter>
public typealias PINIndexIdentity = NVIdentity<NVRole.PINIndex>
public typealias GenerationIdentity = NVIdentity<NVRole.Generation>
public typealias PolicyIndexIdentity = NVIdentity<NVRole.PolicyIndex>
