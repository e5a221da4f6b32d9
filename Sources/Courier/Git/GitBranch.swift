/// The remote branch through which machines share. It is chosen once: whatever the work tree is switched to, it stays.
package struct GitBranch: Sendable, Equatable {
    /// The remote's name in the repository's settings.
    package let remote: String
    /// `refs/heads/…`
    package let ref: String

    private static let heads = "refs/heads/"

    /// - Returns: nil for what is no name of a remote or a branch. One that begins with `-` would be an option of git.
    package init?(remote: String, ref: String) {
        guard Self.isName(remote), Self.isName(ref), ref.hasPrefix(Self.heads), ref != Self.heads else { return nil }
        (self.remote, self.ref) = (remote, ref)
    }

    /// As `git status` shows it.
    package var shown: String { "\(remote)/\(ref.dropFirst(Self.heads.count))" }

    /// The upstream of the branch that the work tree is on.
    package init(upstreamBy git: GitProgram) throws(GitError) {
        _ = try Self.prefix(git)
        let words = ["symbolic-ref", "--quiet", "HEAD"]
        let head = try git.run(words)
        guard head.status != 1 else { throw .detached }
        guard head.status == 0 else { throw git.failure(of: words, head) }
        guard head.line.hasPrefix(Self.heads) else { throw .detached }
        let branch = String(head.line.dropFirst(Self.heads.count))
        // A remote "." is this repository itself.
        guard let remote = try git.setting("branch.\(branch).remote"), remote != ".",
            let ref = try git.setting("branch.\(branch).merge"), let upstream = GitBranch(remote: remote, ref: ref)
        else { throw .noUpstream(branch: branch) }
        self = upstream
    }

    /// Where the folder lies in its work tree: empty, or with `/` at the end.
    static func prefix(_ git: GitProgram) throws(GitError) -> String {
        let words = ["rev-parse", "--is-inside-work-tree", "--show-prefix"]
        let result = try git.run(words)
        guard result.status == 0 else {
            guard result.text.contains("not a git repository") else { throw git.failure(of: words, result) }
            throw .noWorkTree
        }
        // By scalars: Swift takes CR LF for one character, which is no line end to it.
        let lines = result.text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard lines.first == "true" else { throw .noWorkTree }
        // A name with a line end would be another one here.
        guard lines.count <= 3, lines.last == "" else {
            throw .failed(command: "rev-parse", reason: "the folder's name has a line end")
        }
        return lines.count > 1 ? lines[1] : ""
    }

    /// Names of git have no blanks, colons and signs that nobody sees.
    private static func isName(_ text: String) -> Bool {
        !text.isEmpty && !text.hasPrefix("-") && !text.contains("..")
            && text.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F && $0 != ":" }
    }
}
