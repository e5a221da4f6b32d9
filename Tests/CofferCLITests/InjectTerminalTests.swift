import Foundation
import TestSupport
import Testing

/// `coffer inject` without `--out` at a terminal. Somebody who may write a value must not be able to control the terminal of the person who fills it in.
@Suite struct InjectTerminalTests {
    private func inject(_ value: String, _ options: [String], to output: Program.Sink) throws -> Program.Result {
        let fixture = try FakeCoffer(broker: ["Get": [FakeCoffer.value(Array(value.utf8))]])
        return try fixture.program.run(
            ["inject"] + options, input: .bytes(Array("pw={{ coffer://github/me }}\n".utf8)), output: output,
            turns: [])
    }

    @Test(arguments: ["\u{1B}]0;title\u{7}", "a\rb", "a\u{202E}b"])
    func whatATerminalWouldObeyIsNotFilledIn(value: String) throws {
        let result = try inject(value, [], to: .terminal)
        #expect(result.status == 1 && result.screen.isEmpty && result.errors.contains("--raw"), "\(result)")
        let raw = try inject(value, ["--raw"], to: .terminal)
        #expect(raw.status == 0 && raw.screen.hasPrefix("pw="), "\(raw)")
        // A file gets every byte.
        #expect(try inject(value, [], to: .file).output == Array("pw=\(value)\n".utf8))
    }

    @Test func textIsShown() throws {
        #expect(try inject("s3cret", [], to: .terminal).screen == "pw=s3cret\r\n")
    }
}
