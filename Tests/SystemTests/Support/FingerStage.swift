import Foundation
import TestSupport
import Testing

/// A sandbox whose biometric service is the real pam_fprintd, with a logind and an fprintd on a bus of their own.
final class FingerStage: Sendable {
    let logind: LogindMock
    let fprintd: FprintdMock
    let sandbox: Sandbox
    private let folder: TemporaryFolder
    let user: String
    /// The path of pam_fprintd.so.
    let fingerModule: String

    static let password = "sandbox"

    /// One reader, one finger of the caller, one active session of the caller. The vault is made and unlocked.
    init(_ options: String...) throws {
        logind = try LogindMock()
        fprintd = try FprintdMock(address: logind.address)
        folder = try TemporaryFolder()
        user = NSUserName()
        let module = try Tool.output("\(Sandbox.package)/scripts/fetch-pam-fprintd", [])
            .trimmingCharacters(in: .whitespacesAndNewlines)
        fingerModule = module
        let check = folder.path + "/check"
        try Script.write("#!/bin/sh\n[ \"$(tr -d '\\000')\" = '\(Self.password)' ]\n", to: check)
        let byPassword = """
            auth [success=1 default=ignore] pam_exec.so expose_authtok quiet \(check)
            auth requisite pam_deny.so
            auth required pam_permit.so
            account required pam_permit.so

            """
        let byFinger = """
            auth required \(module) max-tries=1 timeout=10
            account required pam_permit.so

            """
        for (service, rules) in ["coffer": byPassword, "coffer-passcode": byPassword, "coffer-biometric": byFinger] {
            try rules.write(toFile: "\(folder.path)/\(service)", atomically: true, encoding: .utf8)
        }
        try logind.setLidClosed(false)
        try logind.add(session: "mine", uid: getuid())
        try logind.countProcesses(to: "mine")
        try fprintd.enrol(7, of: user, template: "right index")
        sandbox = try Sandbox(
            ["--pam-dir", folder.path, "--system-bus", logind.address, "--fingerprints", fprintd.storage.path] + options
        )
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
