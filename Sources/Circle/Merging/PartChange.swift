import Authorization
import Cryptography
import Item

/// A change of one part of one item, as its writer made it: one revision of the part, or its removal.
package struct PartChange: Hashable, Sendable {
    /// How many revisions one change can replace. A part with more takes several changes.
    package static let mostReplaced = 1_024

    /// A change is in many lists, and is kept once.
    private final class Fields: Sendable {
        let name: RevisionName
        let item: SharedItemID
        let part: SharedPart
        let stamp: PartStamp
        let replaced: [RevisionName]
        let content: PartContent?

        init(
            _ name: RevisionName, _ item: SharedItemID, _ part: SharedPart, _ stamp: PartStamp,
            _ replaced: [RevisionName], _ content: PartContent?
        ) {
            (self.name, self.item, self.part, self.stamp) = (name, item, part, stamp)
            (self.replaced, self.content) = (replaced, content)
        }
    }

    private let fields: Fields

    /// The SHA-256 of the canonical bytes of all that follows.
    package var name: RevisionName { fields.name }
    package var item: SharedItemID { fields.item }
    package var part: SharedPart { fields.part }
    package var stamp: PartStamp { fields.stamp }
    /// The revisions of this part that its writer had, sorted. They count no longer.
    package var replaced: [RevisionName] { fields.replaced }
    /// Nil removes what is replaced, and nothing else.
    package var content: PartContent? { fields.content }

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
        let sorted = replaced.count > 1 ? replaced.sorted() : replaced
        guard !zip(sorted, sorted.dropFirst()).contains(where: ==) else { throw .impossible }
        let name = try RevisionName(hashing: Self.bytes(item, part, stamp, sorted, content))
        fields = Fields(name, item, part, stamp, sorted, content)
    }

    private static let domain = LengthPrefixed.encode(Array("org.coffer.circle.change".utf8))

    private static func bytes(
        _ item: SharedItemID, _ part: SharedPart, _ stamp: PartStamp, _ replaced: [RevisionName],
        _ content: PartContent?
    ) -> [UInt8] {
        domain + item.bytes + part.bytes + stamp.bytes + BigEndian.bytes(UInt32(clamping: replaced.count))
            + replaced.flatMap(\.bytes) + (content.map { [1] + $0.bytes } ?? [0])
    }

    /// The canonical bytes. The name is their SHA-256.
    package var bytes: [UInt8] { Self.bytes(item, part, stamp, replaced, content) }

    /// Reads canonical bytes. Each change has one form.
    ///
    /// - Throws: `CircleFormError`; `.kind` for a part, a content or an access control that this version does not know.
    package init(decoding bytes: [UInt8]) throws(CircleFormError) {
        var rest = bytes[...]
        try rest.domain(Self.domain)
        guard let item = SharedItemID(bytes: try rest.take(SharedItemID.count)) else { throw .length }
        let part = try SharedPart(from: &rest)
        let clock = try rest.integer(UInt64.self)
        guard let stamp = PartStamp(clock: clock, writer: try rest.device()) else { throw .range }
        let replaced = try rest.elements(upTo: Self.mostReplaced) { (rest) throws(CircleFormError) in
            try RevisionName(from: &rest)
        }
        guard zip(replaced, replaced.dropFirst()).allSatisfy({ $0 < $1 }) else { throw .order }
        let content: PartContent?
        switch try rest.integer(UInt8.self) {
        case 0: content = nil
        case 1: content = try PartContent(from: &rest)
        default: throw .range
        }
        try rest.end()
        do throws(MergingError) {
            try self.init(item: item, part: part, stamp: stamp, replacing: replaced, content: content)
        } catch {
            switch error {
            case .cryptography: throw .hash
            default: throw .form
            }
        }
    }

    /// The changes that must be merged before this one.
    package var named: [RevisionName] { replaced + Self.values(in: content) }

    private static func values(in content: PartContent?) -> [RevisionName] {
        if case .bin(let record)? = content { record.values } else { [] }
    }

    package static func == (one: PartChange, other: PartChange) -> Bool {
        one.fields === other.fields || one.name == other.name
    }

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
    init(from rest: inout ArraySlice<UInt8>) throws(CircleFormError) {
        guard let name = RevisionName(digest: try rest.take(SharedItemID.count * 2)) else { throw .length }
        self = name
    }

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
