import Cryptography
import Testing

@testable import Circle

/// What a store gives a machine that joins, and one that lets it (attackers 7 and 10). Each limit is reached, and
/// passed by one byte.
@Suite struct JoinLimitTests {
    private let founder: StreamFixture

    init() throws { founder = try StreamFixture() }

    private func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    /// - Parameter count: the bytes of its only head's signature, which nobody checks when an answer is made.
    private func answer(_ count: Int) throws -> JoinAnswer {
        let end = try #require(try founder.written(1, count: 1).ends.last)
        let head = SignedHead(try founder.head(end).head, signature: zeros(count))
        return try JoinAnswer(
            request: zeros(32), circle: founder.circle, adder: founder.keys.device, statements: [], generations: [],
            present: nil, heads: [head], ephemeral: zeros(32), sealedKeys: zeros(AESGCM.overhead))
    }

    @Test func anAnswerHasItsWholeLength() throws {
        let room = 16_777_216 - (try answer(0).bytes.count)
        let count = try answer(room).bytes.count
        #expect(count == 16_777_216)
        #expect(throws: CircleFormError.length) { try answer(room + 1) }
    }

    @Test func anAnswerIsReadUpToItsLength() {
        #expect(throws: CircleFormError.domain) { try JoinAnswer(decoding: zeros(16_777_216)) }
        #expect(throws: CircleFormError.length) { try JoinAnswer(decoding: zeros(16_777_217)) }
    }

    /// All that is as long as a knock may be is tried with the key.
    @Test func aKnockIsReadUpToItsLength() throws {
        let key = try Invitation(to: founder.circle).key
        let place = try #require(JoinPlace(bytes: zeros(16)))
        let path = StorePath.knock(circle: founder.circle, try key.place, place)
        #expect(throws: CircleFormError.form) { try key.open(zeros(256 + 28), at: path) }
        #expect(throws: CircleFormError.length) { try key.open(zeros(256 + 28 + 1), at: path) }
        #expect(throws: CircleFormError.form) { try key.open([], at: path) }
    }

    @Test func thePlaceOfAnInvitationHasSixteenBytes() throws {
        for count in [0, 15, 17, 32] { #expect(InvitationPlace(bytes: zeros(count)) == nil, "\(count)") }
        #expect(InvitationPlace(bytes: zeros(16))?.bytes == zeros(16))
        let key = try Invitation(to: founder.circle).key
        let bytes = try key.place.bytes
        #expect(bytes.count == 16 && InvitationPlace(bytes: bytes)?.bytes == bytes)
        // The public half is a whole point.
        for count in [0, 64, 66] {
            #expect(InvitationKey(circle: founder.circle, point: zeros(count)) == nil, "\(count)")
        }
        #expect(InvitationKey(circle: founder.circle, point: key.point) == key)
    }
}
