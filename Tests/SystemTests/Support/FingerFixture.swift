import Foundation
import TestSupport
import Testing

/// A sandbox whose biometric service is the real pam_fprintd, with a logind and an fprintd on a bus of their own.
final class FingerFixture: Sendable {
    let sandbox: Sandbox
    let user: String
    /// The path of pam_fprintd.so.
    let fingerModule: String
    private let desk: FingerprintReader

    var logind: LogindMock { desk.logind }
    var fprintd: FprintdMock { desk.fprintd }

    static let password = FingerprintReader.password

    /// One reader, one finger of the caller, one active session of the caller. The vault is made and unlocked.
    init(_ options: String...) throws {
        user = NSUserName()
        fingerModule = try Tool.output("\(SourceTree.root)/scripts/fetch-pam-fprintd", [])
            .trimmingCharacters(in: .whitespacesAndNewlines)
        desk = try FingerprintReader(user: user, module: fingerModule)
        sandbox = try Sandbox(desk.sandboxOptions + options)
        let made = try coffer("unlock", password: Self.password)
        try #require(made.code == 0, "\(made)")
    }

    func coffer(_ arguments: String..., input: String = "", password: String? = nil) throws -> Outcome {
        try sandbox.coffer(
            arguments, input: Array(input.utf8), password: password, uid: nil, limit: patience, askpass: nil)
    }

    /// Reads an item as somebody who is asked for a finger and has no password at hand.
    func read(_ account: String) throws -> Outcome {
        try coffer("get", "s", account, password: "no password is asked for")
    }

    func set(_ account: String, _ require: String...) throws {
        let arguments = ["set", "s", account] + require.flatMap { ["--require", $0] }
        let stored = try sandbox.coffer(
            arguments, input: Array("value of \(account)".utf8), password: nil, uid: nil, limit: patience,
            askpass: nil)
        try #require(stored.code == 0, "\(stored)")
    }
}
