import Foundation
import HelperProtocol
import JSON
import Testing

/// The helper reads and writes without Foundation, and `coffer` with it. Both must mean the same.
struct HelperMessageTests {
    private static let hard = "\"\\/\u{0}\u{1F}\u{7F}\n\r\tä名😀\u{2028}"

    private func encoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }

    /// What the helper writes, as `coffer` reads it, is what Foundation writes.
    private func check<Answer: Codable & JSONWritable>(_ answer: Answer) throws {
        let written = JSONWriter.bytes(of: answer)
        #expect(!written.contains(UInt8(ascii: "\n")))
        let read = try JSONDecoder().decode(Answer.self, from: Data(written))
        let own = try encoder().encode(answer)
        #expect(try encoder().encode(read) == own)
        #expect(written.count == own.count)
    }

    /// What `coffer` writes, as the helper reads it.
    private func check<Request: Codable & JSONReadable>(request: Request) throws {
        let read = try JSONReader.read(Request.self, from: Array(JSONEncoder().encode(request)))
        #expect(try encoder().encode(read) == encoder().encode(request))
    }

    @Test func eachAnswerIsReadAsItWasMeant() throws {
        let item = OldVault.Item(
            service: Self.hard, account: "", kind: "internet-password", label: Self.hard, comment: nil,
            attributes: [Self.hard: Self.hard, "a": ""], expires: .max, accessibility: "when-unlocked",
            thisDeviceOnly: true, require: ["presence", "passcode"], any: true,
            fields: [.init(name: "secret", kind: "secret"), .init(name: Self.hard, kind: "file")])
        try check(OldVault.Opening(items: [item, item]))
        try check(OldVault.Opening(items: []))
        for code in [OldVault.Problem.Code.malformedCode, .noCode, .wrongCode, .damaged, .newerFormat, .failed] {
            try check(OldVault.Opening(OldVault.Problem(code, Self.hard)))
            try check(OldVault.Value(OldVault.Problem(code, Self.hard)))
            try check(PaperStore.Receipt(OldVault.Problem(code, "")))
        }
        try check(OldVault.Value("c2VjcmV0"))
        try check(PaperStore.Receipt())
        try check(
            PaperStore.Opening(
                machines: [
                    .init(device: "ab", name: Self.hard, member: true, newest: .max),
                    .init(device: "cd", name: nil, member: false, newest: nil),
                ], items: [item],
                lost: [.init(service: "s", account: "a", kind: nil, field: "pin", reason: Self.hard)], contested: 3,
                incomplete: true, problem: OldVault.Problem(.failed, "no")))
        var age = AgeAnswer()
        try check(age)
        (age.problem, age.isWrongPassphrase, age.takesPassphrase) = (Self.hard, true, false)
        (age.count, age.part) = (Int.max, "AAAA")
        try check(age)
        try check(KWalletAnswer(count: 2, opening: Self.hard, leftOut: "w", problem: "p", isEnd: true))
        try check(
            KWalletAnswer(
                entry: .init(
                    wallet: Self.hard, folder: "f", name: "n", type: .min, value: "AAAA", problem: Self.hard)))
        try check(KeyringAnswer(leftOut: "k", problem: Self.hard, isEnd: true))
        try check(KeyringAnswer(unreadable: .init(collection: "c", label: Self.hard, reason: "r")))
        try check(
            KeyringAnswer(
                item: .init(
                    collection: "c", label: "l", attributes: [Self.hard: "v"], created: 0, modified: .max,
                    secret: "AAAA")))
        try check(FileMeasurement())
        try check(FileMeasurement(content: "ab", image: "cd"))
        try check(OneTimePasswordAnswer(code: nil))
        try check(OneTimePasswordAnswer(code: "012345"))
    }

    @Test func eachRequestIsReadAsItWasMeant() throws {
        try check(request: AgeRequest(add: "AAAA"))
        try check(
            request: AgeRequest(
                seal: .init(recipients: ["age1", Self.hard], passphrase: nil, armored: true), inspect: true,
                open: .init(identities: Self.hard, passphrase: nil), take: 7))
        try check(
            request: AgeRequest(
                seal: .init(recipients: [], passphrase: Self.hard, armored: false), open: .init(passphrase: "p")))
        try check(request: PaperStore.Request(circle: "ab"))
        try check(request: PaperStore.Request(head: "AA==", segment: "AAAA", open: false, value: [1, 2]))
        for algorithm in OneTimePasswordRequest.Algorithm.allCases {
            try check(
                request: OneTimePasswordRequest(algorithm: algorithm, digits: 8, counter: .max, seed: "AAAA"))
        }
    }

    @Test(
        "a request that lacks something, or says it twice, is none",
        arguments: [
            #"{"algorithm":"SHA1","digits":6,"counter":1}"#, #"{"algorithm":"MD5","digits":6,"counter":1,"seed":"A"}"#,
            #"{"algorithm":"SHA1","digits":6,"digits":7,"counter":1,"seed":"A"}"#,
            #"{"algorithm":"SHA1","digits":6,"counter":-1,"seed":"A"}"#, "",
        ])
    func noRequest(text: String) {
        #expect(throws: JSONFailure.self) {
            try JSONReader.read(OneTimePasswordRequest.self, from: Array(text.utf8))
        }
    }
}
