import Foundation
import HelperProtocol
import TestSupport
import Testing

/// What `cofferd helper` takes from `coffer`, line by line.
@Suite struct HelperInputTests {
    private func run(_ words: [String], _ input: [UInt8]) throws -> Program.Result {
        let scratch = try Scratch()
        var program = Program(scratch: scratch)
        program.executable =
            URL(filePath: Program.path).deletingLastPathComponent().appending(path: Helper.program).path()
        return try program.run([Helper.command] + words, input: .bytes(input))
    }

    /// Nobody makes the helper keep more than its longest line.
    @Test(
        arguments: [
            (["old-vault", "/dev/null", "/tmp"], 1024), (["paper"], 1_500_000), (["age"], 1_048_576),
            (["one-time-password"], 1024),
        ] as [([String], Int)])
    func aLineHasALimit(words: [String], limit: Int) throws {
        for count in [limit, limit + 1] {
            let result = try run(words, [UInt8](repeating: UInt8(ascii: "x"), count: count) + [UInt8(ascii: "\n")])
            let isTooLong = count > limit
            let message = "Error: cannot read standard input: a line has more than \(limit) bytes\n"
            #expect((result.errors == message) == isTooLong, "\(count): \(result)")
            #expect(!isTooLong || (result.status == 1 && result.output.isEmpty), "\(count): \(result)")
        }
    }

    /// The code is that of Tests/Vectors/circle.json. The files are of nobody, so it opens nothing.
    @Test func aPapersFilesAreTaken() throws {
        let circle = String(repeating: "ab", count: 32)
        let lines = [
            "PAPER-70K3B-J9JBF-SJEF8-SBZRV-H92EB-TXF5", "PAPER-70K3B-J9JBF-SJEF8-SBZRV-H92EB-TXF55",
            #"{"open":true}"#, #"{"circle":"ab"}"#, #"{"circle":"\#(circle)"}"#, #"{"head":"AQID"}"#,
            #"{"segment":"AQID"}"#, #"{"head":"?"}"#, #"{"open":true}"#, #"{"value":[0,0]}"#,
        ]
        let result = try run([Helper.paper], Array((lines.joined(separator: "\n") + "\n").utf8))
        #expect(result.status == 0 && result.errors.isEmpty, "\(result)")
        let answers = try result.text.split(separator: "\n").map { line in
            try JSONDecoder().decode(PaperStore.Receipt.self, from: Data(line.utf8))
        }
        try #require(answers.count == lines.count, "\(result)")
        let codes = answers.map(\.problem?.code)
        #expect(codes[0] == .malformedCode && codes[1] == nil)
        #expect(codes[2] == .failed && codes[3] == .failed)
        #expect(codes[4...6].allSatisfy { $0 == nil }, "\(result)")
        #expect(answers[7].problem?.reason == "a file is not base64")
        #expect(codes[8] != nil, "\(result)")
        #expect(answers[9].problem?.reason == "there is no such field")
    }

    /// More than that is too much to send in a test. A vault keeps as much.
    @Test func aCircleHasALimit() { #expect(PaperStore.mostBytes == 192 << 20) }
}
