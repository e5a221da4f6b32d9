import FoundationEssentials

/// The times of items, as dates.
extension ItemAttributes {
    /// For backends. Applications get attributes from ``Keychain/attributes(of:)`` and from lists.
    public init(
        id: String, name: ItemName, label: String? = nil, comment: String? = nil, attributes: [String: String] = [:],
        access: AccessControl = .whenUnlocked, created: Date, modified: Date, expires: Date? = nil, version: Int,
        revision: String, fields: [Field]? = nil
    ) {
        self.init(
            id: id, name: name, label: label, comment: comment, attributes: attributes, access: access,
            times: ItemTimes(created: Moment(created), modified: Moment(modified), expires: expires.map(Moment.init)),
            version: version, revision: revision, fields: fields)
    }

    /// When the item was made.
    public var created: Date { Date(times.created) }
    /// When anything about the item last changed.
    public var modified: Date { Date(times.modified) }
    /// From then on the item is not given out.
    public var expires: Date? { times.expires.map { Date($0) } }
}

extension Field {
    /// For backends. Applications get fields from ``ItemAttributes/fields``.
    public init(_ name: FieldName, _ kind: FieldKind, set: Date) {
        self.init(name, kind, setAt: Moment(set))
    }

    /// When the present value was set.
    public var set: Date { Date(setAt) }
}

extension ItemVersion {
    /// For backends. Applications get versions from ``Keychain/history(of:)``.
    public init(
        version: Int, set: Date, keptUntil: Date, access: AccessControl, field: FieldName = .secret
    ) {
        self.init(version: version, setAt: Moment(set), droppedAt: Moment(keptUntil), access: access, field: field)
    }

    /// When the value was set.
    public var set: Date { Date(setAt) }
    /// When the value is dropped.
    public var keptUntil: Date { Date(droppedAt) }
}

extension Date {
    package init(_ moment: Moment) { self.init(timeIntervalSinceReferenceDate: moment.secondsSince2001) }

    /// - Parameter milliseconds: since 1970-01-01 UTC.
    package init(milliseconds: Int64) { self.init(Moment(milliseconds: milliseconds)) }

    /// As ``Moment/milliseconds``.
    package var milliseconds: Int64 { Moment(self).milliseconds }
}

extension Moment {
    package init(_ date: Date) { self.init(secondsSince2001: date.timeIntervalSinceReferenceDate) }
}
