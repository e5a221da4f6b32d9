import Authorization
import BrokerProtocol
import Foundation
import Platform
import TestSupport
import Testing

@testable import Authenticator

/// The authenticator's own record of a lease: it signs for the items that the person was shown, for the process and its descendants, and for nobody
/// else. Here the broker says of every request that a lease covers it (attacker 9).
@Suite struct LeaseTests {
    private static let (first, second) = ("QUFB", "QkJC")

    /// A lease of two items for a process of a tree. The person has answered.
    private struct Leased {
        let fixture: Fixture
        let tree: ProcessTree
        let leader: ProcessTree.Node
        let answer: ProcessTree.Reply

        init(
            _ options: Fixture.Options = .init(), seconds: Int64 = 600, password: String = Fixture.password,
            beginsNamespace: Bool = false
        ) throws {
            fixture = try Fixture(options)
            tree = try ProcessTree()
            leader = try tree.root.spawn(beginsNamespace: beginsNamespace)
            try leader.adoptOrphans()
            fixture.broker.change { script in
                script.facts.purposes = [.lease]
                script.facts.service = nil
                script.facts.account = nil
                script.facts.reason = "nightly build"
                script.facts.items = ["me", "you"].map { .init(service: "github", account: $0) }
                script.facts.lease = .init(seconds: seconds, command: "make -j4")
                script.facts.authorizations = [LeaseTests.first, LeaseTests.second].map {
                    .init(kind: "presence", point: $0)
                }
                script.facts.alternatives = [[0, 1]]
            }
            answer = try leader.begin("lease", at: "\(fixture.path)/auth.sock", password: password)
            read()
        }

        /// From now on the broker asks for a read of one item.
        func read(_ point: String? = LeaseTests.first, kind: String = "presence") {
            fixture.broker.change { script in
                script.facts.purposes = [.read]
                script.facts.service = "github"
                script.facts.account = "me"
                script.facts.items = nil
                script.facts.lease = nil
                script.facts.leased = true
                script.facts.authorizations = [.init(kind: kind, point: point)]
                script.facts.alternatives = [[0]]
            }
        }

        func begin(_ node: ProcessTree.Node) throws -> ProcessTree.Reply {
            try node.begin(UUID().uuidString, at: "\(fixture.path)/auth.sock", password: Fixture.password)
        }

        func expectUnasked(
            _ node: ProcessTree.Node, _ location: SourceLocation = #_sourceLocation
        ) throws {
            let reply = try begin(node)
            #expect(
                reply.done == true && reply.questions == 0 && reply.messages == [], "\(reply)",
                sourceLocation: location)
            #expect(fixture.broker.completions.last?.means == "lease", sourceLocation: location)
        }

        func expectQuestion(
            _ node: ProcessTree.Node, _ location: SourceLocation = #_sourceLocation
        ) throws {
            let reply = try begin(node)
            #expect(reply.done == true && reply.questions == 1, "\(reply)", sourceLocation: location)
            #expect(fixture.broker.completions.last?.means == nil, sourceLocation: location)
        }
    }

    @Test func onePromptNamesItemsTimeProgramAndReason() throws {
        let lease = try Leased()
        #expect(lease.answer.done == true && lease.answer.questions == 1, "\(lease.answer)")
        let notice = lease.answer.messages?.first ?? ""
        let pid = try lease.leader.identity().pid
        #expect(
            notice.hasPrefix(
                "Read these 2 items for 10 minutes without asking you again:\n  \"github\" / \"me\"\n  \"github\" / \"you\"\nfor /"
            ),
            "\(notice)")
        #expect(notice.contains("python3") && notice.contains("(process \(pid), "), "\(notice)")
        #expect(
            notice.unbroken.hasSuffix(
                ") and every program that it starts\nCommand it gives: \"make -j4\"\nReason it gives: \"nightly build\""
            ),
            "\(notice)")
        #expect(
            lease.fixture.broker.calls == ["Describe", "Prepare", "Complete", "Prepare", "Complete"])
        #expect(lease.fixture.broker.completions.map(\.means) == [nil, nil])
    }

    @Test func theProcessAndItsDescendantsReadAndEachReadIsSigned() throws {
        let lease = try Leased()
        let child = try lease.leader.spawn()
        let grandchild = try child.spawn()
        for node in [lease.leader, child, grandchild] { try lease.expectUnasked(node) }
        lease.read(Self.second)
        try lease.expectUnasked(grandchild)
        #expect(lease.fixture.broker.completions.count == 2 + 4)
        #expect(lease.fixture.log.contains("proof=lease"))
        try child.end()
        try lease.expectUnasked(grandchild)
    }

    @Test func aSiblingAndAParentAreAsked() throws {
        let lease = try Leased()
        try lease.expectQuestion(try lease.tree.root.spawn())
        try lease.expectQuestion(lease.tree.root)
        // Their answer changes nothing for the lease.
        try lease.expectUnasked(lease.leader)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
    func aSecondUserIsAsked() throws {
        let lease = try Leased()
        let other = try #require(try Account.withUID(1))
        let record = try Fixture.newRecord(other, key: lease.fixture.key.publicKey)
        try lease.fixture.registry.write(record)
        lease.fixture.broker.change {
            $0.facts.owner = "user:1"
            $0.facts.vault = record.vault.hex
        }
        try lease.expectQuestion(try lease.leader.spawn(uid: 1))
    }

    @Test func nobodyReadsAfterTheProcessHasEnded() throws {
        let lease = try Leased()
        try lease.tree.root.adoptOrphans()
        let child = try lease.leader.spawn()
        try lease.expectUnasked(child)
        try lease.leader.end()
        try lease.expectQuestion(child)
    }

    @Test(.enabled(if: NumberTaking.isPossible, "only root can choose a process's number, where the kernel lets it"))
    func aProcessThatTookTheNumberOverIsAsked() throws {
        let lease = try Leased()
        let former = try lease.leader.identity()
        try lease.leader.end()
        let thief = try lease.tree.root.spawn(pid: former.pid)
        #expect(try thief.identity().pid == former.pid)
        try lease.expectQuestion(thief)
        try lease.expectQuestion(try thief.spawn())
    }

    @Test func anotherItemOrAnotherVersionIsAskedFor() throws {
        let lease = try Leased()
        for point in ["Q0ND", nil] {
            lease.read(point)
            try lease.expectQuestion(lease.leader)
        }
        lease.read()
        lease.fixture.broker.change { $0.facts.version = 1 }
        try lease.expectQuestion(lease.leader)
    }

    @Test func oneItemMoreIsAskedForTogetherWithTheRest() throws {
        let lease = try Leased()
        for (points, isLeased) in [([Self.first, Self.second], true), ([Self.first, "Q0ND"], false)] {
            lease.fixture.broker.change { script in
                script.facts.service = nil
                script.facts.account = nil
                script.facts.items = points.map { .init(service: "github", account: $0) }
                script.facts.authorizations = points.map { .init(kind: "presence", point: $0) }
                script.facts.alternatives = [[0, 1]]
            }
            if isLeased { try lease.expectUnasked(lease.leader) } else { try lease.expectQuestion(lease.leader) }
        }
    }

    @Test func anotherCommandOfTheTPMIsNotSignedFor() throws {
        let lease = try Leased()
        lease.fixture.broker.change { $0.parameterHash = [UInt8](repeating: 0x33, count: 32) }
        let reply = try lease.begin(lease.leader)
        #expect(reply.done != true && reply.questions == 0, "\(reply)")
        #expect(lease.fixture.broker.completions.count == 2)
    }

    /// The lease ends after the authenticator has found it, right before the signature.
    @Test func nothingIsSignedOnceTheLeaseHasEnded() throws {
        for ending in ["forget", "exit"] {
            let lease = try Leased()
            try lease.tree.root.adoptOrphans()
            let child = try lease.leader.spawn()
            let (leader, root, socket) = (lease.leader, lease.tree.root, "\(lease.fixture.path)/auth.sock")
            lease.fixture.broker.change {
                $0.before["Prepare"] = {
                    // A failure shows as a signature below.
                    if ending == "exit" {
                        try? leader.end()
                    } else {
                        _ = try? root.call("org.coffer.Authentication.Forget", at: socket)
                    }
                }
            }
            let reply = try lease.begin(child)
            #expect(reply.done != true && reply.questions == 0, "\(ending): \(reply)")
            #expect(reply.answer?.contains("the lease has ended") == true, "\(ending): \(reply)")
            #expect(lease.fixture.broker.completions.count == 2, "\(ending)")
        }
    }

    @Test func openingTheVaultAndChangesAreAskedFor() throws {
        let lease = try Leased()
        lease.fixture.broker.change { script in
            script.facts.purposes = [.unlock, .read]
            script.facts.authorizations = [.init(kind: "unlock"), .init(kind: "presence", point: Self.first)]
            script.facts.alternatives = [[0, 1]]
        }
        try lease.expectQuestion(lease.leader)
        lease.read()
        lease.fixture.broker.change { $0.facts.purposes = [.change] }
        try lease.expectQuestion(lease.leader)
        for (purposes, request) in try PersonRequest.samples {
            #expect(LeaseRule.allows(request) == (purposes == [.read]), "\(request)")
        }
    }

    /// Nothing is signed for entering a circle, so a lease would cover all of it.
    @Test func enteringACircleIsAskedFor() throws {
        let lease = try Leased()
        let sample = try CircleSample()
        lease.fixture.broker.change { script in
            script.facts.ask(.joinCircle, sample)
            script.facts.leased = true
        }
        let reply = try lease.begin(lease.leader)
        #expect(reply.done == true && reply.questions == 1, "\(reply)")
    }

    @Test func aLockEndsIt() throws {
        let lease = try Leased()
        lease.fixture.broker.change { $0.facts.lastLock = BootTime.milliseconds }
        try lease.expectQuestion(lease.leader)
        // It does not come back, whatever the broker says of the lock later.
        lease.fixture.broker.change { $0.facts.lastLock = 0 }
        try lease.expectQuestion(lease.leader)
    }

    @Test func forgettingEndsItAndTellsTheBroker() throws {
        let lease = try Leased()
        let reply = try lease.tree.root.call(
            "org.coffer.Authentication.Forget", at: "\(lease.fixture.path)/auth.sock")
        #expect(reply.answer?.contains(#""leases": 1"#) == true, "\(reply)")
        #expect(lease.fixture.broker.calls.last == "EndLeases")
        try lease.expectQuestion(lease.leader)
    }

    @Test func timeEndsIt() throws {
        let lease = try Leased(seconds: 1)
        let end = ContinuousClock.now + .milliseconds(1100)
        #expect(eventually { ContinuousClock.now > end })
        try lease.expectQuestion(lease.leader)
    }

    @Test func withoutTheBrokersWordThePersonIsAsked() throws {
        let lease = try Leased()
        lease.fixture.broker.change { $0.facts.leased = nil }
        try lease.expectQuestion(lease.leader)
    }

    @Test func aWrongPasswordEarnsNone() throws {
        let lease = try Leased(password: "wrong")
        #expect(lease.answer.error?.hasSuffix("Failed") == true)
        #expect(!lease.fixture.broker.calls.contains("Prepare"))
        try lease.expectQuestion(lease.leader)
    }

    @Test func notLongerThanRootAllows() throws {
        for (setting, seconds, works) in [
            ("", 3601, false), ("", 0, false), ("", -1, false), ("lease-limit = 60", 61, false),
            ("lease-limit = 60", 60, true), ("lease-limit = 0", 1, false),
        ] as [(String, Int64, Bool)] {
            let lease = try Leased(.init(settings: setting), seconds: seconds)
            #expect((lease.answer.done == true) == works, "\(setting) \(seconds): \(lease.answer)")
            #expect(works || lease.answer.questions == 0)
        }
    }

    /// Every program of the user can leave it a child.
    @Test(.enabled(if: geteuid() == 0, "needs root to make a namespace"))
    func theFirstProcessOfANamespaceGetsNone() throws {
        let lease = try Leased(beginsNamespace: true)
        #expect(lease.answer.error?.hasSuffix("Failed") == true && lease.answer.questions == 0, "\(lease.answer)")
        #expect(!lease.fixture.broker.calls.contains("Prepare"))
        try lease.expectQuestion(lease.leader)
    }

    /// Root forbids leases while some are there.
    @Test func noLongerOnceRootForbidsThem() throws {
        let lease = try Leased()
        try lease.expectUnasked(lease.leader)
        let path = "\(lease.fixture.path)/coffer.conf"
        let setting = Array("lease-limit = 0\n".utf8)
        try DurableFile.write(try DurableFile.read(path, limit: 1 << 16) + setting, to: path, mode: 0o644)
        try lease.expectQuestion(lease.leader)
    }

    /// What a taken-over broker could describe beside a lease.
    static let lies: [(String, @Sendable (inout BrokerInterface.Describe.Reply) -> Void)] = [
        ("a lease without its time", { $0.lease = nil }),
        ("a lease without items", { $0.items = nil }),
        ("more items read than named", { $0.items?.removeLast() }),
        (
            "one item beside the list",
            {
                $0.service = "github"
                $0.account = "hidden"
            }
        ),
        (
            "opening the vault on the side",
            {
                $0.authorizations.append(.init(kind: "unlock"))
                $0.alternatives = [[0, 1, 2]]
            }
        ),
        ("an unlock beside it", { $0.purposes = [.unlock, .lease] }),
        ("the time of a lease beside a read", { $0.purposes = [.read] }),
        ("two items of one name", { $0.items?[1].account = "me" }),
    ]

    @Test(arguments: lies.indices)
    func aLieEndsTheConversation(index: Int) throws {
        let fixture = try Fixture()
        fixture.broker.change { script in
            script.facts.purposes = [.lease]
            script.facts.service = nil
            script.facts.account = nil
            script.facts.items = ["me", "you"].map { .init(service: "github", account: $0) }
            script.facts.lease = .init(seconds: 60, command: nil)
            script.facts.authorizations = ["QUFB", "QkJC"].map { .init(kind: "presence", point: $0) }
            script.facts.alternatives = [[0, 1]]
            Self.lies[index].1(&script.facts)
        }
        var client = try fixture.client()
        #expect(try client.begin().name == .authenticationChallengeRefused, "\(Self.lies[index].0)")
        #expect(!fixture.broker.calls.contains("Prepare"))
    }

    @Test func anItemWithoutAPointGetsNoLease() throws {
        let fixture = try Fixture()
        fixture.broker.change { script in
            script.facts.purposes = [.lease]
            script.facts.service = nil
            script.facts.account = nil
            script.facts.items = [.init(service: "github", account: "me")]
            script.facts.lease = .init(seconds: 60, command: nil)
            script.facts.authorizations = [.init(kind: "presence")]
            script.facts.alternatives = [[0]]
        }
        var client = try fixture.client()
        #expect(try client.authenticate(Fixture.password).name != nil)
        #expect(!fixture.broker.calls.contains("Complete"))
    }
}

/// The record itself, for the cases that the outside cannot tell apart.
@Suite struct LeaseRecordTests {
    private let vault: VaultID

    init() throws { vault = try VaultID.random() }

    private func record(ends: Int64 = 61_000) -> LeaseRecord {
        LeaseRecord(
            boot: "boot", owner: "user:1000", vault: vault.hex, leader: 7, leaderStart: 70,
            signatures: [.init(kind: "presence", point: "P", parameterHash: "H")], asked: 1000, ends: ends)
    }

    @Test func itLivesInItsTimeAndBootOnly() {
        #expect(record().isAlive(boot: "boot", at: 1000))
        #expect(record().isAlive(boot: "boot", at: 60_999))
        #expect(!record().isAlive(boot: "boot", at: 61_000))
        #expect(!record().isAlive(boot: "boot", at: 999))
        #expect(!record().isAlive(boot: "later", at: 1000))
        #expect(record(ends: 1000 + SignedLeaseLimits.lifetime).isAlive(boot: "boot", at: 1000))
        #expect(!record(ends: 1001 + SignedLeaseLimits.lifetime).isAlive(boot: "boot", at: 1000))
    }

    @Test func itHoldsForItsVaultUntilALock() throws {
        #expect(record().holds(for: .user(1000), vault, lastLock: 999))
        #expect(!record().holds(for: .user(1000), vault, lastLock: 1000))
        #expect(!record().holds(for: .user(1001), vault, lastLock: 0))
        #expect(!record().holds(for: .group(1000), vault, lastLock: 0))
        #expect(!record().holds(for: .user(1000), try VaultID.random(), lastLock: 0))
    }

    @Test func itHasTheSignaturesThatWereShown() {
        #expect(record().signature(.init(index: 3, kind: .presence, point: "P"))?.parameterHash == "H")
        #expect(record().signature(.init(index: 0, kind: .presence, point: "Q")) == nil)
        #expect(record().signature(.init(index: 0, kind: .passcode, point: "P")) == nil)
        #expect(record().signature(.init(index: 0, kind: .presence)) == nil)
    }

    @Test func eachUserHasTheirOwn() throws {
        let folder = try TemporaryFolder()
        let process = try ProcessIdentity.current()
        func book(_ uid: UInt32) throws -> LeaseFile { try LeaseFile(registryDirectory: folder.path, uid: uid) }
        let record = LeaseRecord(
            boot: try BootTime.bootID(), owner: "group:50", vault: vault.hex, leader: process.pid,
            leaderStart: process.startTime, signatures: [], asked: BootTime.milliseconds,
            ends: BootTime.milliseconds + 60_000)
        try book(1000).note(record, of: .group(50), lastLock: 0)
        #expect(try book(1000).leases(of: process, for: .group(50), vault, lastLock: 0) == [record])
        #expect(try book(1001).leases(of: process, for: .group(50), vault, lastLock: 0).isEmpty)
        #expect(try book(1001).forget() == 0)
        #expect(try book(1000).has(record, for: process))
    }

    /// Leases that a lock has ended take no places.
    @Test(arguments: [Owner.user(1000), .group(50)])
    func aLockFreesThePlaces(owner: Owner) throws {
        let folder = try TemporaryFolder()
        let process = try ProcessIdentity.current()
        let book = try LeaseFile(registryDirectory: folder.path, uid: 1000)
        let asked = BootTime.milliseconds
        let record = LeaseRecord(
            boot: try BootTime.bootID(), owner: owner.text, vault: vault.hex, leader: process.pid,
            leaderStart: process.startTime, signatures: [], asked: asked, ends: asked + 600_000)
        for _ in 0..<SignedLeaseLimits.perUser {
            try book.checkRoom(of: owner, lastLock: 0)
            try book.note(record, of: owner, lastLock: 0)
        }
        // Neither without a lock, nor by the lock of another's vault.
        #expect(throws: ConversationError.self) { try book.checkRoom(of: owner, lastLock: asked - 1) }
        #expect(throws: ConversationError.self) { try book.note(record, of: owner, lastLock: asked - 1) }
        #expect(throws: ConversationError.self) { try book.checkRoom(of: .group(51), lastLock: asked) }
        // A lock of the user's own vault ends those from a group's vault, too.
        try book.checkRoom(of: .user(1000), lastLock: asked)
        #expect(try book.forget() == 0)
        for _ in 0..<SignedLeaseLimits.perUser { try book.note(record, of: owner, lastLock: 0) }
        try book.note(record, of: owner, lastLock: asked)
        #expect(try book.forget() == 1)
    }

    @Test func aLengthOfTimeIsSpoken() {
        #expect(SpokenTime.of(seconds: 90) == "1 minute and 30 seconds")
        #expect(SpokenTime.of(seconds: 43_200) == "12 hours")
        #expect([1, 59, 60, 3600].map(SpokenTime.of) == ["1 second", "59 seconds", "1 minute", "1 hour"])
        #expect(SpokenTime.of(seconds: 3661) == "1 hour, 1 minute and 1 second")
    }
}

/// Whether a test can give a process a number of its choice.
enum NumberTaking {
    static var isPossible: Bool {
        unsafe access("/proc/sys/kernel/ns_last_pid", W_OK) == 0 && geteuid() == 0
    }
}
