import Foundation

/// One fingerprint reader and the caller's session beside it: a logind and an fprintd on a bus of their own, and PAM services of which the biometric
/// one is the real pam_fprintd. What `scripts/sandbox` takes as options.
public final class FingerprintReader: Sendable {
    public let logind: LogindMock
    public let fprintd: FprintdMock
    /// The folder of the PAM services.
    public let services: TemporaryFolder

    /// The password of the services that ask for one.
    public static let password = "sandbox"

    /// One reader, one finger of the user, one active session of the caller.
    /// - Parameters:
    ///   - user: the caller's name.
    ///   - module: the path of pam_fprintd.so.
    public init(user: String, module: String) throws {
        logind = try LogindMock()
        fprintd = try FprintdMock(address: logind.address)
        services = try TemporaryFolder()
        let check = services.path + "/check"
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
            try rules.write(toFile: "\(services.path)/\(service)", atomically: true, encoding: .utf8)
        }
        try logind.setLidClosed(false)
        try logind.add(session: "mine", uid: getuid())
        try logind.countProcesses(to: "mine")
        try fprintd.enrol(7, of: user, template: "right index")
    }

    /// What `scripts/sandbox start` needs to ask at this desk.
    public var sandboxOptions: [String] {
        ["--pam-dir", services.path, "--system-bus", logind.address, "--fingerprints", fprintd.storage.path]
    }
}
