import Authorization
import Circle
import Foundation
import Platform
import TestSupport
import Testing

@testable import Courier

/// Somebody else keeps the remote repository, writes to it, or has set up the user's clone for other things
/// (attackers 6 and 10).
@Suite struct GitAttackTests {
    private let git: GitFixture
    private let desk: String
    private let laptop: String

    init() throws {
        git = try GitFixture()
        (desk, laptop) = (try git.clone("desk"), try git.clone("laptop"))
    }

    private var circle: StatementName { git.store.circle }
    private var head: StorePath { .head(circle: circle, device: git.store.device) }
    private var marker: String { git.scratch.path + "/was-run" }
    private var wasRun: Bool { FileManager.default.fileExists(atPath: marker) }

    private func script(_ name: String, _ text: String) throws -> String {
        let path = "\(git.scratch.path)/\(name)"
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try Script.write("#!/bin/sh\n\(text)\n", to: path)
        return path
    }

    @Test func noHookOfTheCloneRuns() throws {
        let names = [
            "pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "pre-push", "post-merge", "post-checkout",
            "post-rewrite", "reference-transaction", "post-index-change", "pre-auto-gc", "push-to-checkout",
        ]
        for name in names {
            for folder in ["desk/.git/hooks", "hooks"] { _ = try script("\(folder)/\(name)", "echo >'\(marker)'") }
        }
        let watcher = try script("watcher", "echo >'\(marker)'")
        for step in 0..<2 {
            if step == 1 {
                try git.git("config", "core.hooksPath", git.scratch.path + "/hooks", in: desk)
                try git.git("config", "core.fsmonitor", watcher, in: desk)
            }
            try git.run(desk, [head: [UInt8(step)]])
            #expect(try !wasRun && git.fetched(laptop).read(head) == [UInt8(step)])
        }
        // They would have run.
        try git.git("update-ref", "refs/heads/x", "HEAD", in: desk)
        #expect(wasRun)
    }

    @Test func noFilterAndNoSettingChangesAByte() throws {
        let filter = try script("filter", "echo >'\(marker)'; tr a b")
        let rules = "* text=auto eol=crlf filter=x ident\n"
        try git.put(rules, ".gitattributes", in: laptop)
        try git.git("add", ".", in: laptop)
        try git.git("commit", "--quiet", "-m", "rules", in: laptop)
        try git.git("push", "--quiet", in: laptop)
        for clone in [desk, laptop] {
            for (name, value) in [
                ("core.autocrlf", "true"), ("filter.x.clean", filter), ("filter.x.smudge", filter),
                ("core.safecrlf", "true"), ("commit.gpgSign", "true"), ("push.gpgSign", "true"),
                ("gpg.program", filter),
            ] {
                try git.git("config", name, value, in: clone)
            }
            try git.put(rules, ".git/info/attributes", in: clone)
        }
        let bytes = Array("aaa\r\nbbb\n$Id$\n".utf8)
        try git.run(desk, [head: bytes])
        #expect(try git.fetched(laptop).read(head) == bytes && !wasRun)
        #expect(
            try git.git("cat-file", "blob", "main:\(head.text)", in: git.bare) == String(decoding: bytes, as: UTF8.self)
        )
    }

    /// What the user checks out of it stays as it is, too, and no merge of the user's mixes two files.
    @Test func theUsersOwnGitLeavesTheFilesAlone() throws {
        let bytes = Array("aaa\nbbb\n".utf8)
        try git.run(desk, [head: bytes, .request(git.store.place): bytes])
        try git.git("config", "core.autocrlf", "true", in: laptop)
        try git.git("pull", "--quiet", "--ff-only", in: laptop)
        for path in [head, .request(git.store.place)] {
            #expect(FileManager.default.contents(atPath: "\(laptop)/\(path.text)").map { Array($0) } == bytes)
            let attributes = try git.git("check-attr", "text", "merge", "filter", "--", path.text, in: laptop)
            #expect(attributes.split(separator: "\n").allSatisfy { $0.hasSuffix("unset") }, "\(attributes)")
        }
    }

    /// Puts an entry of any kind into the remote's branch.
    private func plant(_ mode: String, _ object: String, _ path: String) throws {
        try git.git("pull", "--quiet", "--ff-only", in: laptop)
        try git.git("update-index", "--add", "--cacheinfo", "\(mode),\(object),\(path)", in: laptop)
        try git.git("commit", "--quiet", "-m", "planted", in: laptop)
        try git.git("push", "--quiet", in: laptop)
        try git.git("reset", "--quiet", "--hard", in: laptop)
    }

    private func object(_ bytes: [UInt8]) throws -> String {
        let path = git.scratch.path + "/object"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return try git.git("hash-object", "-w", path, in: laptop).trimmingCharacters(in: .newlines)
    }

    @Test func linksAndOtherRepositoriesAreNoFiles() throws {
        let outside = git.store.outside
        try git.store.put([7], "secret", in: outside)
        let link = try object(Array("\(outside.path)/secret".utf8))
        let commit = try git.git("rev-parse", "HEAD", in: laptop).trimmingCharacters(in: .newlines)
        for (mode, object) in [("120000", link), ("160000", commit)] {
            try plant(mode, object, head.text)
            let store = try git.fetched(desk)
            let error = #expect(throws: StoreError.self) { try store.read(head) }
            #expect(error?.code == .strange && error?.path == "\(desk)/\(head.text)")
            // The owner puts the file back.
            try git.run(desk, [head: [1]])
            #expect(try git.fetched(laptop).read(head) == [1])
        }
        // A link in the place of a folder leads nowhere.
        try git.git("pull", "--quiet", "--ff-only", in: laptop)
        try git.git("rm", "--quiet", "-r", "--cached", Hex.encode(circle.bytes), in: laptop)
        try plant("120000", link, Hex.encode(circle.bytes))
        #expect(try git.fetched(desk).heads(of: circle).isEmpty && git.fetched(desk).read(head) == nil)
        try git.run(desk, [head: [1]])
        #expect(try git.fetched(laptop).read(head) == [1])
        #expect(try StoreFixture.tree(outside) == ["secret": [7]])
    }

    @Test func whatNoMemberWritesIsIgnored() throws {
        try git.run(desk, [head: [1], .beacon(circle: circle): [1]])
        let object = try object([9])
        let whole = Hex.encode(circle.bytes)
        let names = [
            "\(whole.uppercased())/beacon", "\(whole)/heads/x", "\(whole)/heads/.git-x", "\(whole)/heads/\(whole)",
            "\(whole)/other/\(Hex.encode(git.store.device.bytes))", "join/x-request", "heads/x", "\(whole)-x/beacon",
            "\(whole)/heads/a\nb", "\(whole)/heads/\u{202E}x",
        ]
        for name in names { try plant("100644", object, name) }
        let store = try git.fetched(desk)
        #expect(try store.circles() == [circle] && store.heads(of: circle) == [git.store.device])
        #expect(try store.segments(of: circle, device: git.store.device).isEmpty)
        #expect(try store.places(of: circle, devices: [git.store.device]).isEmpty)
        // And left alone.
        try git.run(desk, [head: [2]])
        let left = try git.git("ls-tree", "-r", "-z", "--name-only", "main", in: git.bare).split(separator: "\0")
        for name in names { #expect(left.contains { $0 == name }) }
    }

    /// A commit can have one folder of long names for each device, and it costs the remote nothing.
    @Test func whatIsNoPathIsNotKept() throws {
        try git.run(desk, [head: [1]])
        let object = try object([9])
        let place = "\(Hex.encode(circle.bytes))/\(Hex.encode(git.store.device.bytes))"
        for number in 1...3 { try plant("100644", object, "\(place)/x\(number)") }
        let store = try git.fetched(desk)
        #expect(try store.segments(of: circle, device: git.store.device).isEmpty)
        #expect(store.keptCount == 0)
        #expect(try store.heads(of: circle) == [git.store.device])
        #expect(store.keptCount == 1)
    }

    @Test func whatIsTooLargeOrTooManyIsNotRead() throws {
        try plant("100644", try object([UInt8](repeating: 1, count: (1 << 17) + 1)), head.text)
        let store = try git.fetched(desk)
        let error = #expect(throws: StoreError.self) { try store.read(head) }
        #expect(error?.code == .tooLarge)
        try plant("100644", try object([UInt8](repeating: 1, count: 1 << 17)), head.text)
        #expect(try git.fetched(desk).read(head)?.count == 1 << 17)
        #expect(throws: StoreError.self) { try store.write([UInt8](repeating: 1, count: (1 << 17) + 1), to: head) }
        try git.run(desk, Dictionary(uniqueKeysWithValues: try (1...10).map { (try git.store.segment($0), [1]) }))
        for names in [9, 10] {
            var limits = CourierLimits()
            limits.names = names
            let store = try git.store(desk, limits: limits)
            if names == 10 {
                #expect(try store.segments(of: circle, device: git.store.device).count == 10)
            } else {
                let error = #expect(throws: StoreError.self) {
                    try store.segments(of: circle, device: git.store.device)
                }
                #expect(error?.code == .tooMany)
            }
            // What somebody puts beside them displaces nothing.
            #expect(try store.heads(of: circle) == [git.store.device])
        }
    }

    @Test func aRemoteThatIsAwayLosesNothing() throws {
        try git.run(laptop, [.beacon(circle: circle): [1]])
        try git.run(desk, [:])
        try FileManager.default.moveItem(atPath: git.bare, toPath: git.bare + "-away")
        for number: UInt64 in 1...2 {
            let store = try git.store(desk)
            #expect(try store.refresh()?.code == .notFetched)
            // What was fetched before is there.
            #expect(try store.read(.beacon(circle: circle)) == [1])
            try store.write([UInt8(number)], to: git.store.segment(number))
            try store.write([UInt8(number)], to: head)
            let error = #expect(throws: StoreError.self) { try store.publish() }
            #expect(error?.code == .notPushed && error?.description.contains("pushed the next time") == true)
            #expect(try git.store(desk).read(head) == [UInt8(number)])
        }
        // Nothing to push, and nothing fetched.
        let other = try git.store(laptop)
        #expect(try other.refresh()?.code == .notFetched)
        #expect(throws: StoreError.self) { try other.publish() }
        try FileManager.default.moveItem(atPath: git.bare + "-away", toPath: git.bare)
        // Another machine was there first.
        try git.run(laptop, [.beacon(circle: circle): [9], try git.store.segment(7, run: 7): [7]])
        // Also a run that writes nothing pushes what waits.
        try git.run(desk, [:])
        let last = try git.fetched(laptop)
        #expect(try last.read(head) == [2] && last.read(git.store.segment(1)) == [1])
        #expect(try last.read(git.store.segment(2)) == [2] && last.read(git.store.segment(7, run: 7)) == [7])
        // What could not be pushed is one commit.
        #expect(try git.git("rev-list", "--count", "main", in: git.bare).trimmingCharacters(in: .newlines) == "4")
        let refs = try git.git("for-each-ref", "--format=%(refname)", "refs/coffer", in: desk)
        #expect(!refs.contains("unpushed"))
    }

    /// The remote goes back to an older state while this machine has something to push. Only its own files are put there.
    @Test func onlyOwnChangesArePutOnWhatTheRemoteHas() throws {
        let theirs = StorePath.head(circle: circle, device: WriterID(number: 5))
        try git.run(laptop, [theirs: [1]])
        let older = try git.git("rev-parse", "main", in: git.bare).trimmingCharacters(in: .newlines)
        try git.run(laptop, [theirs: [2]])
        let late = try git.fetched(desk)
        try late.write([1], to: head)
        // Another history, in which their head is a newer one.
        try git.git("update-ref", "refs/heads/main", older, in: git.bare)
        try git.run(laptop, [theirs: [3]])
        try late.publish()
        let last = try git.fetched(laptop)
        #expect(try last.read(theirs) == [3] && last.read(head) == [1])
        // A branch that was deleted comes back with all that this machine knows.
        try git.git("update-ref", "-d", "refs/heads/main", in: git.bare)
        try git.run(desk, [:])
        for path in [theirs, head] {
            #expect(try git.git("ls-tree", "--name-only", "main", path.text, in: git.bare).hasPrefix(path.text))
        }
    }

    @Test func aRemoteThatRefusesIsNotAskedAgain() throws {
        _ = try script(
            "bare.git/hooks/pre-receive", "echo push >>'\(marker)'; printf 'no \\033[31mred\\007 pushes\\n'; exit 1")
        let store = try git.fetched(desk)
        try store.write([1], to: head)
        let error = #expect(throws: StoreError.self) { try store.publish() }
        #expect(error?.code == .notPushed)
        guard case .refused(let reason)? = error?.git else {
            Issue.record("\(String(describing: error))")
            return
        }
        // In words, and with nothing that a terminal obeys.
        #expect(reason.contains("pre-receive hook declined"), "\(reason)")
        #expect(reason.unicodeScalars.allSatisfy { (0x20...0x7E).contains($0.value) })
        #expect(try String(contentsOfFile: marker, encoding: .utf8) == "push\n")
    }

    /// - Parameter words: what is done instead of a command of git that begins with the word.
    private func played(_ command: String, _ words: String) throws -> String {
        try script("played/git", "for word; do [ \"$word\" = \(command) ] && { \(words); }; done; exec git \"$@\"")
    }

    @Test func aGitThatHangsIsEndedWithItsHelpers() throws {
        let pids = git.scratch.path + "/pids"
        // It ends by itself some time, so that a test that fails leaves nothing.
        let program = try played("fetch", "trap '' TERM; sleep 60 & echo $! $$ >'\(pids)'; wait; exit 0")
        let store = try git.store(desk, program: program) { $0.remote = .seconds(2) }
        let failure = try store.refresh()
        #expect(failure?.git == .hung(command: "fetch", .seconds(2)) && failure?.description.contains("fetch") == true)
        let numbers = try String(contentsOfFile: pids, encoding: .utf8).split(whereSeparator: \.isWhitespace)
        #expect(numbers.count == 2)
        for number in numbers {
            // A zombie that nobody has reaped yet is ended, too.
            let state = try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8)
            #expect(state?.contains(") Z ") ?? true, "\(state ?? "")")
        }
    }

    @Test func aGitThatFloodsIsEnded() throws {
        let program = try played("fetch", "head -c 8000000 /dev/zero; exit 1")
        let store = try git.store(desk, program: program)
        #expect(try store.refresh()?.git == .flooded(command: "fetch"))
    }

    /// A connection of ssh that is kept holds git's output open after git has ended.
    @Test func whatGitLeavesBehindDelaysNobody() throws {
        let pid = git.scratch.path + "/pid"
        let program = try played("fetch", "setsid sleep 60 & echo $! >'\(pid)'; exit 1")
        let store = try git.store(desk, program: program) { $0.remote = .seconds(30) }
        guard case .failed? = try store.refresh()?.git else {
            Issue.record("it is waited for")
            return
        }
        let number = try String(contentsOfFile: pid, encoding: .utf8).trimmingCharacters(in: .newlines)
        _ = try Tool.run("kill", ["-9", number])
    }

    @Test func nobodyIsAskedAndTheUsersSshIsKept() throws {
        let record = git.scratch.path + "/ssh-record"
        let ssh = try script(
            "bin/ssh", "{ echo \"$@\"; env; readlink /proc/self/fd/0; cat /proc/self/stat; } >'\(record)'; exit 255")
        try git.git("remote", "set-url", "origin", "ssh://example.invalid/x.git", in: desk)
        var environment = git.environment
        environment["PATH"] = "\(git.scratch.path)/bin:/usr/bin:/bin"
        for name in ["SSH_ASKPASS", "GIT_ASKPASS", "DISPLAY", "WAYLAND_DISPLAY"] { environment[name] = "/bin/true" }
        for step in 0..<3 {
            if step == 1 { try git.git("config", "core.sshCommand", "\(ssh) -o Port=7", in: desk) }
            if step == 2 { environment["GIT_SSH_COMMAND"] = "ssh -o Port=8" }
            let failure = try git.store(desk, environment: environment).refresh()
            #expect(failure?.code == .notFetched)
            let lines = try String(contentsOfFile: record, encoding: .utf8).split(separator: "\n")
            let words = String(try #require(lines.first))
            #expect(words.contains("-o BatchMode=yes"), "\(words)")
            #expect(words.contains("Port=") == (step > 0) && words.contains("Port=8") == (step == 2), "\(words)")
            #expect(lines.contains("GIT_TERMINAL_PROMPT=0") && lines.contains("GIT_ASKPASS="))
            #expect(!lines.contains { $0.contains("ASKPASS=/bin/true") || $0.contains("DISPLAY=") })
        }
        // Another program has other options.
        let other = try script("bin/plink", "echo \"$@\" >'\(record)'; exit 255")
        environment["GIT_SSH_COMMAND"] = "\(other) -batch"
        _ = try git.store(desk, environment: environment).refresh()
        #expect(try !String(contentsOfFile: record, encoding: .utf8).contains("BatchMode"))
    }

    /// A hook or an editor of another repository may have started the command.
    @Test func variablesThatNameAnotherRepositoryAreLeftOut() throws {
        var environment = git.environment
        environment["GIT_DIR"] = laptop + "/.git"
        environment["GIT_WORK_TREE"] = laptop
        environment["GIT_INDEX_FILE"] = laptop + "/.git/index"
        environment["GIT_CONFIG_COUNT"] = "1"
        environment["GIT_CONFIG_KEY_0"] = "remote.origin.url"
        environment["GIT_CONFIG_VALUE_0"] = "/nowhere"
        let store = try git.store(desk, environment: environment)
        #expect(try store.refresh() == nil)
        #expect(try git.git("for-each-ref", "refs/coffer", in: laptop).isEmpty)
        #expect(try !git.git("for-each-ref", "refs/coffer", in: desk).isEmpty)
    }

    @Test func eachObstacleIsNamed() throws {
        func obstacle(_ folder: String, program: String? = GitFixture.program) -> GitError? {
            let error = #expect(throws: StoreError.self) { try git.store(folder, program: program) }
            #expect(error?.code == .repository && error?.path == folder)
            return error?.git
        }
        #expect(obstacle(desk, program: nil) == .notInstalled)
        #expect(obstacle(desk, program: "/nonexistent/git") == .notInstalled)
        #expect(obstacle(git.store.path) == .noWorkTree)
        #expect(obstacle(desk + "/.git") == .noWorkTree)
        #expect(obstacle(git.bare) == .noWorkTree)
        try git.git("switch", "--quiet", "--detach", in: desk)
        #expect(obstacle(desk) == .detached)
        try git.git("switch", "--quiet", "-c", "mine", in: desk)
        #expect(obstacle(desk) == .noUpstream(branch: "mine"))
        // Another branch of the same clone is no remote one.
        try git.git("branch", "--quiet", "--set-upstream-to=main", in: desk)
        #expect(obstacle(desk) == .noUpstream(branch: "mine"))
        try git.git("branch", "--quiet", "--set-upstream-to=origin/main", in: desk)
        #expect(try git.store(desk).branch.shown == "origin/main")
    }

    /// Coffer's commits name it in a stream of lines.
    @Test(arguments: ["two\nlines", "two\r\nlines"])
    func aFolderWithALineEndInItsNameIsRefused(_ name: String) throws {
        let folder = "\(desk)/\(name)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        #expect {
            _ = try git.store(folder)
        } throws: {
            ($0 as? StoreError)?.git == .failed(command: "rev-parse", reason: "the folder's name has a line end")
        }
    }

    @Test func aNameThatIsAnOptionIsNone() throws {
        for remote in ["", "-x", "--upload-pack=x", "a b", "a:b", "a\nb", "..", "a/../b"] {
            #expect(GitBranch(remote: remote, ref: "refs/heads/main") == nil)
        }
        for ref in ["", "main", "refs/heads/", "refs/tags/x", "-refs/heads/x", "refs/heads/a b", "refs/heads/a:b"] {
            #expect(GitBranch(remote: "origin", ref: ref) == nil)
        }
        #expect(GitBranch(remote: "origin", ref: "refs/heads/a/b")?.shown == "origin/a/b")
    }
}
