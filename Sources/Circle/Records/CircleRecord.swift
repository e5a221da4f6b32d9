import Authorization
import Item

/// One piece that one device wrote, sealed (docs/sync-format.md, “Records”).
package struct CircleRecord: Hashable, Sendable {
    /// What everybody sees of a record. It is bound to what is sealed.
    package struct Header: Hashable, Sendable {
        package let circle: StatementName
        package let device: WriterID
        package let run: RunID
        /// 1 to 9,999,999,999,999,999.
        package let number: UInt64
        /// What the record is sealed to; nil for what everybody can open.
        package let generation: StatementName?

        /// - Throws: `.range` for a number that no record has.
        package init(
            circle: StatementName, device: WriterID, run: RunID, number: UInt64, generation: StatementName?
        ) throws(CircleFormError) {
            guard (1...CircleLimits.number).contains(number) else { throw .range }
            (self.circle, self.device, self.run) = (circle, device, run)
            (self.number, self.generation) = (number, generation)
        }

        static let count = 2 + 2 * StatementName.count + SharedItemID.count + RunID.count + 8

        /// The associated data of what is sealed: 106 bytes.
        package var bytes: [UInt8] {
            BigEndian.bytes(CircleLimits.version) + circle.bytes + device.bytes + run.bytes
                + BigEndian.bytes(number) + generationBytes
        }

        /// The salt of the record's key: 32 bytes.
        package var generationBytes: [UInt8] { generation?.bytes ?? Self.nobody }

        /// The `info` from which HKDF makes the record's key. The key material is the private half of the generation's
        /// metadata key, or 32 zero bytes without a generation.
        package var keyInfo: [UInt8] { LengthPrefixed.encode(Array("org.coffer.circle.record".utf8)) + bytes }

        private static let nobody = [UInt8](repeating: 0, count: StatementName.count)

        init(from rest: inout ArraySlice<UInt8>) throws(CircleFormError) {
            try rest.version()
            let (circle, device) = (try rest.circle(), try rest.device())
            guard let run = RunID(bytes: try rest.take(RunID.count)) else { throw .length }
            let number = try rest.integer(UInt64.self)
            let generation = try rest.circle()
            try self.init(
                circle: circle, device: device, run: run, number: number,
                generation: generation.bytes == Self.nobody ? nil : generation)
        }
    }

    /// A record is in many lists, and is kept once.
    private final class Content: Sendable {
        let header: Header
        let bytes: [UInt8]

        init(_ header: Header, _ bytes: [UInt8]) { (self.header, self.bytes) = (header, bytes) }
    }

    private let content: Content

    package var header: Header { content.header }
    package var bytes: [UInt8] { content.bytes }

    /// A nonce of 12 bytes, the padded body, a tag of 16.
    package var sealed: [UInt8] { Array(bytes[(Header.count + 4)...]) }

    package static func == (one: CircleRecord, other: CircleRecord) -> Bool {
        // The header is in the bytes.
        one.content === other.content || one.bytes == other.bytes
    }

    /// A record can be long, and few have one place.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(header.run)
        hasher.combine(header.number)
    }

    /// - Throws: `.length` or `.form` for what no padded body can have been sealed to.
    package init(_ header: Header, sealed: [UInt8]) throws(CircleFormError) {
        try Self.check(sealed)
        content = Content(header, header.bytes + LengthPrefixed.encode(sealed))
    }

    private static func check(_ sealed: [UInt8]) throws(CircleFormError) {
        guard sealed.count <= RecordPadding.largest + RecordPadding.overhead else { throw .length }
        guard RecordPadding.isClass(sealed.count - RecordPadding.overhead) else { throw .form }
    }

    /// Reads canonical bytes. Each record has one form.
    ///
    /// - Throws: `CircleFormError`.
    package init(decoding bytes: [UInt8]) throws(CircleFormError) {
        var rest = bytes[...]
        let header = try Header(from: &rest)
        try Self.check(rest.prefixed(upTo: RecordPadding.largest + RecordPadding.overhead))
        try rest.end()
        content = Content(header, bytes)
    }
}

/// Padding, so that a record's length tells little: 64 bytes, or the Padmé length, at most 12 % more.
package enum RecordPadding {
    /// What AES-GCM adds: nonce and tag.
    static let overhead = 28
    /// The longest padded body.
    static var largest: Int { PaddedLength.of(CircleLimits.body) }

    static func isClass(_ count: Int) -> Bool { count >= 64 && PaddedLength.of(count - 4) == count }

    /// - Throws: `.length` for more than 900,000 bytes.
    package static func add(to body: [UInt8]) throws(CircleFormError) -> [UInt8] {
        guard body.count <= CircleLimits.body else { throw .length }
        let used = LengthPrefixed.encode(body)
        return used + [UInt8](repeating: 0, count: PaddedLength.of(body.count) - used.count)
    }

    /// - Throws: `.length`, `.form` unless it is exactly what `add` returns.
    package static func remove(from padded: [UInt8]) throws(CircleFormError) -> [UInt8] {
        var rest = padded[...]
        let body = try rest.prefixed(upTo: CircleLimits.body)
        guard PaddedLength.of(body.count) == padded.count, rest.allSatisfy({ $0 == 0 }) else { throw .form }
        return body
    }
}
