import Authorization
import Cryptography
import Item

/// A change of one part of one item, as its writer made it: one revision of the part, or its removal.
package struct PartChange: Hashable, Sendable {
    /// How many revisions one change can replace. A part with more takes several changes.
    package static let mostReplaced = 1_024

    /// The SHA-256 of the canonical bytes of all that follows.
    package let name: RevisionName
    package let item: SharedItemID
    package let part: SharedPart
    package let stamp: PartStamp
    /// The revisions of this part that its writer had, sorted. They count no longer.
    package let replaced: [RevisionName]
    /// Nil removes what is replaced, and nothing else.
    package let content: PartContent?

    /// - Throws: `MergingError`, if it is no change.
    package init(
        item: SharedItemID, part: SharedPart, stamp: PartStamp, replacing replaced: [RevisionName],
        content: PartContent?
    ) throws(MergingError) {
        guard content?.fits(part) ?? !replaced.isEmpty else { throw .impossible }
        guard replaced.count <= Self.mostReplaced, Self.values(in: content).count <= Self.mostReplaced else {
            throw .replacesTooMany
        }
        // A name and an access control are replaced, never removed: a value that comes back needs both.
        guard content != nil || part != .name && part != .access else { throw .impossible }
        let sorted = replaced.sorted()
        guard !zip(sorted, sorted.dropFirst()).contains(where: ==) else { throw .impossible }
        self.item = item
        self.part = part
        self.stamp = stamp
        self.replaced = sorted
        self.content = content
        let bytes =
            LengthPrefixed.encode(Array("org.coffer.circle.change".utf8)) + item.bytes + part.bytes + stamp.bytes
            + BigEndian.bytes(UInt32(clamping: sorted.count)) + sorted.flatMap(\.bytes)
            + (content.map { [1] + $0.bytes } ?? [0])
        name = try RevisionName(hashing: bytes)
    }

    /// The changes that must be merged before this one.
    var named: [RevisionName] { replaced + Self.values(in: content) }

    private static func values(in content: PartContent?) -> [RevisionName] {
        if case .bin(let record)? = content { record.values } else { [] }
    }

    package static func == (one: PartChange, other: PartChange) -> Bool { one.name == other.name }

    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// Why something is no change, or may not be written.
package enum MergingError: Error, Sendable {
    /// The content does not fit the part, a revision is named twice, or nothing is changed.
    case impossible
    /// It replaces, or puts into the bin, more than 1,024 revisions.
    case replacesTooMany
    /// The circle has as many items as it may have.
    case manyItems
    /// The item has as many fields as it may have.
    case manyFields
    /// The item has as many attributes as it may have.
    case manyAttributes
    /// The library that hashes has failed.
    case cryptography(CryptographyError)
}

extension RevisionName {
    /// The name of what has these canonical bytes.
    init(hashing bytes: [UInt8]) throws(MergingError) {
        let digest: [UInt8]
        do {
            digest = try SHA256.digest(bytes)
        } catch {
            throw .cryptography(error)
        }
        guard let name = RevisionName(digest: digest) else { throw .impossible }
        self = name
    }
}
