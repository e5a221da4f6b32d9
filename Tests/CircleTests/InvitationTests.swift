import Authorization
import Cryptography
import Testing

@testable import Circle

/// Machines that come without anybody at them (docs/sync-format.md, “Invitation”; docs/decisions/0039-invitations.md).
@Suite struct InvitationTests {
    private let founder: StreamFixture
    private let device: StreamFixture
    private let invitation: Invitation
    private let request: JoinRequest
    private let code: JoinCode

    init() throws {
        (founder, device) = (try StreamFixture(1), try StreamFixture(2))
        invitation = try Invitation(to: founder.circle)
        request = try Self.request(device.keys)
        code = try JoinCode(of: request)
    }

    private static func request(_ keys: MemberKeys) throws -> JoinRequest {
        try JoinRequest(
            keys: keys, oneTimeKey: [UInt8](repeating: 3, count: 32), protection: .tpm, name: MachineName(near: "web"),
            time: 1)
    }

    private func text() throws -> String {
        try invitation.text.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
    }

    private func reading(_ text: String) throws -> Invitation {
        try Invitation(reading: SecretBytes(copying: Array(text.utf8)))
    }

    @Test func itsTextIsReadAgain() throws {
        let text = try text()
        #expect(text.utf8.count == Invitation.textCount && text.hasPrefix("coffer-invitation-1:"))
        for spelled in [text, text + "\n"] {
            let read = try reading(spelled)
            #expect(read.circle == founder.circle && read.key == invitation.key)
        }
        let digit = text.hasSuffix("0") ? "1" : "0"
        #expect(try reading(text.dropLast() + digit).key != invitation.key)
        let zero = text.prefix(text.count - 64) + String(repeating: "0", count: 64)
        let tooLarge = text.prefix(text.count - 64) + String(repeating: "f", count: 64)
        for mistake in [
            "", "\n", String(text.dropLast()), text + "0", text + "\n\n", text + " ", text.uppercased(), "x" + text,
            text.replacing("invitation-1:", with: "invitation-2:"), String(zero), String(tooLarge),
            text.dropLast() + "g", text.replacing(":", with: "-"),
        ] {
            #expect(throws: InvitationError.form, "\(mistake)") { try reading(mistake) }
        }
    }

    @Test func aKnockLeadsToItsRequest() throws {
        let (path, bytes) = try invitation.knock(request, code: code)
        #expect(path == .knock(circle: founder.circle, try invitation.key.place, try code.place))
        #expect(StorePath(path.text) == path)
        #expect(bytes.count <= CircleLimits.knock + AESGCM.overhead)
        // The admin has the public half alone.
        let key = try #require(InvitationKey(circle: founder.circle, point: invitation.key.point))
        let knock = try key.open(bytes, at: path)
        #expect(try knock.code.text == code.text)
        #expect(try knock.isFor(request, by: key))
    }

    /// Attacker 10: the store moves a knock, changes it, and shows one of another invitation.
    @Test func whatTheStoreMakesOfItIsNone() throws {
        let (path, bytes) = try invitation.knock(request, code: code)
        let key = invitation.key
        let other = try JoinCode(of: Self.request(founder.keys))
        for moved in [
            StorePath.knock(circle: founder.circle, try key.place, try other.place),
            .knock(circle: device.circle, try key.place, try code.place),
            .knock(circle: founder.circle, try Invitation(to: founder.circle).key.place, try code.place),
        ] {
            #expect(throws: CircleFormError.self) { try key.open(bytes, at: moved) }
        }
        // An invited machine that writes its knock in another one's place.
        let elsewhere = StorePath.knock(circle: founder.circle, try key.place, try other.place)
        let misplaced = try AESGCM.seal(
            Knock.content(circle: founder.circle, code: code, signature: [UInt8](repeating: 0, count: 64)),
            key: key.sealing, associatedData: Array(elsewhere.text.utf8))
        #expect(throws: CircleFormError.place) { try key.open(misplaced, at: elsewhere) }
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            #expect(throws: CircleFormError.self) { try key.open(changed, at: path) }
        }
        for length in [0, 1, bytes.count - 1] {
            #expect(throws: CircleFormError.self) { try key.open(Array(bytes.prefix(length)), at: path) }
        }
        #expect(throws: CircleFormError.self) { try key.open(bytes + [0], at: path) }
        #expect(throws: CircleFormError.self) {
            try key.open([UInt8](repeating: 0, count: CircleLimits.knock + AESGCM.overhead + 1), at: path)
        }
        let stranger = try Invitation(to: founder.circle)
        #expect(throws: CircleFormError.self) { try stranger.key.open(bytes, at: path) }
    }

    /// Who has stolen the admin's disk has the public half, and can seal what the admin opens. It is not signed.
    @Test func thePublicHalfInvitesNobody() throws {
        let key = invitation.key
        let thief = try P256.PrivateKey.generate()
        let path = StorePath.knock(circle: founder.circle, try key.place, try code.place)
        func knock(_ signature: [UInt8]) throws -> Knock {
            let sealed = try AESGCM.seal(
                Knock.content(circle: founder.circle, code: code, signature: signature), key: key.sealing,
                associatedData: Array(path.text.utf8))
            return try key.open(sealed, at: path)
        }
        let signed = Knock.signedBytes(circle: founder.circle, request: request)
        #expect(try !knock(SignedStatement.lower(thief.signature(for: signed))).isFor(request, by: key))
        #expect(try !knock([UInt8](repeating: 0, count: 64)).isFor(request, by: key))
        // A signature for one request is none for another.
        let (own, bytes) = try invitation.knock(request, code: code)
        let honest = try key.open(bytes, at: own)
        let another = try Self.request(founder.keys)
        #expect(try !honest.isFor(another, by: key))
        let forAnother = try invitation.knock(another, code: code)
        #expect(try !key.open(forAnother.bytes, at: forAnother.path).isFor(request, by: key))
        #expect(try !key.open(forAnother.bytes, at: forAnother.path).isFor(another, by: key))
    }

    /// A knock of another circle has another signature, also under one key.
    @Test func aKeyLeadsToOneCircle() throws {
        let (path, bytes) = try invitation.knock(request, code: code)
        let elsewhere = try #require(InvitationKey(circle: device.circle, point: invitation.key.point))
        #expect(throws: CircleFormError.self) { try elsewhere.open(bytes, at: path) }
        #expect(try elsewhere.place == invitation.key.place)
        #expect(InvitationKey(circle: founder.circle, point: [UInt8](repeating: 4, count: 65)) == nil)
        #expect(InvitationKey(circle: founder.circle, point: []) == nil)
    }
}
