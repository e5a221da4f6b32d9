import Authorization
import Cryptography

/// What a member gives a new device (docs/sync-format.md, “Answer”).
package struct JoinAnswer: Sendable {
    /// The SHA-256 of the request.
    package let request: [UInt8]
    package let circle: StatementName
    package let adder: WriterID
    /// Sorted by name.
    package let statements: [SignedStatement]
    /// The generations that the adder can open, sorted. Each is in a record of the store. With what they have for every
    /// receiver, an answer would be too long after a hundred additions.
    package let generations: [StatementName]
    /// One of them, with which the new device can say what it has before it has read any record; nil if there is none.
    package let present: KeyGeneration?
    /// Sorted by device, one for each.
    package let heads: [SignedHead]
    /// What members have said of themselves, sorted by device, one for each.
    package let profiles: [(device: WriterID, profile: DeviceProfile)]
    /// An X25519 key of 32 bytes.
    package let ephemeral: [UInt8]
    /// The private halves of these, 96 bytes each, sealed to the request's one-time key.
    package let sealedKeys: [UInt8]
    package let bytes: [UInt8]

    private static let domain = LengthPrefixed.encode(Array("org.coffer.circle.answer".utf8))

    /// - Throws: `.length`, `.order`, `.place` for a head of another circle.
    package init(
        request: [UInt8], circle: StatementName, adder: WriterID, statements: [SignedStatement],
        generations: [StatementName], present: KeyGeneration?, heads: [SignedHead],
        profiles: [(device: WriterID, profile: DeviceProfile)] = [], ephemeral: [UInt8], sealedKeys: [UInt8]
    ) throws(CircleFormError) {
        guard request.count == 32, ephemeral.count == X25519.count,
            statements.allSatisfy({ $0.signature.count == SignedStatement.signatureCount }),
            statements.count <= CircleLimits.statements, generations.count <= CircleLimits.generations,
            heads.count <= CircleLimits.heads, profiles.count <= CircleLimits.heads,
            sealedKeys.count == KeyGeneration.publicCount * generations.count + AESGCM.overhead
        else { throw .length }
        guard Self.isRising(statements.map(\.statement.name)), Self.isRising(generations),
            Self.isRising(heads.map(\.head.device)), Self.isRising(profiles.map(\.device))
        else { throw .order }
        guard statements.allSatisfy({ ($0.statement.circle ?? $0.statement.name) == circle }),
            heads.allSatisfy({ $0.head.circle == circle })
        else { throw .place }
        (self.request, self.circle, self.adder, self.statements) = (request, circle, adder, statements)
        if let present {
            guard present.circle == circle, generations.contains(present.name) else { throw .place }
        }
        (self.generations, self.present, self.heads, self.ephemeral) = (generations, present, heads, ephemeral)
        self.profiles = profiles
        self.sealedKeys = sealedKeys
        bytes =
            Self.domain + BigEndian.bytes(CircleLimits.version) + request + circle.bytes + adder.bytes
            + [UInt8](list: statements) { $0.signature + LengthPrefixed.encode($0.statement.bytes) }
            + [UInt8](list: generations, \.bytes) + LengthPrefixed.encode(present?.bytes ?? [])
            + [UInt8](list: heads) { LengthPrefixed.encode($0.bytes) }
            + [UInt8](list: profiles) { $0.device.bytes + $0.profile.bytes } + ephemeral
            + LengthPrefixed.encode(sealedKeys)
        guard bytes.count <= CircleLimits.answer else { throw .length }
    }

    /// Reads canonical bytes. Each answer has one form.
    ///
    /// - Throws: `CircleFormError`.
    package init(decoding bytes: [UInt8]) throws(CircleFormError) {
        guard bytes.count <= CircleLimits.answer else { throw .length }
        var rest = bytes[...]
        try rest.domain(Self.domain)
        try rest.version()
        let request = try rest.take(32)
        let (circle, adder) = (try rest.circle(), try rest.device())
        let statements = try rest.elements(upTo: CircleLimits.statements) { (rest) throws(CircleFormError) in
            let signature = try rest.take(SignedStatement.signatureCount)
            let statement = try Statement(decoding: try rest.prefixed(upTo: CircleLimits.statement))
            return SignedStatement(statement, signature: signature)
        }
        let generations = try rest.elements(upTo: CircleLimits.generations) { (rest) throws(CircleFormError) in
            try rest.circle()
        }
        let bytesOfPresent = try rest.prefixed(upTo: CircleLimits.generation)
        let present = bytesOfPresent.isEmpty ? nil : try KeyGeneration(decoding: bytesOfPresent)
        let heads = try rest.elements(upTo: CircleLimits.heads) { (rest) throws(CircleFormError) in
            try SignedHead(decoding: try rest.prefixed(upTo: CircleLimits.head))
        }
        let profiles = try rest.elements(upTo: CircleLimits.heads) { (rest) throws(CircleFormError) in
            (device: try rest.device(), profile: try DeviceProfile(from: &rest))
        }
        let ephemeral = try rest.take(X25519.count)
        let sealedKeys = try rest.prefixed(upTo: CircleLimits.answer)
        try rest.end()
        try self.init(
            request: request, circle: circle, adder: adder, statements: statements, generations: generations,
            present: present, heads: heads, profiles: profiles, ephemeral: ephemeral, sealedKeys: sealedKeys)
    }

    /// The `info` of the key that seals the halves, and their associated data.
    package var keyInfo: [UInt8] { Self.keyInfo(circle: circle, request: request, ephemeral: ephemeral) }

    /// The same for an answer that is being made.
    package static func keyInfo(circle: StatementName, request: [UInt8], ephemeral: [UInt8]) -> [UInt8] {
        LengthPrefixed.encode(Array("org.coffer.circle.answer.keys".utf8)) + circle.bytes + request + ephemeral
    }

    /// The circle by this answer, if it is one to this request: the new device is a member, and the adder has said so.
    ///
    /// - Returns: nil for an answer to another request, or of a circle that does not have the new device.
    /// - Throws: `.hash`.
    package func membership(for request: JoinRequest) throws(CircleFormError) -> Membership? {
        guard self.request == request.digest else { return nil }
        let membership = try Membership(of: circle, statements)
        let isAdded = statements.map(\.statement).contains { one in
            guard case .addition(request.keys, _, _) = one.content, one.signer == adder else { return false }
            // Somebody else may have written it, or it rests on what is not here.
            return !membership.refused.contains(one.name) && !membership.waiting.contains(one.name)
        }
        return isAdded && membership.members.contains { $0.keys == request.keys } ? membership : nil
    }

    private static func isRising<Name: Comparable>(_ names: [Name]) -> Bool {
        zip(names, names.dropFirst()).allSatisfy { $0 < $1 }
    }
}
