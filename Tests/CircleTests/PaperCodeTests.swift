import Authorization
import Cryptography
import Recovery
import Testing

@testable import Circle

/// The code on paper, the keys that come from it, and what is sealed to them (attackers 10, 11 and 13).
struct PaperCodeTests {
    private let code: PaperCode
    private let circle: StatementName

    init() throws {
        code = try .random()
        circle = try Statement(founder: StreamFixture(1).keys).name
    }

    private func text(_ code: PaperCode) throws -> String { Self.text(try code.text) }

    private static func text(_ secret: SecretBytes) -> String {
        secret.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
    }

    private func reading(_ text: String) throws -> PaperCode {
        try PaperCode(reading: SecretBytes(copying: Array(text.utf8)))
    }

    @Test func aCodeIsReadInEverySpelling() throws {
        let text = try text(code)
        #expect(text.count == 5 + 6 * 6 && text.hasPrefix("PAPER-"))
        let spellings = [
            text, text.lowercased(), text.replacing("-", with: ""), " \(text)\n", text.replacing("-", with: " "),
            "PAPER" + text.dropFirst(5).replacing("0", with: "O").replacing("1", with: "l"),
        ]
        for spelling in spellings { #expect(try reading(spelling).isSame(as: code)) }
        #expect(try !PaperCode.random().isSame(as: code))
    }

    @Test func aMistypedCodeIsRefused() throws {
        let text = Array(try text(code))
        for place in 6..<text.count where text[place] != "-" {
            var changed = text
            changed[place] = text[place] == "7" ? "8" : "7"
            #expect(throws: PaperCodeError.mistyped) { try reading(String(changed)) }
        }
        #expect(throws: PaperCodeError.wrongLength(29, expected: 30)) { try reading(String(text.dropLast())) }
        #expect(throws: PaperCodeError.strangeCharacter(UInt8(ascii: "U"))) {
            try reading(String(text.dropLast()) + "u")
        }
    }

    /// A person who is asked for one of the codes must not hand out another one.
    @Test func noCodeIsTakenForAnother() throws {
        let own = try text(code)
        let recovery = Self.text(try RecoveryCode.random().text)
        let request = try JoinRequest(
            keys: StreamFixture(2).keys, oneTimeKey: [UInt8](repeating: 3, count: 32), protection: .software,
            name: MachineName(near: "desk"), time: 1)
        let join = Self.text(try JoinCode(of: request).text)
        for other in [recovery, join, String(own.dropFirst(6)), ""] {
            #expect(throws: PaperCodeError.prefix) { try reading(other) }
        }
        // With the right prefix, the checksum is another one.
        for other in [recovery, String(join.dropFirst(5))] {
            #expect(throws: PaperCodeError.mistyped) { try reading("PAPER-" + other) }
        }
        let bare = try SecretBytes(copying: Array(own.dropFirst(6).utf8))
        #expect(throws: RecoveryCodeError.self) { try RecoveryCode(reading: bare) }
        #expect(throws: RecoveryCodeError.self) { try RecoveryCode(reading: SecretBytes(copying: Array(own.utf8))) }
        #expect(throws: JoinCodeError.prefix) { try JoinCode(reading: SecretBytes(copying: Array(own.utf8))) }
        #expect(throws: JoinCodeError.mistyped) {
            try JoinCode(reading: SecretBytes(copying: Array(("JOIN-" + own.dropFirst(6)).utf8)))
        }
    }

    /// An ex-member cannot have the paper's keys in a circle of its own: they come from the circle, too.
    @Test func theKeysAreThoseOfCodeAndCircle() throws {
        let keys = try PaperKeys(code, in: circle)
        #expect(try PaperKeys(reading(text(code)), in: circle).member == keys.member)
        let other = try Statement(founder: StreamFixture(2).keys).name
        let parts = [keys, try PaperKeys(code, in: other), try PaperKeys(.random(), in: circle)].map(\.member).flatMap {
            keys in keys.each + MemberKeys.guards.compactMap { keys.point(of: $0) } + [keys.random]
        }
        #expect(Set(parts).count == parts.count && parts.count == 3 * 9)
        for keys in [keys] {
            let points = [keys.member.membership, keys.member.stream] + keys.guards.map(\.publicKey)
            #expect(points.allSatisfy(P256.isOnCurve))
            #expect(keys.receiving.map(\.publicKey) == keys.member.receiving)
            #expect(zip(MemberKeys.guards, keys.guards).allSatisfy { keys.member.point(of: $0) == $1.publicKey })
        }
    }

    // What is in a record for it

    private func header(_ generation: StatementName? = nil) throws -> CircleRecord.Header {
        try CircleRecord.Header(
            circle: circle, device: StreamFixture(1).keys.device,
            run: #require(RunID(bytes: [UInt8](repeating: 1, count: 16))),
            number: 1, generation: generation)
    }

    @Test func anEnvelopeHasOneForm() throws {
        let device = try PaperKeys(code, in: circle).member.device
        let names = [circle, try Statement(founder: StreamFixture(2).keys).name].sorted()
        let envelope = try PaperEnvelope(
            for: device, time: 5, generations: names, ephemeral: [UInt8](repeating: 2, count: 32), sealed: [1, 2, 3])
        let bytes = try RecordBody.paper(envelope).bytes()
        guard case .paper(envelope) = try RecordBody(decoding: bytes, in: header()) else {
            Issue.record("it is read as something else")
            return
        }
        // The paper has no key of a generation yet, so it could not find it under one.
        #expect(throws: CircleFormError.place) { try RecordBody(decoding: bytes, in: header(circle)) }
        for count in bytes.indices.dropFirst() {
            #expect(throws: CircleFormError.self) { try RecordBody(decoding: Array(bytes[..<count]), in: header()) }
        }
        #expect(throws: CircleFormError.length) { try RecordBody(decoding: bytes + [0], in: header()) }
        for wrong in [names.reversed(), [circle, circle]] {
            #expect(throws: CircleFormError.order) {
                try PaperEnvelope(
                    for: device, time: 5, generations: wrong, ephemeral: envelope.ephemeral, sealed: [1])
            }
        }
    }

    @Test func whatItSealsHasOneForm() throws {
        let (device, founder) = (try PaperKeys(code, in: circle).member.device, try StreamFixture(1).keys)
        let generation = try KeyGeneration(
            circle: circle, maker: founder.device, removals: [UInt8](repeating: 0, count: 32),
            publicHalves: [UInt8](repeating: 1, count: 96),
            receivers: [KeyGeneration.Receiver(founder.device, sealed: [UInt8](repeating: 2, count: 276))])
        var content = PaperContent()
        content.statements = [
            SignedStatement(try Statement(founder: founder), signature: [UInt8](repeating: 3, count: 64))
        ]
        content.generations = [
            (generation, try KeyGeneration.Receiver(device, sealed: [UInt8](repeating: 4, count: 276)))
        ]
        let bytes = content.bytes
        let read = try PaperContent(decoding: bytes, for: device)
        #expect(read.bytes == bytes && read.generations.first?.generation == generation)
        for count in bytes.indices {
            #expect(throws: CircleFormError.self) { try PaperContent(decoding: Array(bytes[..<count]), for: device) }
        }
        #expect(throws: CircleFormError.length) { try PaperContent(decoding: bytes + [0], for: device) }
    }
}
