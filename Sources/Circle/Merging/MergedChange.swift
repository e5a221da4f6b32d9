import Item

/// What is kept of a change that was merged, also after it was replaced. A large circle has a table of many of these, so
/// each is small.
struct MergedChange: Sendable {
    /// What the rules need of a change that is no longer present. The content of others can be long.
    private final class Remains: Sendable {
        let item: SharedItemID
        let part: SharedPart
        let stamp: PartStamp
        let name: ItemName?

        init(_ change: PartChange) {
            (item, part, stamp) = (change.item, change.part, change.stamp)
            if case .name(let name)? = change.content { self.name = name } else { name = nil }
        }
    }

    private enum Source: Sendable {
        case present(PartChange)
        case replaced(Remains)
    }

    private var source: Source
    /// The numbers of the ids that the name stands for, and whether the item was made under it; nil for another part, and
    /// for a name that breaks a rule.
    private let joined: (ids: [UInt32], isBirth: Bool)?
    /// A change that broke a rule. Everybody knows it, and it has no effect.
    let isVoid: Bool

    init(_ change: PartChange, _ given: GivenName?, isVoid: Bool) {
        source = isVoid || change.content == nil ? .replaced(Remains(change)) : .present(change)
        joined = given.map { ($0.ids, $0.isBirth) }
        self.isVoid = isVoid
    }

    var item: SharedItemID {
        switch source {
        case .present(let change): change.item
        case .replaced(let remains): remains.item
        }
    }

    var part: SharedPart {
        switch source {
        case .present(let change): change.part
        case .replaced(let remains): remains.part
        }
    }

    var stamp: PartStamp {
        switch source {
        case .present(let change): change.stamp
        case .replaced(let remains): remains.stamp
        }
    }

    var given: GivenName? {
        guard let joined, let name else { return nil }
        return GivenName(name: name, isBirth: joined.isBirth, ids: joined.ids)
    }

    private var name: ItemName? {
        switch source {
        case .present(let change): if case .name(let name)? = change.content { name } else { nil }
        case .replaced(let remains): remains.name
        }
    }

    /// Another change took its place.
    mutating func replace() {
        if case .present(let change) = source { source = .replaced(Remains(change)) }
    }
}
