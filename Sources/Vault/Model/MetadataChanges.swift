/// Changes to an item's metadata. nil leaves a member as it is.
public struct MetadataChanges: Sendable, Hashable {
    /// Empty: the item gets no label.
    public var label: String?
    /// Empty: the item gets no comment.
    public var comment: String?
    /// An empty value removes that attribute. Attributes not named here stay.
    public var attributes: [String: String]
    /// Milliseconds since 1970-01-01 UTC. 0: never.
    public var expires: UInt64?

    public init(
        label: String? = nil, comment: String? = nil, attributes: [String: String] = [:], expires: UInt64? = nil
    ) {
        self.label = label
        self.comment = comment
        self.attributes = attributes
        self.expires = expires
    }

    /// - Throws: `.invalidArgument` if the item has an attribute of the same name in another Unicode spelling.
    func apply(to metadata: inout Metadata) throws(VaultError) {
        if let label { metadata.label = label.isEmpty ? nil : label }
        if let comment { metadata.comment = comment.isEmpty ? nil : comment }
        for (name, value) in attributes {
            // Swift treats canonically equivalent strings as equal, but the index finds only the same bytes.
            if let present = metadata.attributes.index(forKey: name) {
                let known = metadata.attributes[present].key
                guard known.utf8.elementsEqual(name.utf8) else {
                    throw VaultError(
                        .invalidArgument,
                        "the item has an attribute whose name Unicode writes in two ways; name it as the item does")
                }
            }
            metadata.attributes[name] = value.isEmpty ? nil : value
        }
        if let expires { metadata.expires = expires == 0 ? nil : expires }
    }
}
