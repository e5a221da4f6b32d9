import Foundation
import PAM
import TestSupport

/// A throw-away folder of PAM service files and helper scripts.
final class ServiceDirectory: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "coffer-pam-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    // It does no harm if a temporary folder stays behind.
    deinit { try? FileManager.default.removeItem(atPath: path) }

    func service(_ rules: String, name: String = "coffer") throws -> Service {
        try Data((rules + "\n").utf8).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
        return Service(name: name, directory: path)
    }

    /// An executable shell script; returns its path.
    func script(_ body: String, name: String = "check") throws -> String {
        let file = "\(path)/\(name)"
        try Script.write("#!/bin/sh\n\(body)\n", to: file)
        return file
    }

    /// A service with the given password, checked by pam_exec. It needs no root.
    func passwordService(_ password: String, account: String = "account required pam_permit.so") throws -> Service {
        let check = try script("read -r given || [ -n \"$given\" ] || exit 1\n[ \"$given\" = '\(password)' ]")
        // pam_exec says "system error" if a program says no. pam_deny gives the right answer.
        return try service(
            "auth [success=1 default=ignore] pam_exec.so expose_authtok quiet \(check)\nauth requisite pam_deny.so\n"
                + "auth required pam_permit.so\n\(account)")
    }
}

/// The lines of a stack as it is installed. A module that accepts everybody stands for the reader of fingerprints.
func installedLines(_ file: String) throws -> [String] {
    try SourceTree.text("pam/\(file)").split(separator: "\n").map { line in
        line.hasPrefix("auth") && line.contains("pam_fprintd.so") ? "auth required pam_permit.so" : String(line)
    }
}
