import Platform

/// Why git did not do what Coffer wanted of it.
package enum GitError: Error, Sendable, Equatable {
    case notInstalled
    case noWorkTree
    /// The work tree is on no branch.
    case detached
    /// The branch has no remote one to push to.
    case noUpstream(branch: String)
    /// git could not be started, or its output could not be read.
    case notRun(SystemError)
    /// It ended with another status than 0.
    case failed(command: String, reason: String)
    case hung(command: String, Duration)
    /// It said more than it has to say.
    case flooded(command: String)
    /// The remote branch did not take a commit.
    case refused(reason: String)
    /// Another run of Coffer uses the repository all the time.
    case busy(Duration)
    /// Others push all the time.
    case overtaken(times: Int)

    /// What happened.
    package var message: String {
        switch self {
        case .notInstalled: "git is not installed"
        case .noWorkTree: "the folder is in no work tree of git"
        case .detached: "the work tree is on no branch"
        case .noUpstream(let branch): "the branch \(branch) has no upstream"
        case .notRun(let error): "git cannot be run: \(error.reason)"
        case .failed(let command, let reason): "git \(command) failed: \(reason)"
        case .hung(let command, let limit):
            "git \(command) was ended, because it took more than \(limit.components.seconds) seconds"
        case .flooded(let command): "git \(command) was ended, because it said too much"
        case .refused(let reason): "the remote branch was not changed: \(reason)"
        case .busy(let limit):
            "another coffer has used the repository for more than \(limit.components.seconds) seconds"
        case .overtaken(let times): "others were faster \(times) times"
        }
    }

    /// What to do.
    package var advice: String {
        switch self {
        case .notInstalled: "Install git, and see that it is in PATH"
        case .noWorkTree: "Clone the repository, and name a folder of the clone"
        case .detached: "Switch to the branch that your machines share: git switch BRANCH"
        case .noUpstream(let branch): "Name one: git push --set-upstream origin \(branch)"
        case .notRun, .failed, .hung, .flooded: "Look what git says there"
        case .refused: "See that this user may push to the branch"
        case .busy, .overtaken: "Try again"
        }
    }

    /// The longest part of git's output in an error.
    private static let reason = 300

    /// What git said, in one line. The remote has a say in it, so nothing in it moves a cursor.
    static func reason(in output: [UInt8], status: Int32) -> String {
        let lines = String(decoding: output.prefix(4 * reason), as: UTF8.self)
            .split(whereSeparator: \.isNewline).map { line in
                String(String.UnicodeScalarView(line.unicodeScalars.map { isShown($0) ? $0 : " " }))
                    .split(separator: " ").joined(separator: " ")
            }.filter { !$0.isEmpty }
        // Of a refused push: `!`, what was pushed, and why not.
        let refusal = lines.first { $0.hasPrefix("! ") }
        let fatal = lines.first { $0.hasPrefix("fatal:") }
        let said =
            refusal.map { [$0] } ?? lines.first.map { $0 == fatal ? [$0] : [$0, fatal].compactMap(\.self) } ?? []
        let text = said.joined(separator: "; ")
        return text.isEmpty ? "status \(status)" : String(text.prefix(reason))
    }

    private static func isShown(_ scalar: Unicode.Scalar) -> Bool { (0x20...0x7E).contains(scalar.value) }
}
