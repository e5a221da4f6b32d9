import Authorization
import Circle
import Cryptography
import Platform
import Synchronization

/// A store that is a branch of a remote git repository, reached through the user's own clone (docs/decisions/0030-git.md).
///
/// It reads and writes commits, and no files. The work tree, its index and its branches are the user's, and stay as they
/// are. So nothing of the remote's is checked out: no link, no hook, no filter, no name of a file.
/// A commit is made of the remote's newest one and of this machine's own files. So there is nothing to merge.
package final class GitStore: SharedStore {
    private struct State {
        /// The remote branch as it was last fetched or pushed; nil if it has no commit.
        var seen: String?
        /// This machine's one commit on top of it that the remote has not taken yet.
        var unpushed: String?
        /// Why the remote could not be reached.
        var failure: GitError?
        /// The remote has no such branch.
        var isMissing = false
        /// What was written since the last commit; nil for what was removed.
        var written: [StorePath: [UInt8]?] = [:]
        /// What was listed of the commit that is read.
        var listed: [String: [GitFile]] = [:]

        /// The commit that is read.
        var tip: String? { unpushed ?? seen }
    }

    package let path: String
    package let branch: GitBranch
    private let git: GitProgram
    private let limits: CourierLimits
    private let time: GitLimits
    /// Where the folder lies in the repository.
    private let prefix: String
    private let seenRef: String
    private let unpushedRef: String
    /// Keeps two runs from moving these refs at the same time, so that neither loses what the other has written.
    private let lock: String
    private let state = Mutex(State())

    /// - Parameters:
    ///   - path: the folder, as people call it.
    ///   - program: git; nil if there is none.
    ///   - environment: the user's.
    ///   - branch: nil for the upstream of the branch that the work tree is on.
    package init(
        _ path: String, program: String?, environment: [String: String], branch: GitBranch? = nil,
        limits: CourierLimits = CourierLimits(), time: GitLimits = GitLimits()
    ) throws(StoreError) {
        let git: GitProgram
        let found: GitBranch
        let (prefix, place): (String, String)
        do throws(GitError) {
            git = try GitProgram(program, in: path, environment: environment, limits: time)
            if let branch { found = branch } else { found = try GitBranch(upstreamBy: git) }
            prefix = try GitBranch.prefix(git)
            let folder = try git.succeed(["rev-parse", "--git-common-dir"]).line
            place = folder.hasPrefix("/") ? folder : "\(path)/\(folder)"
        } catch { throw StoreError(.repository, at: path, git: error) }
        (self.path, self.git, self.branch, self.prefix) = (path, git, found, prefix)
        (self.limits, self.time) = (limits, time)
        // Refs of Coffer's own, which no other program touches. Their name fits any branch and folder.
        let name = Array([found.remote, found.ref, prefix].joined(separator: "\0").utf8)
        let digest: [UInt8]
        do { digest = try SHA256.digest(name) } catch { throw StoreError(.other, at: path) }
        let id = Hex.encode(Array(digest.prefix(16)))
        (seenRef, unpushedRef) = ("refs/coffer/\(id)/seen", "refs/coffer/\(id)/unpushed")
        lock = "\(place)/coffer-\(id).lock"
        try using { state throws(GitError) in try load(&state) }
    }

    private func using<Value: Sendable>(
        _ body: (inout State) throws(GitError) -> Value
    ) throws(StoreError) -> Value {
        try state.withLock { state throws(StoreError) in
            do throws(GitError) { return try body(&state) } catch {
                throw StoreError(.repository, at: path, git: error)
            }
        }
    }

    /// Does something while no other run changes the refs.
    private func alone<Value>(_ body: () throws(GitError) -> Value) throws(GitError) -> Value {
        let held = try heldLock()
        defer { held.keep() }
        return try body()
    }

    /// A run that hangs has a time limit itself.
    private func heldLock() throws(GitError) -> FileLock {
        let end = ContinuousClock.now + time.others
        do throws(SystemError) {
            while true {
                if let held = try FileLock(unlessHeld: lock) { return held }
                guard ContinuousClock.now < end else { break }
                _ = try Readiness.wait(for: [], until: .now + GitLimits.look)
            }
        } catch { throw .notRun(error) }
        throw .busy(time.others)
    }
}

// MARK: - Reading

extension GitStore {
    package func circles() throws(StoreError) -> [StatementName] {
        let names = try entries(in: "", isDeep: false).map(\.path) + written().keys.map(\.text)
        let circles = Set(
            names.compactMap { name -> StatementName? in
                let first = name.split(separator: "/").first ?? ""
                guard case .beacon(let circle) = StorePath("\(first)/\(StorePath.beaconName)") else { return nil }
                return circle
            })
        guard circles.count <= limits.circles else { throw StoreError(.tooMany, at: path) }
        return circles.sorted()
    }

    /// Nobody tells what a remote gets.
    package func places(of circle: StatementName, devices: [WriterID]) throws(StoreError) -> [String] { [] }

    package func heads(of circle: StatementName) throws(StoreError) -> [WriterID] {
        let place = "\(Hex.encode(circle.bytes))/heads"
        let devices = try paths(in: place).compactMap { path -> WriterID? in
            guard case .head(circle, let device) = path else { return nil }
            return device
        }
        guard devices.count <= limits.devices else { throw StoreError(.tooMany, at: text(place)) }
        return devices.sorted()
    }

    package func segments(of circle: StatementName, device: WriterID) throws(StoreError) -> [StorePath] {
        try paths(in: "\(Hex.encode(circle.bytes))/\(Hex.encode(device.bytes))")
            .compactMap { path -> (number: UInt64, run: RunID, path: StorePath)? in
                guard case .segment(circle, device, let number, let run) = path else { return nil }
                return (number, run, path)
            }.sorted { ($0.number, $0.run) < ($1.number, $1.run) }.map(\.path)
    }

    package func knocks(of circle: StatementName) throws(StoreError) -> [StorePath] {
        try paths(in: "\(Hex.encode(circle.bytes))/\(StorePath.knocksName)").filter { path in
            if case .knock(circle, _, _) = path { true } else { false }
        }
    }

    package func read(_ path: StorePath) throws(StoreError) -> [UInt8]? {
        if let written = written()[path] { return written }
        let folder = path.text.split(separator: "/").dropLast()
        // The names of requests and answers are random, so they are in no list.
        let place = folder.count > 1 ? folder.prefix(2).joined(separator: "/") : path.text
        guard let entry = try entries(in: place, isDeep: true).first(where: { $0.path == path.text }) else {
            return nil
        }
        guard entry.isFile else { throw StoreError(.strange, at: text(path.text)) }
        guard entry.size <= path.limit else { throw StoreError(.tooLarge, at: text(path.text)) }
        let words = ["cat-file", "blob", entry.object]
        return try using { _ throws(GitError) in
            try git.succeed(words, most: path.limit, takesErrors: false).output
        }
    }

    package func write(_ bytes: [UInt8], to path: StorePath) throws(StoreError) {
        guard bytes.count <= path.limit else { throw StoreError(.tooLarge, at: text(path.text)) }
        state.withLock { $0.written[path] = .some(bytes) }
    }

    package func remove(_ path: StorePath) throws(StoreError) { state.withLock { $0.written[path] = .some(nil) } }

    /// How many entries of the commit are kept in memory.
    var keptCount: Int { state.withLock { $0.listed.values.reduce(0) { $0 + $1.count } } }

    func written() -> [StorePath: [UInt8]?] { state.withLock { $0.written } }

    private func text(_ place: String) -> String { "\(path)/\(place)" }

    /// The paths in a folder of the store, as the commit and what was written since have them.
    private func paths(in place: String) throws(StoreError) -> [StorePath] {
        var paths = Set(try entries(in: place, isDeep: true).compactMap { StorePath($0.path) })
        for (path, content) in written() where path.text.hasPrefix("\(place)/") {
            if content == nil { paths.remove(path) } else { paths.insert(path) }
        }
        return Array(paths)
    }

    /// What the commit has in a folder of the store, or under one name. Paths begin at the store.
    func entries(in place: String, isDeep: Bool) throws(StoreError) -> [GitFile] {
        let most = limits.names
        let found: [GitFile]?
        do {
            found = try state.withLock { state throws(GitError) -> [GitFile]? in
                if let known = state.listed[place] { return known }
                guard let tip = state.tip else { return [] }
                let whole = prefix + place
                let isFile = StorePath(place) != nil
                let words =
                    ["ls-tree", "-z", "-l", "--full-tree"] + (isDeep ? ["-r"] : ["-d"]) + [tip]
                    + (whole.isEmpty ? [] : ["--", isFile || whole.hasSuffix("/") ? whole : "\(whole)/"])
                let output: [UInt8]
                do throws(GitError) {
                    output = try git.succeed(words, most: most * GitLimits.name, takesErrors: false).output
                } catch {
                    guard case .flooded = error else { throw error }
                    return nil
                }
                let all = GitFile.list(output)
                guard all.count <= most else { return nil }
                let entries = all.compactMap { entry -> GitFile? in
                    guard entry.path.hasPrefix(prefix) else { return nil }
                    let path = String(entry.path.dropFirst(prefix.count))
                    // One folder of long names can be that of each device, and the list of each is kept.
                    guard !isDeep || StorePath(path) != nil else { return nil }
                    return GitFile(path: path, object: entry.object, isFile: entry.isFile, size: entry.size)
                }
                state.listed[place] = entries
                return entries
            }
        } catch { throw StoreError(.repository, at: path, git: error) }
        guard let found else { throw StoreError(.tooMany, at: text(place)) }
        return found
    }
}

// MARK: - Fetching and pushing

extension GitStore {
    package var isUnpublished: Bool { state.withLock { $0.unpushed != nil } }

    package func refresh() throws(StoreError) -> StoreError? {
        try using { state throws(GitError) -> GitError? in
            try alone { () throws(GitError) in
                state.failure = try fetched(&state)
                try load(&state)
                try settle(&state)
            }
            return state.failure
        }.map { StoreError(.notFetched, at: path, git: $0) }
    }

    package func publish() throws(StoreError) {
        let left = try using { state throws(GitError) -> (failure: GitError, isPush: Bool)? in
            guard !state.written.isEmpty || state.unpushed != nil || state.isMissing else {
                return state.failure.map { ($0, false) }
            }
            return try alone { () throws(GitError) -> (failure: GitError, isPush: Bool)? in
                // What another run has committed meanwhile stays.
                try load(&state)
                try settle(&state)
                try commit(&state)
                // What the remote has lost is put back.
                let isPush = state.unpushed != nil || state.isMissing && state.seen != nil
                let failure = try isPush && state.failure == nil ? pushed(&state) : state.failure
                return failure.map { ($0, isPush) }
            }
        }
        if let left { throw StoreError(left.isPush ? .notPushed : .notFetched, at: path, git: left.failure) }
    }

    /// - Returns: why the remote gives nothing. That can end by itself, so it is no error.
    private func fetched(_ state: inout State) throws(GitError) -> GitError? {
        state.isMissing = false
        do throws(GitError) {
            let words =
                ["fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-auto-maintenance"]
                + ["--no-write-fetch-head", "--no-prune", "--", branch.remote, "+\(branch.ref):\(seenRef)"]
            let result = try git.reach(words)
            guard result.status != 0 else { return nil }
            // A new repository has no branch.
            let list = try git.reach(["ls-remote", "--quiet", "--exit-code", "--", branch.remote, branch.ref])
            state.isMissing = list.status == 2
            return state.isMissing ? nil : git.failure(of: words, result)
        } catch {
            if case .notInstalled = error { throw error }
            return error
        }
    }

    /// Reads where the refs are.
    private func load(_ state: inout State) throws(GitError) {
        let words = ["for-each-ref", "--format=%(refname) %(objectname)", "--", seenRef, unpushedRef]
        var found: [String: String] = [:]
        for line in try git.succeed(words).text.split(separator: "\n") {
            let parts = line.split(separator: " ").map(String.init)
            if parts.count == 2 { found[parts[0]] = parts[1] }
        }
        (state.seen, state.unpushed, state.listed) = (found[seenRef], found[unpushedRef], [:])
    }

    /// Puts what was not pushed on top of what was fetched.
    private func settle(_ state: inout State) throws(GitError) {
        guard let unpushed = state.unpushed, let seen = state.seen else { return }
        let words = ["merge-base", "--is-ancestor", unpushed, seen]
        let result = try git.run(words)
        guard result.status < 2 else { throw git.failure(of: words, result) }
        // The push before had come through.
        guard result.status == 1 else { return try forget(unpushed, &state) }
        guard try parent(of: unpushed) != seen else { return }
        state.unpushed = try committed(changes(of: unpushed), onto: seen)
        state.listed = [:]
    }

    private func parent(of commit: String) throws(GitError) -> String? {
        let result = try git.run(["rev-parse", "--quiet", "--verify", "\(commit)^1"], takesErrors: false)
        return result.status == 0 ? result.line : nil
    }

    /// What one commit of this machine has changed.
    private func changes(of commit: String) throws(GitError) -> [GitChange] {
        let words = ["diff-tree", "-r", "-z", "--root", "--no-renames", "--no-commit-id", "--full-index", commit]
        return GitChange.list(
            try git.succeed(words, most: limits.names * GitLimits.name, takesErrors: false).output)
    }

    /// Commits what was written, if anything was. One commit has all that was not pushed.
    private func commit(_ state: inout State) throws(GitError) {
        guard !state.written.isEmpty else { return }
        let written = state.written.sorted { $0.key.text < $1.key.text }
        var former: [GitChange] = []
        if let unpushed = state.unpushed { former = try changes(of: unpushed) }
        let names = Set(written.map { prefix + $0.key.text })
        let changes =
            try former.filter { !names.contains($0.path) } + attributes(for: written.map(\.key), state.tip)
            + written.map { path, content in
                GitChange(path: prefix + path.text, content: content.map { .bytes($0) } ?? .nothing)
            }
        state.unpushed = try committed(changes, onto: state.seen)
        (state.written, state.listed) = ([:], [:])
    }

    /// What keeps the user's own git from changing the files when it checks them out or merges them.
    private func attributes(for paths: [StorePath], _ tip: String?) throws(GitError) -> [GitChange] {
        var changes: [GitChange] = []
        for folder in Set(paths.compactMap { $0.text.split(separator: "/").first.map(String.init) }).sorted() {
            let path = "\(prefix)\(folder)/.gitattributes"
            if let tip {
                let words = ["ls-tree", "-z", "--full-tree", tip, "--", path]
                guard try git.succeed(words, takesErrors: false).output.isEmpty else { continue }
            }
            changes.append(GitChange(path: path, content: .bytes(Array(Self.attributes.utf8))))
        }
        return changes
    }

    private static let attributes = "* -text -diff -merge -filter -ident\n"

    private func committed(_ changes: [GitChange], onto base: String?) throws(GitError) -> String {
        let stream = GitChange.commit(changes, to: unpushedRef, onto: base, at: WallTime.now.seconds)
        try git.succeed(["fast-import", "--quiet", "--force", "--done"], input: stream)
        return try git.succeed(["rev-parse", "--verify", unpushedRef]).line
    }

    /// - Returns: why the remote has not taken it.
    private func pushed(_ state: inout State) throws(GitError) -> GitError? {
        for attempt in 1...time.pushes {
            guard let commit = state.tip else { return nil }
            let words =
                ["push", "--quiet", "--porcelain", "--no-verify", "--no-follow-tags", "--recurse-submodules=no"]
                + ["--no-signed", "--", branch.remote, "\(commit):\(branch.ref)"]
            let result: GitProgram.Result
            do throws(GitError) { result = try git.reach(words) } catch { return error }
            if result.status == 0 {
                try git.succeed(["update-ref", seenRef, commit])
                (state.seen, state.isMissing) = (commit, false)
                try forget(commit, &state)
                return nil
            }
            let before = state.seen
            if let failure = try fetched(&state) { return failure }
            try load(&state)
            // Nobody was faster, so there is another reason.
            guard state.seen != before else {
                return .refused(reason: GitError.reason(in: result.output, status: result.status))
            }
            try settle(&state)
            // The remote has it all the same.
            guard state.unpushed != nil else { return nil }
            guard attempt < time.pushes else { break }
            let pause = GitLimits.pause * (1 << (attempt - 1)) * Double.random(in: 0.5..<1)
            // `try?`: what is not waited for is tried sooner.
            _ = try? Readiness.wait(for: [], until: .now + pause)
        }
        return .overtaken(times: time.pushes)
    }

    /// The remote has it. A newer commit that another run has made meanwhile stays.
    private func forget(_ commit: String, _ state: inout State) throws(GitError) {
        if state.unpushed != nil { _ = try git.run(["update-ref", "-d", unpushedRef, commit]) }
        (state.unpushed, state.listed) = (nil, [:])
    }
}
