import Foundation
import Platform
import TestSupport

/// The real `pam_coffer.so`, built from the sources in this repository.
enum LoginModule {
    /// What runs the program that tries again. It is the file itself, as a list of login programs names it.
    static let retrying = URL(filePath: "/usr/bin/python3").resolvingSymlinksInPath().path

    /// It is built at the first use, by the script that builds the installed one.
    static let built: Result<String, any Error> = Result {
        let result = try Tool.run(SourceTree.path("scripts/build-pam"), [], limit: .seconds(1800))
        guard result.status == 0 else {
            throw SystemError("build pam_coffer.so", reason: result.output + result.errors)
        }
        return SourceTree.path(".build-pam/pam_coffer.so")
    }

    /// The lines of a PAM service: first the fixture's own program that checks a password, then the module.
    static func rules(fixture: String, socket: String, patience: String = "patience=99") throws -> String {
        let path = try built.get()
        return """
            auth [success=1 default=ignore] pam_exec.so expose_authtok quiet \(fixture)/pam/check
            auth requisite pam_deny.so
            auth optional \(path) socket=\(socket) \(patience)
            auth required pam_permit.so
            account optional \(path) socket=\(socket)
            account required pam_permit.so
            session optional \(path) socket=\(socket)
            session required pam_permit.so

            """
    }
}

/// A file in the system's own PAM folder, for programs that know no other. It goes with its value.
struct SystemService: ~Copyable {
    let name: String
    private var path: String { "/etc/pam.d/\(name)" }

    init(rules: String) throws {
        name = "coffer-test-" + UUID().uuidString.prefix(13).lowercased()
        try DurableFile.write(Array(rules.utf8), to: "/etc/pam.d/\(name)", mode: 0o644)
    }

    deinit {
        // If a test's service file stays behind, it lets nobody in without a password.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Runs one or more of PAM's operations, as a login program that root runs does.
    func tester(_ user: String, _ operations: [String], password: String = "") throws -> Command {
        try Command(["/usr/bin/pamtester", name, user] + operations, input: password + "\n")
    }

    /// Tries one password after the other on one handle, as login programs and lockers do.
    ///
    /// - Parameter launcher: the words before the program's.
    /// - Returns: libpam's results. They are fewer if the program broke off.
    func results(_ user: String, _ passwords: [String], by launcher: [String] = []) throws -> [Int] {
        let words = launcher + [LoginModule.retrying, SourceTree.path("Tests/Clients/PAM/retries.py"), name, user]
        let command = try Command(words, input: passwords.map { $0 + "\n" }.joined())
        return command.output.split(separator: "\n").compactMap { Int($0) }
    }
}
