import BrokerProtocol
import Foundation
import PAM
import Platform
import TestSupport
import Testing

@testable import Authenticator

/// Attacker 4: a program chooses its path and its reason so that the question leaves the screen. A dialog is as wide as its longest line.
@Suite struct PromptLayoutTests {
    /// Asks from a program whose path is about 3,000 bytes long.
    private func notice(_ folder: String, reason: String) throws -> String {
        let fixture = try Fixture()
        fixture.broker.change { $0.facts.reason = reason }
        let root = try TemporaryFolder()
        var path = root.path
        while path.utf8.count + folder.utf8.count < 3000 { path += "/" + folder }
        // Foundation takes no path of this length.
        defer { _ = try? Self.shell(#"rm -rf "$1"/*"#, root.path) }
        try Self.shell(#"mkdir -p "$1" && cp -L /usr/bin/python3 "$1/python3""#, path)
        let program = try Subprocess(path + "/python3", ["-S", "-c", Self.client, "\(fixture.path)/auth.sock"]) {
            $0.environment = ["PYTHONHOME": "/usr"]
            $0.output = .pipe
        }
        var bytes: [UInt8] = []
        while case let more = try program.read(limit: 65536), !more.isEmpty { bytes += more }
        _ = try program.finish()
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func shell(_ script: String, _ path: String) throws {
        try Tool.output("sh", ["-c", script, "sh", path])
    }

    private static let client = #"""
        import json, socket, sys
        s = socket.socket(socket.AF_UNIX); s.settimeout(600); s.connect(sys.argv[1])
        call = {"method": "org.coffer.Authentication.Begin", "parameters": {"challenge": "c"}}
        s.sendall(json.dumps(call).encode() + b"\0")
        answer = b""
        while not answer.endswith(b"\0"): answer += s.recv(65536)
        sys.stdout.buffer.write(json.loads(answer[:-1])["parameters"]["message"]["text"].encode())
        """#

    @Test(arguments: [
        (String(repeating: "d", count: 200), String(repeating: "r", count: 512)),
        (String(repeating: "日", count: 80), String(repeating: "語", count: 170)),
        (String(repeating: "e\u{301}", count: 66), String(repeating: "a\u{332}", count: 170)),
        ("for a (process 1, terminal", "x\nRead \"harmless\" / \"me\"" + String(repeating: " ", count: 480)),
        (String(repeating: "\u{7}", count: 200), String(repeating: "\u{7}", count: 512)),
        (String(repeating: "\u{FDFD}", count: 66), String(repeating: "\u{FDFD}", count: 170)),
    ])
    func theItemIsTheFirstLineAndNoLineIsWide(folder: String, reason: String) throws {
        let text = try notice(folder, reason: reason)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.first == "Read \"github\" / \"me\"", "\(text)")
        #expect(lines.allSatisfy { TextColumns.of(String($0)) <= 72 }, "\(text)")
        // The program, with three lines at most, and its reason.
        #expect(lines.count <= 1 + 4 + 16, "\(lines.count) lines: \(text)")
        let whole = text.unbroken.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(whole.count == 3 && whole[1].hasPrefix("for ") && whole[2].hasPrefix("Reason it gives: \""), "\(text)")
        #expect(
            whole[1].contains("/python3") && whole[1].contains("…") && whole[1].hasSuffix(", no terminal)"), "\(text)")
        #expect(lines.dropFirst().count { !$0.hasPrefix("   ") } == 2, "\(text)")
    }

    /// Nothing is cut off. What has no room is not asked for.
    @Test func aTextOfTheLongestLengthIsShownWhole() throws {
        let fixture = try Fixture()
        func notice(_ count: Int) throws -> String? {
            fixture.broker.change {
                $0.facts.purposes = [.change]
                $0.facts.service = String(repeating: "s", count: count)
            }
            var client = try fixture.client()
            return try client.begin().message?.text.unbroken
        }
        let rest = try #require(try notice(1)).unicodeScalars.count - 1
        let most = PromptLimits.notice - rest
        #expect(try notice(most)?.unicodeScalars.count == PromptLimits.notice)
        #expect(try notice(most + 1) == nil)
    }

    /// Other modules mean other answers.
    @Test func onlyTheUsualQuestionGetsOtherWords() {
        let usual = Message(style: .secret, text: "Password: ")
        #expect(PAMPrompter.worded(usual).text == "Login password: ")
        for other in [
            Message(style: .secret, text: "Password:"), Message(style: .secret, text: "Password for me: "),
            Message(style: .secret, text: "LDAP Password: "), Message(style: .visible, text: "Password: "),
            Message(style: .info, text: "Password: "),
        ] {
            #expect(PAMPrompter.worded(other) == other)
        }
    }
}
