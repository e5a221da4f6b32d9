import Circle
import Item

/// A part of an item that machines have changed at the same time, so that it has several present revisions.
package struct PartConflict: Sendable {
    package struct Revision: Sendable {
        package let name: RevisionName
        package let writer: WriterID
        /// What its writer calls itself, if that is known.
        package let machine: MachineName?
        /// Its stamp's clock, in milliseconds since 1970-01-01 UTC.
        package let clock: UInt64
        /// Never a value: of a field, this is what the rules know of it.
        package let content: PartContent
        /// Nil for a value that does not open here.
        package let isReadable: Bool
        /// The first one that has the same content.
        package let same: RevisionName?
    }

    /// The item as it is here.
    package let item: ItemSummary
    package let part: SharedPart
    /// The shown one first, then those that lost: eight at most.
    package let revisions: [Revision]
    /// How many more have lost. They are ordinary former values.
    package let beyond: Int
}

extension PartConflict.Revision {
    /// The text of a name, a label, a comment, an attribute or an expiry, in bytes.
    var size: Int {
        switch content {
        case .text(let text): text.count
        case .name(let name): name.service.utf8.count + name.account.utf8.count
        default: 0
        }
    }
}
