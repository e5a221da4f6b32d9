import Circle
import Courier
import Foundation
import Platform
import TestSupport
import Testing

/// A bare repository, and clones of it: each is a machine. git is the real one.
struct GitFixture {
    let scratch: TemporaryFolder
    let store: StoreFixture
    let environment: [String: String]

    var bare: String { scratch.path + "/bare.git" }

    /// - Parameter isEmpty: whether the repository has no commit.
    init(isEmpty: Bool = false) throws {
        (scratch, store) = (try TemporaryFolder(), try StoreFixture())
        var environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("GIT_") }
        environment["HOME"] = scratch.path
        environment["GIT_CONFIG_NOSYSTEM"] = "1"
        environment["GIT_CONFIG_GLOBAL"] = scratch.path + "/gitconfig"
        self.environment = environment
        try Data("[user]\n name = A\n email = a@example.org\n[init]\n defaultBranch = main\n".utf8)
            .write(to: URL(fileURLWithPath: scratch.path + "/gitconfig"))
        try git("init", "--quiet", "--bare", bare, in: scratch.path)
        guard !isEmpty else { return }
        let first = try clone("first")
        try put("theirs", "pass/mail.gpg", in: first)
        try git("add", ".", in: first)
        try git("commit", "--quiet", "-m", "first", in: first)
        try git("push", "--quiet", "origin", "main", in: first)
    }

    func clone(_ name: String) throws -> String {
        let path = "\(scratch.path)/\(name)"
        try git("clone", "--quiet", bare, path, in: scratch.path)
        return path
    }

    /// - Returns: what it prints.
    @discardableResult
    func git(
        _ words: String..., in folder: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> String {
        let variables = environment.map { "\($0.key)=\($0.value)" }
        let result = try Tool.run("env", ["-i", "-C", folder] + variables + ["git"] + words)
        try #require(result.status == 0, "git \(words): \(result)", sourceLocation: sourceLocation)
        return result.output
    }

    func put(_ text: String, _ name: String, in folder: String) throws {
        let path = "\(folder)/\(name)"
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }

    static let program = "/usr/bin/git"

    /// The store of a machine, as a command has it: new each time.
    func store(
        _ folder: String, program: String? = Self.program, branch: GitBranch? = nil,
        environment: [String: String]? = nil, limits: CourierLimits = CourierLimits(),
        _ change: (inout GitLimits) -> Void = { _ in }
    ) throws -> GitStore {
        var time = GitLimits()
        change(&time)
        return try GitStore(
            folder, program: program, environment: environment ?? self.environment, branch: branch, limits: limits,
            time: time)
    }

    /// Writes files as one run of a machine does.
    func run(_ folder: String, _ files: [StorePath: [UInt8]]) throws {
        let store = try store(folder)
        #expect(try store.refresh() == nil)
        for (path, bytes) in files { try store.write(bytes, to: path) }
        try store.publish()
    }

    /// What a machine sees that has fetched.
    func fetched(_ folder: String) throws -> GitStore {
        let store = try store(folder)
        #expect(try store.refresh() == nil)
        return store
    }

    /// Everything that is the user's: files, index, branches, HEAD. Refs of Coffer and of the remote are left out.
    func users(_ folder: String) throws -> [String] {
        var all = [
            try git("status", "--porcelain=v1", "--untracked-files=all", in: folder),
            try git("ls-files", "--stage", "--debug", in: folder), try git("diff", in: folder),
            try git("diff", "--cached", in: folder),
            try git("for-each-ref", "refs/heads", "refs/tags", "refs/stash", in: folder),
            try git("rev-parse", "HEAD", "--symbolic-full-name", "HEAD", in: folder),
        ]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder).sorted()
        where !name.hasPrefix(".git/") {
            let content = FileManager.default.contents(atPath: "\(folder)/\(name)")
            all.append("\(name): \(content.map { Array($0) } ?? [])")
        }
        return all
    }
}
