/// The limits of an item, and of the calls about several, in bytes of UTF-8 unless a line says otherwise
/// (docs/vault-format.md; docs/broker-protocol.md, "Limits"). The vault has the last word. Everybody else checks by the
/// same table, so that an error comes before anybody is asked.
package enum ItemLimits {
    /// The value.
    package static let value = 1 << 20
    /// The service and the account, each. The service needs at least one byte.
    package static let name = 1 << 10
    package static let label = 1 << 10
    /// How many fields an item has.
    package static let fields = 16
    /// How many signatures all fields of an item take together: as many as one prompt gives.
    package static let signatures = 32
    /// A field's name, which needs at least one byte.
    package static let fieldName = 128
    package static let comment = 4 << 10
    /// How many attributes an item has, or a search names.
    package static let attributes = 64
    /// An attribute's name and value together. The name needs at least one byte.
    package static let attribute = 4 << 10
    /// An application password, which needs at least one byte.
    package static let applicationPassword = 1 << 10
    /// The reason that a program gives for reading.
    package static let reason = 512
    /// How many items a vault has.
    package static let items = 10_000
    /// The value of a setting.
    package static let settingValue = 64 << 10
    /// How many settings a service has, how many bytes all of their sealed values, and how many a vault has.
    package static let settings = (ofService: 1_024, bytesOfService: 1 << 20, all: 4_096)
    /// How many changes one call makes.
    package static let changes = 128
    /// How many items one call reads.
    package static let reads = 32
    /// How many former values of an item a vault keeps, unless it is set otherwise, and at most.
    package static let formerValues = (usual: 3, most: 10)
    /// For how many days, unless it is set otherwise, and at most.
    package static let formerDays = (usual: 30, most: 366)
    /// For how many days a vault keeps a deleted item, unless it is set otherwise, and at most.
    package static let binDays = (usual: 30, most: 366)
}

/// A limit that an item does not keep.
package enum ItemLimitError: Error, Hashable {
    /// A text with a limit of its own.
    package enum Text: String, Sendable {
        case service, account, label, comment

        package var limit: Int {
            switch self {
            case .service, .account: ItemLimits.name
            case .label: ItemLimits.label
            case .comment: ItemLimits.comment
            }
        }
    }

    case noService
    case noAttributeName
    case noApplicationPassword
    case longText(Text, count: Int)
    case longAttribute
    case manyAttributes(Int)
    case longValue(Int)
    case longSetting(Int)
    case longApplicationPassword(Int)
    case longReason

    /// Whether there is too much of something. Otherwise something is missing, or is not what it should be.
    package var isExcess: Bool {
        switch self {
        case .noService, .noAttributeName, .noApplicationPassword, .longReason: false
        default: true
        }
    }

    /// What happened, for people.
    package var reason: String {
        switch self {
        case .noService: "the service is empty"
        case .noAttributeName: "an attribute has no name"
        case .noApplicationPassword: "the application password is empty"
        case .longText(let text, let count):
            "the \(text.rawValue) has \(count) bytes, but may have \(text.limit) at most"
        case .longAttribute:
            "an attribute is too long: name and value have \(ItemLimits.attribute) bytes at most"
        case .manyAttributes(let count):
            "there are \(count) attributes, but an item has \(ItemLimits.attributes) at most"
        case .longValue(let count):
            "the value has \(count) bytes, but an item holds \(ItemLimits.value) (1 MiB) at most"
        case .longSetting(let count):
            "the setting has \(count) bytes, but may have \(ItemLimits.settingValue) (64 KiB) at most"
        case .longApplicationPassword(let count):
            "the application password has \(count) bytes, but may have \(ItemLimits.applicationPassword) at most"
        case .longReason: "a reason may have at most \(ItemLimits.reason) bytes"
        }
    }

    /// What to do about it, for people; empty if there is nothing to do.
    package var advice: String { self == .noService ? "name one" : "" }
}

extension ItemLimits {
    package static func check(service: String, account: String) throws(ItemLimitError) {
        guard !service.isEmpty else { throw .noService }
        try check(service, .service)
        try check(account, .account)
    }

    package static func check(
        label: String?, comment: String?, attributes: [String: String]
    ) throws(ItemLimitError) {
        try check(label ?? "", .label)
        try check(comment ?? "", .comment)
        guard attributes.count <= Self.attributes else { throw .manyAttributes(attributes.count) }
        for (name, value) in attributes { try check(attribute: name, value) }
    }

    package static func check(attribute name: String, _ value: String) throws(ItemLimitError) {
        guard !name.isEmpty else { throw .noAttributeName }
        guard name.utf8.count + value.utf8.count <= attribute else { throw .longAttribute }
    }

    package static func check(_ text: String, _ what: ItemLimitError.Text) throws(ItemLimitError) {
        guard text.utf8.count <= what.limit else { throw .longText(what, count: text.utf8.count) }
    }

    /// - Parameters:
    ///   - count: the value's bytes.
    ///   - kind: the item's.
    package static func check(valueOf count: Int, of kind: ItemKind = .genericPassword) throws(ItemLimitError) {
        guard count <= value else { throw .longValue(count) }
        guard kind != .setting || count <= settingValue else { throw .longSetting(count) }
    }

    /// - Parameter count: the password's bytes.
    package static func check(applicationPasswordOf count: Int) throws(ItemLimitError) {
        guard count > 0 else { throw .noApplicationPassword }
        guard count <= applicationPassword else { throw .longApplicationPassword(count) }
    }

    package static func check(reason: String?) throws(ItemLimitError) {
        guard (reason?.utf8.count ?? 0) <= self.reason else { throw .longReason }
    }
}
