import FoundationEssentials

/// When an item stops being given out.
///
/// ```swift
/// try await keychain.set("one-time", for: "upload", expires: .after(.seconds(600)))
/// ```
public enum Expiry: Sendable, Hashable {
    /// The item does not expire.
    case never
    /// At this moment.
    case at(Date)
    /// So long after the item is stored.
    case after(Duration)
}

extension Expiry {
    init(_ expiry: ItemExpiry) {
        self =
            switch expiry {
            case .never: .never
            case .at(let moment): .at(Date(moment))
            case .after(let duration): .after(duration)
            }
    }
}

extension ItemExpiry {
    package init(_ expiry: Expiry) {
        self =
            switch expiry {
            case .never: .never
            case .at(let date): .at(Moment(date))
            case .after(let duration): .after(duration)
            }
    }
}

extension NewItem {
    /// When the item expires. nil: that stays as it is.
    public var expiry: Expiry? {
        get { expires.map(Expiry.init) }
        set { expires = newValue.map(ItemExpiry.init) }
    }

    /// A value, when it expires, and what else changes. What is nil stays as it was; a new item gets the defaults.
    /// ```swift
    /// let item = NewItem(value: Array("s3cret".utf8), expiry: .after(.seconds(600)))
    /// ```
    public init(
        value: [UInt8], access: AccessControl? = nil, label: String? = nil, comment: String? = nil,
        attributes: [String: String]? = nil, expiry: Expiry?, applicationPassword: [UInt8]? = nil
    ) {
        self.init(
            value: value, access: access, label: label, comment: comment, attributes: attributes,
            applicationPassword: applicationPassword)
        self.expiry = expiry
    }
}

extension ItemEdit {
    /// When the item expires. nil: that stays as it is.
    public var expiry: Expiry? {
        get { expires.map(Expiry.init) }
        set { expires = newValue.map(ItemExpiry.init) }
    }

    /// Changes of an item that keep its value, and when it expires. What is nil stays.
    /// ```swift
    /// let edit = ItemEdit(expiry: .never)
    /// ```
    public init(
        access: AccessControl? = nil, label: String? = nil, comment: String? = nil,
        attributes: [String: String]? = nil, expiry: Expiry?
    ) {
        self.init(access: access, label: label, comment: comment, attributes: attributes)
        self.expiry = expiry
    }
}
