/// What is to change about an item's metadata; nil leaves as it is.
public struct MetadataChanges: Sendable, Hashable {
    /// Empty: none.
    public var label: String?
    /// Empty: none.
    public var comment: String?
    /// An empty value takes that attribute away; others stay.
    public var attributes: [String: String]
    /// Milliseconds since 1970-01-01 UTC; 0: never.
    public var expires: UInt64?

    public init(
        label: String? = nil, comment: String? = nil, attributes: [String: String] = [:], expires: UInt64? = nil
    ) {
        self.label = label
        self.comment = comment
        self.attributes = attributes
        self.expires = expires
    }

    /// - Throws: `.invalidArgument` for an attribute that the item has under another spelling of the same name.
    func apply(to metadata: inout Metadata) throws(VaultError) {
        if let label { metadata.label = label.isEmpty ? nil : label }
        if let comment { metadata.comment = comment.isEmpty ? nil : comment }
        for (name, value) in attributes {
            // Equal strings may differ in their bytes, and only the bytes are found again.
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
