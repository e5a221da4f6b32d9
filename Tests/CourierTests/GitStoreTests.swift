import Circle
import Courier
import Foundation
import Platform
import Synchronization
import TestSupport
import Testing

/// Machines that share through a branch of a git repository: two clones, and a bare repository between them.
@Suite struct GitStoreTests {
    private let git: GitFixture
    private let desk: String
    private let laptop: String

    init() throws {
        git = try GitFixture()
        (desk, laptop) = (try git.clone("desk"), try git.clone("laptop"))
    }

    private var circle: StatementName { git.store.circle }
    private var head: StorePath { .head(circle: circle, device: git.store.device) }

    @Test func whatOneMachineWritesAnotherReads() throws {
        let store = try git.fetched(desk)
        #expect(try store.circles().isEmpty && store.heads(of: circle).isEmpty)
        let bytes: [UInt8] = [0, 13, 10, 255, 10]
        for path in try git.store.paths() {
            #expect(try store.read(path) == nil)
            try store.write(bytes, to: path)
            // Also before it is pushed.
            #expect(try store.read(path) == bytes)
        }
        #expect(try store.circles() == [circle] && store.heads(of: circle) == [git.store.device])
        let before = try Int(git.git("rev-list", "--count", "main", in: git.bare).trimmed) ?? 0
        try store.publish()
        // One commit, which says nothing of the machine.
        #expect(try git.git("rev-list", "--count", "main", in: git.bare).trimmed == "\(before + 1)")
        let said = try git.git("log", "-1", "--format=%an %ae %cn %ce %s %ai", "main", in: git.bare).trimmed
        #expect(said.hasPrefix("Coffer coffer@localhost Coffer coffer@localhost Coffer: sync 2"), "\(said)")
        #expect(said.hasSuffix(" +0000"), "\(said)")
        let other = try git.fetched(laptop)
        #expect(try other.circles() == [circle] && other.heads(of: circle) == [git.store.device])
        #expect(try other.segments(of: circle, device: git.store.device) == [git.store.segment(1)])
        for path in try git.store.paths() { #expect(try other.read(path) == bytes) }
        for path in try git.store.paths() { try other.remove(path) }
        for path in try git.store.paths() { #expect(try other.read(path) == nil) }
        try other.publish()
        let last = try git.fetched(desk)
        for path in try git.store.paths() { #expect(try last.read(path) == nil) }
        #expect(try last.heads(of: circle).isEmpty)
        #expect(try git.git("show", "main:pass/mail.gpg", in: git.bare) == "theirs")
    }

    /// The service and a command can run at the same time, also without a network.
    @Test func neitherOfTwoRunsLosesWhatTheOtherWrites() throws {
        let away = git.scratch.path + "/away.git"
        let (one, two) = (try git.fetched(desk), try git.fetched(desk))
        try FileManager.default.moveItem(atPath: git.bare, toPath: away)
        try one.write([1], to: head)
        try two.write([2], to: git.store.segment(1))
        for store in [one, two] {
            #expect(throws: StoreError.self) { try store.publish() }
            #expect(store.isUnpublished)
        }
        let later = try git.store(desk)
        #expect(later.isUnpublished)
        try FileManager.default.moveItem(atPath: away, toPath: git.bare)
        #expect(try later.refresh() == nil)
        try later.publish()
        #expect(!later.isUnpublished)
        let other = try git.fetched(laptop)
        #expect(try other.read(head) == [1] && other.read(git.store.segment(1)) == [2])
    }

    @Test func aRunWaitsForAnotherAndNotForEver() throws {
        let place = "\(desk)/.git"
        try git.run(desk, [head: [1]])
        let name = try #require(
            FileManager.default.contentsOfDirectory(atPath: place).first {
                $0.hasPrefix("coffer-") && $0.hasSuffix(".lock")
            })
        let store = try git.store(desk) { $0.others = .milliseconds(200) }
        do {
            let held = try FileLock(path: "\(place)/\(name)")
            #expect { try store.refresh() } throws: { ($0 as? StoreError)?.git == .busy(.milliseconds(200)) }
            try store.write([2], to: head)
            #expect { try store.publish() } throws: { ($0 as? StoreError)?.git == .busy(.milliseconds(200)) }
            held.keep()
        }
        #expect(try store.refresh() == nil)
        try store.publish()
        #expect(try git.fetched(laptop).read(head) == [2])
    }

    @Test func knocksTravel() throws {
        let knock = try git.store.knock(1)
        try git.run(desk, [head: [1], knock: [2]])
        let store = try git.fetched(laptop)
        #expect(try store.knocks(of: circle) == [knock])
        #expect(try store.read(knock) == [2])
        #expect(try store.heads(of: circle).count == 1)
    }

    @Test func aRunThatWritesNothingCommitsNothing() throws {
        try git.run(desk, [head: [1]])
        let before = try git.git("rev-parse", "main", in: git.bare)
        try git.run(desk, [:])
        try git.run(laptop, [:])
        #expect(try git.git("rev-parse", "main", in: git.bare) == before)
    }

    @Test func aRepositoryWithoutACommitGetsOne() throws {
        let git = try GitFixture(isEmpty: true)
        let (desk, laptop) = (try git.clone("desk"), try git.clone("laptop"))
        try git.run(desk, [head: [1]])
        try git.run(laptop, [.beacon(circle: circle): [2]])
        #expect(try git.fetched(desk).read(.beacon(circle: circle)) == [2])
        #expect(try git.fetched(laptop).read(head) == [1])
    }

    @Test func aFolderBelowTheTopHasTheFiles() throws {
        // A name that git and its streams write in quotes.
        let name = "mine \"and\" yours\\ä"
        for clone in [desk, laptop] {
            try FileManager.default.createDirectory(atPath: "\(clone)/\(name)", withIntermediateDirectories: true)
        }
        try git.run("\(desk)/\(name)", [head: [1], try git.store.segment(1): [2]])
        let other = try git.fetched("\(laptop)/\(name)")
        #expect(try other.read(head) == [1] && other.read(git.store.segment(1)) == [2])
        #expect(try other.circles() == [circle])
        let names = try git.git("ls-tree", "-r", "-z", "--name-only", "main", in: git.bare).split(separator: "\0")
        #expect(names.count == 4 && names.count { $0.hasPrefix("\(name)/") } == 3)
        // The same branch, and another folder.
        #expect(try git.fetched(laptop).circles().isEmpty)
    }

    /// What is changed, staged, stashed, unknown to git, committed and not pushed stays as it is.
    @Test func whatIsTheUsersStaysAsItIs() throws {
        for (index, name) in ["pass/mail.gpg", "pass/bank.gpg", "pass/web.gpg"].enumerated() {
            try git.put("committed \(index)", name, in: desk)
            try git.git("add", ".", in: desk)
            try git.git("commit", "--quiet", "-m", "not pushed \(index)", in: desk)
        }
        try git.put("stashed", "pass/web.gpg", in: desk)
        try git.git("stash", "--quiet", in: desk)
        try git.put("staged", "pass/mail.gpg", in: desk)
        try git.put("new and staged", "pass/new.gpg", in: desk)
        try git.git("add", ".", in: desk)
        try git.put("changed again", "pass/mail.gpg", in: desk)
        try git.put("changed", "pass/bank.gpg", in: desk)
        try git.put("unknown", "notes", in: desk)
        // Even where Coffer's own files lie.
        try git.put("the user's", head.text, in: desk)
        let before = try git.users(desk)
        try git.run(desk, [head: [1], .beacon(circle: circle): [2]])
        try git.run(laptop, [.beacon(circle: circle): [3]])
        #expect(try git.fetched(desk).read(.beacon(circle: circle)) == [3])
        #expect(try git.users(desk) == before)
        #expect(try git.fetched(laptop).read(head) == [1])
        // Nothing of it was pushed.
        #expect(try git.git("show", "main:pass/mail.gpg", in: git.bare) == "theirs")
        #expect(try git.git("log", "--format=%s", "main", in: git.bare).contains("not pushed") == false)
    }

    /// The branch is the one that was chosen, and not the one that is checked out.
    @Test func anotherBranchThatIsCheckedOutChangesNothing() throws {
        let branch = try git.store(desk).branch
        #expect(branch == GitBranch(remote: "origin", ref: "refs/heads/main") && branch.shown == "origin/main")
        try git.run(laptop, [head: [1]])
        try git.git("switch", "--quiet", "-c", "other", in: desk)
        for step in 0..<2 {
            if step == 1 { try git.git("switch", "--quiet", "--detach", in: desk) }
            let store = try git.store(desk, branch: branch)
            #expect(try store.refresh() == nil)
            #expect(try store.read(head) == [1])
            try store.write([UInt8(step)], to: .beacon(circle: circle))
            try store.publish()
            #expect(try git.fetched(laptop).read(.beacon(circle: circle)) == [UInt8(step)])
        }
        #expect(try git.git("branch", "--list", in: git.bare).trimmed == "* main")
    }

    /// Other machines push between a machine's fetch and its push.
    @Test func aPushThatOthersOvertakeIsRepeated() throws {
        let late = try git.fetched(desk)
        for number: UInt64 in 1...3 {
            try late.write([UInt8(number)], to: git.store.segment(number))
            try git.run(laptop, [.beacon(circle: circle): [UInt8(number)], try git.store.segment(number, run: 9): [7]])
        }
        try late.write([5], to: .beacon(circle: circle))
        try late.publish()
        let all = try git.fetched(laptop)
        #expect(try all.segments(of: circle, device: git.store.device).count == 6)
        #expect(try all.read(.beacon(circle: circle)) == [5])
        // Nothing was rewritten, and nothing was merged.
        let history = try git.git("log", "--format=%p", "main", in: git.bare).split(
            separator: "\n", omittingEmptySubsequences: false)
        #expect(history.allSatisfy { !$0.contains(" ") })
        #expect(try git.git("rev-list", "--count", "main", in: git.bare).trimmed == "5")
    }

    /// The remote is overtaken at each push: its own hook pushes something.
    @Test func aPushIsRepeatedAFewTimes() throws {
        let count = git.scratch.path + "/pushes"
        try Script.write(
            """
            #!/bin/sh
            echo push >>'\(count)'
            unset GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES
            new=$(git commit-tree -p main -m overtaken main^{tree}) && git update-ref refs/heads/main $new
            exit 1
            """, to: git.bare + "/hooks/pre-receive")
        try git.git("config", "user.name", "Hook", in: git.bare)
        try git.git("config", "user.email", "hook@example.org", in: git.bare)
        let store = try git.fetched(desk)
        try store.write([1], to: head)
        let error = #expect(throws: StoreError.self) { try store.publish() }
        #expect(error?.code == .notPushed && error?.git == .overtaken(times: 5))
        #expect(try String(contentsOfFile: count, encoding: .utf8).split(separator: "\n").count == 5)
        try FileManager.default.removeItem(atPath: git.bare + "/hooks/pre-receive")
        try git.run(desk, [:])
        #expect(try git.fetched(laptop).read(head) == [1])
    }

    @Test func threeMachinesAtOnceLoseNothing() throws {
        let machines = try [desk, laptop, git.clone("spare")]
        let failures = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 3) { [git, circle] machine in
            do {
                for number in 0..<4 {
                    let store = try git.store(machines[machine])
                    _ = try store.refresh()
                    try store.write([UInt8(machine)], to: git.store.segment(UInt64(number + 1), run: UInt8(machine)))
                    try store.write([UInt8(number)], to: .beacon(circle: circle))
                    // What others overtake too often is pushed with the next one.
                    do throws(StoreError) { try store.publish() } catch { if error.code != .notPushed { throw error } }
                }
            } catch { failures.withLock { $0.append("\(error)") } }
        }
        #expect(failures.withLock { $0 } == [])
        for machine in machines { try git.run(machine, [:]) }
        #expect(try git.fetched(desk).segments(of: circle, device: git.store.device).count == 12)
    }
}

extension String {
    fileprivate var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}
