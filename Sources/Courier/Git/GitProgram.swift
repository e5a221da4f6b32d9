import Glibc
import Platform

/// The user's own git, run so that neither the repository nor its remote makes it do more than it was asked for.
///
/// No hook, no filter and no pager runs, and nobody is asked: not at a terminal, and in no window. Each run has a time limit,
/// and so has its output. The user's own settings hold otherwise: remotes, credential helpers, proxies, ssh.
package struct GitProgram: Sendable {
    /// Absolute.
    private let path: String
    /// Where it runs. The user chose it.
    private let folder: String
    private let environment: [String: String]
    private let limits: GitLimits

    struct Result {
        let status: Int32
        let output: [UInt8]

        var text: String { String(decoding: output, as: UTF8.self) }
        /// The first line, without its end.
        var line: String { String(text.prefix { !$0.isNewline }) }
    }

    /// - Parameters:
    ///   - path: nil if there is none.
    ///   - environment: the user's. What would lead git to another repository is left out.
    package init(
        _ path: String?, in folder: String, environment: [String: String], limits: GitLimits = GitLimits()
    ) throws(GitError) {
        guard let path else { throw .notInstalled }
        (self.path, self.folder, self.limits) = (path, folder, limits)
        self.environment = Self.shut(environment)
    }

    /// Runs it on what this machine has.
    /// - Parameters:
    ///   - input: what it reads.
    ///   - most: how long its output may be, in bytes.
    ///   - takesErrors: whether its output has its errors, too.
    func run(
        _ words: [String], input: [UInt8]? = nil, most: Int = GitLimits.output, takesErrors: Bool = true
    ) throws(GitError) -> Result {
        try run(words, input, most, takesErrors, environment, limits.local)
    }

    /// - Throws: `.failed` if it ends with another status than 0.
    @discardableResult
    func succeed(
        _ words: [String], input: [UInt8]? = nil, most: Int = GitLimits.output, takesErrors: Bool = true
    ) throws(GitError) -> Result {
        let result = try run(words, input: input, most: most, takesErrors: takesErrors)
        guard result.status == 0 else { throw failure(of: words, result) }
        return result
    }

    /// Runs it on the remote.
    func reach(_ words: [String]) throws(GitError) -> Result {
        var environment = environment
        var own = environment["GIT_SSH_COMMAND"]
        if own == nil { own = try setting("core.sshCommand") }
        // A program that GIT_SSH names takes no further words. It has no terminal either.
        if own != nil || environment["GIT_SSH"] == nil { environment["GIT_SSH_COMMAND"] = Self.unasking(own ?? "ssh") }
        return try run(words, nil, GitLimits.output, true, environment, limits.remote)
    }

    func failure(of words: [String], _ result: Result) -> GitError {
        .failed(command: words.first ?? "", reason: GitError.reason(in: result.output, status: result.status))
    }

    /// - Returns: nil if it is not set.
    func setting(_ name: String) throws(GitError) -> String? {
        let words = ["config", "--null", "--get", name]
        let result = try run(words, takesErrors: false)
        guard result.status != 1 else { return nil }
        guard result.status == 0 else { throw failure(of: words, result) }
        return String(decoding: result.output.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// The user's own command, which must not ask anybody. Other programs than ssh have other options.
    static func unasking(_ command: String) -> String {
        let program = command.prefix { $0 != " " }.split(separator: "/").last
        return program == "ssh" ? command + " -o BatchMode=yes" : command
    }

    /// Not even git's own settings of the repository bring these back.
    private static let options = [
        "--no-replace-objects", "--no-optional-locks", "--literal-pathspecs", "-c", "core.hooksPath=/dev/null", "-c",
        "core.fsmonitor=false", "-c", "core.ignoreCase=false", "-c", "commit.gpgSign=false", "-c", "push.gpgSign=false",
        "-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "fetch.writeCommitGraph=false", "-c",
        "submodule.recurse=false",
    ]

    /// What a user sets about transport and programs. Other variables of git lead it elsewhere.
    private static let kept: Set<String> = [
        "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM",
        "GIT_CONFIG_NOSYSTEM", "GIT_EXEC_PATH", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "GIT_SSL_CERT", "GIT_SSL_KEY",
    ]

    private static func shut(_ environment: [String: String]) -> [String: String] {
        var shut = environment.filter { !$0.key.hasPrefix("GIT_") || kept.contains($0.key) }
        for name in ["SSH_ASKPASS", "LANGUAGE", "DISPLAY", "WAYLAND_DISPLAY"] { shut[name] = nil }
        // An empty program is asked nothing.
        shut["GIT_ASKPASS"] = ""
        shut["GIT_TERMINAL_PROMPT"] = "0"
        shut["GCM_INTERACTIVE"] = "never"
        shut["SSH_ASKPASS_REQUIRE"] = "never"
        shut["LC_ALL"] = "C"
        return shut
    }

    private func run(
        _ words: [String], _ input: [UInt8]?, _ most: Int, _ takesErrors: Bool, _ environment: [String: String],
        _ limit: Duration
    ) throws(GitError) -> Result {
        let command = words.first ?? ""
        let end: ProgramReading
        do throws(SystemError) { end = try self.end(words, input, most, takesErrors, environment, limit) } catch {
            throw error.errno == ENOENT ? .notInstalled : .notRun(error)
        }
        switch end {
        case .ended(let status, let output): return Result(status: status, output: output)
        case .hung: throw .hung(command: command, limit)
        case .flooded: throw .flooded(command: command)
        }
    }

    /// Whatever comes, git and its helpers have ended after it.
    private func end(
        _ words: [String], _ input: [UInt8]?, _ most: Int, _ takesErrors: Bool, _ environment: [String: String],
        _ limit: Duration
    ) throws(SystemError) -> ProgramReading {
        let deadline = ContinuousClock.now + limit
        // A file, and no pipe: a git that does not read keeps nobody waiting.
        let file = try input.map { bytes throws(SystemError) in try SealedFile(bytes) }
        let program = try Subprocess(path, Self.options + words) { [folder] in
            $0.environment = environment
            $0.directory = folder
            $0.input = file.map { .file($0.path) } ?? .null
            $0.output = .pipe
            $0.errors = takesErrors ? .output : .null
            // Without a terminal.
            $0.leadsSession = true
        }
        return try program.readToEnd(most: most, until: deadline)
    }
}
