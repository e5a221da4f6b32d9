import Authorization
import Cryptography

/// What a circle's paper needs to begin with: the statements, and the keys of generations that it is no receiver of. It is
/// sealed to the paper, in a record that everybody can open (docs/sync-format.md, “Bodies”).
package struct PaperEnvelope: Hashable, Sendable {
    /// The paper that it is for.
    package let device: WriterID
    /// Milliseconds since 1970-01-01 UTC, by the clock of who made it.
    package let time: UInt64
    /// The generations whose keys are in it, sorted. Others need not send them again.
    package let generations: [StatementName]
    /// An X25519 key.
    package let ephemeral: [UInt8]
    package let sealed: [UInt8]

    /// - Throws: `.length`, `.order`, `.range`.
    package init(
        for device: WriterID, time: UInt64, generations: [StatementName], ephemeral: [UInt8], sealed: [UInt8]
    ) throws(CircleFormError) {
        guard time <= PartStamp.last else { throw .range }
        guard ephemeral.count == X25519.count, generations.count <= CircleLimits.generations else { throw .length }
        guard zip(generations, generations.dropFirst()).allSatisfy({ $0 < $1 }) else { throw .order }
        (self.device, self.time, self.generations) = (device, time, generations)
        (self.ephemeral, self.sealed) = (ephemeral, sealed)
    }

    /// The associated data of what is sealed.
    package var header: [UInt8] {
        device.bytes + BigEndian.bytes(time) + [UInt8](list: generations, \.bytes) + ephemeral
    }

    var bytes: [UInt8] { header + LengthPrefixed.encode(sealed) }

    init(decoding bytes: [UInt8]) throws(CircleFormError) {
        var rest = bytes[...]
        let (device, time) = (try rest.device(), try rest.time())
        let generations = try rest.elements(upTo: CircleLimits.generations) { (rest) throws(CircleFormError) in
            try rest.circle()
        }
        let ephemeral = try rest.take(X25519.count)
        let sealed = try rest.prefixed(upTo: CircleLimits.body)
        try rest.end()
        try self.init(for: device, time: time, generations: generations, ephemeral: ephemeral, sealed: sealed)
    }
}

/// What an envelope seals.
package struct PaperContent: Sendable {
    package var statements: [SignedStatement] = []
    /// With the private halves, sealed to the paper.
    package var generations: [(generation: KeyGeneration, halves: KeyGeneration.Receiver)] = []

    package init() {}

    package var isEmpty: Bool { statements.isEmpty && generations.isEmpty }

    package var bytes: [UInt8] {
        [UInt8](list: statements) { LengthPrefixed.encode($0.bytes) }
            + [UInt8](list: generations) { LengthPrefixed.encode($0.generation.bytes) + $0.halves.sealed }
    }

    /// - Parameter device: the paper's.
    package init(decoding bytes: [UInt8], for device: WriterID) throws(CircleFormError) {
        var rest = bytes[...]
        statements = try rest.elements(upTo: CircleLimits.statements) { (rest) throws(CircleFormError) in
            try SignedStatement(decoding: rest.prefixed(upTo: CircleLimits.statement))
        }
        generations = try rest.elements(upTo: CircleLimits.generations) { (rest) throws(CircleFormError) in
            let generation = try KeyGeneration(decoding: rest.prefixed(upTo: CircleLimits.generation))
            let halves = try KeyGeneration.Receiver(device, sealed: rest.take(KeyGeneration.Receiver.sealedCount))
            return (generation, halves)
        }
        try rest.end()
    }
}
