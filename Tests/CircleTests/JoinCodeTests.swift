import Circle
import Cryptography
import Testing

/// The code that a request to join stands for, and where files of a store lie (attackers 10 and 13).
struct JoinCodeTests {
    private let device: StreamFixture
    private let founder: StreamFixture
    private let request: JoinRequest

    init() throws {
        (device, founder) = try (StreamFixture(2), StreamFixture(1))
        request = try Self.request(device.keys)
    }

    private static func request(_ keys: MemberKeys, oneTimeKey: UInt8 = 3) throws -> JoinRequest {
        try JoinRequest(
            keys: keys, oneTimeKey: [UInt8](repeating: oneTimeKey, count: 32), protection: .software,
            name: MachineName(near: "desk"), time: 1)
    }

    private func text(_ code: JoinCode) throws -> String {
        try code.text.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
    }

    private func reading(_ text: String) throws -> JoinCode {
        try JoinCode(reading: SecretBytes(copying: Array(text.utf8)))
    }

    @Test func aCodeIsReadInEverySpelling() throws {
        let text = try text(JoinCode(of: request))
        #expect(text.count == 4 + 6 * 6 && text.hasPrefix("JOIN-"))
        let spellings = [
            text, text.lowercased(), text.replacing("-", with: ""), " \(text)\n", text.replacing("-", with: " "),
            "JOIN" + text.dropFirst(4).replacing("0", with: "O").replacing("1", with: "l"),
        ]
        for spelling in spellings { #expect(try reading(spelling).isCode(of: request)) }
    }

    @Test func aMistypedCodeIsRefused() throws {
        let text = Array(try text(JoinCode(of: request)))
        for place in 5..<text.count where text[place] != "-" {
            var changed = text
            changed[place] = text[place] == "7" ? "8" : "7"
            #expect(throws: JoinCodeError.mistyped) { try reading(String(changed)) }
        }
        #expect(throws: JoinCodeError.wrongLength(29, expected: 30)) { try reading(String(text.dropLast())) }
        #expect(throws: JoinCodeError.strangeCharacter(UInt8(ascii: "U"))) {
            try reading(String(text.dropLast()) + "u")
        }
    }

    /// A person who is asked for “the code” must not hand out the recovery code.
    @Test func aRecoveryCodeIsNoCodeForJoining() throws {
        let text = try text(JoinCode(of: request))
        #expect(throws: JoinCodeError.prefix) { try reading(String(text.dropFirst(5))) }
        #expect(throws: JoinCodeError.prefix) { try reading("") }
        // The checksum of a recovery code has another domain.
        let secret = Array(text.dropFirst(4).replacing("-", with: "").utf8.prefix(25))
        let digest = try SHA256.digest(
            [0, 0, 0, 28] + Array("org.coffer.recovery.checksum".utf8) + [0, 0, 0, 25] + secret)
        let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
        let bits = digest.prefix(4).reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
        let checksum = (0..<5).map { alphabet[Int(bits >> UInt32(27 - 5 * $0) & 31)] }
        #expect(throws: JoinCodeError.mistyped) {
            try reading("JOIN" + String(decoding: secret + checksum, as: UTF8.self))
        }
    }

    /// T3: a request under the right code with one other key.
    @Test func aCodeCommitsToEachByteOfTheRequest() throws {
        let code = try JoinCode(of: request)
        #expect(try code.isCode(of: request))
        #expect(try !code.isCode(of: Self.request(device.keys, oneTimeKey: 4)))
        #expect(try !code.isCode(of: Self.request(founder.keys)))
        #expect(
            try !code.isCode(
                of: JoinRequest(
                    keys: device.keys, oneTimeKey: request.oneTimeKey, protection: .tpm,
                    name: MachineName(near: "desk"), time: 1)))
    }

    /// T2: the prompt is about one device, the broker asks for another.
    @Test func onlyTheKeysOfTheRequestAreAdded() throws {
        let code = try JoinCode(of: request)
        func statement(_ content: Statement.Content) throws -> Statement {
            try Statement(circle: founder.circle, signer: founder.keys.device, past: [founder.circle], content)
        }
        #expect(try request.isAdded(by: statement(.addition(device.keys, .admin)), code: code))
        let attacker = try StreamFixture(9)
        #expect(try !request.isAdded(by: statement(.addition(attacker.keys, .admin)), code: code))
        #expect(try !request.isAdded(by: statement(.removal([device.keys.device])), code: code))
        #expect(
            try !request.isAdded(
                by: statement(.succession(device.keys, proof: [UInt8](repeating: 0, count: 64))), code: code))
        let another = try Self.request(attacker.keys)
        #expect(try !another.isAdded(by: statement(.addition(attacker.keys, .admin)), code: code))
    }

    @Test func keysOfACodeAreApart() throws {
        let code = try JoinCode(of: request)
        let other = try JoinCode(of: Self.request(founder.keys))
        #expect(try code.requestKey != code.answerKey)
        #expect(try code.requestKey != other.requestKey)
        #expect(try code.place != other.place)
        let key = try code.requestKey.withBytes { bytes in (0..<16).map { bytes[$0] } }
        #expect(try code.place.bytes != key)
    }

    /// T3: the new machine is led into another circle.
    @Test func checkWordsTellCirclesAndRequestsApart() throws {
        let words = try CheckWords.places(circle: founder.circle, request: request)
        #expect(words.count == 5 && words.allSatisfy { (0..<1296).contains($0) })
        #expect(try words == CheckWords.places(circle: founder.circle, request: request))
        #expect(try words != CheckWords.places(circle: StreamFixture(1).circle, request: request))
        #expect(try words != CheckWords.places(circle: founder.circle, request: Self.request(founder.keys)))
    }

    @Test func eachFileHasOnePath() throws {
        let run = try StreamFixture.run(0xab)
        let place = try JoinCode(of: request).place
        let paths: [StorePath] = [
            .segment(circle: founder.circle, device: device.keys.device, number: 1, run: run),
            .segment(circle: founder.circle, device: device.keys.device, number: 9_999_999_999_999_999, run: run),
            .segment(circle: founder.circle, device: device.keys.device, number: 2048, run: run),
            .head(circle: founder.circle, device: device.keys.device), .beacon(circle: founder.circle),
            .request(place), .answer(place),
            .knock(
                circle: founder.circle, try #require(InvitationPlace(bytes: [UInt8](repeating: 9, count: 16))), place),
        ]
        for path in paths {
            #expect(StorePath(path.text) == path)
            #expect(path.text.utf8.allSatisfy { "0123456789abcdefghijklmnopqrstuvwxyz-/".utf8.contains($0) })
            #expect(path.text.split(separator: "/").allSatisfy { $0.count <= 64 })
            #expect(StorePath(path.text + "/") == nil && StorePath("/" + path.text) == nil)
            #expect(StorePath(path.text.uppercased()) == nil)
            #expect(StorePath(path.text + ".sync-conflict-20260101-101010-ABCDEFG") == nil)
            for place in path.text.indices {
                for character: Character in ["+", "/", ".", "G", "\u{0}", "é"] where path.text[place] != character {
                    var changed = path.text
                    changed.replaceSubrange(place...place, with: String(character))
                    #expect(StorePath(changed) == nil, "\(changed)")
                }
            }
        }
        #expect(paths[2].text.hasSuffix("/0000000000002/0000000000002048-" + String(repeating: "ab", count: 16)))
        for text in [
            "", "/", "..", "../beacon", "join/..", ".stfolder", "join/00-request",
            paths[2].text.replacing("0000000000002/", with: "0000000000001/"),
            paths[0].text.replacing("0000000000000001-", with: "0000000000000000-"), paths[4].text + "2",
        ] { #expect(StorePath(text) == nil, "\(text)") }
    }
}
