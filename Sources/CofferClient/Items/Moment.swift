import Platform

/// A moment. Applications have Foundation's `Date` for it; this is for what needs no Foundation.
package struct Moment: Sendable, Hashable, Comparable {
    /// Seconds since 2001-01-01 UTC. A `Date` counts the same, so nothing is lost between the two.
    package let secondsSince2001: Double

    package init(secondsSince2001: Double) { self.secondsSince2001 = secondsSince2001 }

    package init(secondsSince1970: Double) { self.init(secondsSince2001: secondsSince1970 - Self.from1970to2001) }

    /// - Parameter milliseconds: since 1970-01-01 UTC.
    package init(milliseconds: Int64) { self.init(secondsSince1970: Double(milliseconds) / 1000) }

    package static var now: Moment {
        let (seconds, nanoseconds) = WallTime.now
        return Moment(secondsSince2001: Double(seconds) - from1970to2001 + Double(nanoseconds) / 1e9)
    }

    package static let distantPast = Moment(secondsSince2001: -.infinity)

    package var secondsSince1970: Double { secondsSince2001 + Self.from1970to2001 }

    /// Milliseconds since 1970-01-01 UTC, from 1 to 2^62. A moment outside of that range is its nearest end.
    package var milliseconds: Int64 {
        let milliseconds = (secondsSince1970 * 1000).rounded()
        // 2^62 is beyond every date that people use, and far from overflow.
        return Int64(min(max(milliseconds.isNaN ? 1 : milliseconds, 1), 0x1p62))
    }

    package static func < (one: Moment, other: Moment) -> Bool { one.secondsSince2001 < other.secondsSince2001 }

    private static let from1970to2001: Double = 978_307_200
}

/// When an item was made, when it was changed last, and when it ends.
package struct ItemTimes: Sendable, Hashable {
    package var created: Moment
    package var modified: Moment
    /// nil: it does not expire.
    package var expires: Moment?

    package init(created: Moment, modified: Moment, expires: Moment? = nil) {
        self.created = created
        self.modified = modified
        self.expires = expires
    }
}

/// When an item that is stored stops being given out.
package enum ItemExpiry: Sendable, Hashable {
    case never
    case at(Moment)
    /// So long after the item is stored.
    case after(Duration)

    /// The moment, in milliseconds since 1970-01-01 UTC; 0 for never.
    package func milliseconds(now: Moment) -> Int64 {
        switch self {
        case .never: 0
        case .at(let moment): moment.milliseconds
        // The components of a very long duration do not fit into their type.
        case .after(let duration):
            Moment(secondsSince2001: now.secondsSince2001 + duration / .seconds(1)).milliseconds
        }
    }
}
