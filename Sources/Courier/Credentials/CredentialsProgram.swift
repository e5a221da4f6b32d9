import Glibc
import Platform

/// A program that prints what opens a store, such as the credentials of a cloud's machine.
///
/// It runs as the vault's owner. Who may use the vault may name it, so root runs it as the account, and never as root. It
/// gets no words, no terminal and no input, and what it prints is in no error.
package struct CredentialsProgram: Sendable {
    /// Absolute.
    package let path: String
    /// The account that it runs as; nil for this process's own.
    private let account: Account?
    private let environment: [String: String]
    private let limits: CredentialsLimits

    /// - Parameters:
    ///   - path: absolute.
    ///   - account: the account that it runs as; nil if the vault is this user's own.
    ///   - environment: this program's own.
    package init(
        _ path: String, as account: Account?, environment: [String: String], limits: CredentialsLimits = .init()
    ) {
        (self.path, self.account, self.environment, self.limits) = (path, account, environment, limits)
    }

    /// Whether it can be one: an absolute path of plain characters.
    package static func isPath(_ path: String) -> Bool {
        path.hasPrefix("/") && path.utf8.count <= CredentialsLimits.longest
            && path.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }

    /// Runs it.
    /// - Parameter now: seconds since 1970-01-01 UTC.
    func keys(at now: () -> Int64) throws(CredentialsFailure) -> GivenKeys {
        try check()
        let end: ProgramReading
        do throws(SystemError) { end = try run() } catch { throw .notRun(error) }
        switch end {
        case .hung: throw .hung(limits.time)
        case .flooded: throw .flooded
        case .ended(let status, let output):
            guard status == 0 else { throw .ended(status) }
            let given = try GivenKeys(output)
            guard !given.isOver(at: now()) else { throw .expired }
            return given
        }
    }

    /// Nobody else may decide what this user runs.
    private func check() throws(CredentialsFailure) {
        let found: FileStatus?
        do throws(SystemError) { found = try FileStatus.following(path) } catch { throw .notRun(error) }
        guard let found, found.isRegular else { throw .missing }
        let owners = [0, account?.uid ?? geteuid()]
        guard owners.contains(found.uid), found.mode & UInt32(S_IWGRP | S_IWOTH) == 0 else { throw .changeable }
    }

    private func run() throws(SystemError) -> ProgramReading {
        var words = [path]
        // It gets the account's own variables. Root's are for root.
        if let account {
            words = [
                Self.becoming, "--reuid", "\(account.uid)", "--regid", "\(account.gid)", "--init-groups",
                "--no-new-privs", "--inh-caps=-all", "--reset-env", "--", path,
            ]
        }
        let program = try Subprocess(words[0], Array(words.dropFirst())) {
            $0.environment = environment
            $0.directory = "/"
            $0.output = .pipe
            // What it says is for who looks after it. But root's terminal is for root alone: who has it open reads what is typed.
            $0.errors = account == nil ? .inherited : .null
            $0.leadsSession = true
        }
        return try program.readToEnd(most: CredentialsLimits.output, until: .now + limits.time)
    }

    /// Of util-linux, which every system has.
    private static let becoming = "/usr/bin/setpriv"
}

extension GivenKeys {
    /// - Parameter now: seconds since 1970-01-01 UTC.
    func isOver(at now: Int64) -> Bool { end.map { $0 - CredentialsLimits.early <= now } ?? false }
}
