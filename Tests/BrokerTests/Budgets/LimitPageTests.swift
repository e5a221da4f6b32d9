import Item
import RootConfiguration
import TestSupport
import Testing
import Varlink

@testable import Broker

/// What one user may hold, as docs/broker-protocol.md and docs/leases.md tell it.
@Suite("The pages tell the broker's limits as they are")
struct LimitPageTests {
    private typealias Words = PageWords
    private static let configuration = Configuration()
    private static let budgets = BudgetLimits.clients(
        connectionsPerUser: configuration.connectionsPerUser, connections: ConnectionLimits.all)
    private static let challenges = ChallengeLimits(openPerUser: configuration.authenticationsPerUser, life: .zero)

    private static func sizes(_ limit: BudgetLimits.Limit) -> String {
        "\(Words.size(limit.user)); \(Words.size(limit.all))"
    }

    private static func numbers(_ limit: BudgetLimits.Limit) -> String { "\(limit.user); \(limit.all)" }

    private static let budgetRows: [String] = [
        "| answers with secrets that a user has not read, together; those of all users | \(sizes(budgets.answers)) |",
        "| unfinished messages of a user, together; of all users | \(sizes(budgets.unfinished)) |",
        "(those of at most 512 bytes); of all users | \(sizes(budgets.secrets)) |",
        "| application passwords of a user in scrypt or waiting for it; of all users | \(numbers(budgets.stretches)) |",
        "| connections of a user; of all users | \(numbers(budgets.connections)) |",
        "| connections of a user beyond these, for one `Lock` each; of all users; the time until that call |"
            + " \(numbers(budgets.locks)); \(Words.seconds(ConnectionLimits.lock)) s |",
        "| monitors of a user; of all users | a quarter of the connections: \(numbers(budgets.monitors)) |",
        "| lists that a user has not taken, together; those of all users | \(Words.size(budgets.lists.user)) of names and"
            + " attributes; \(Words.size(budgets.lists.all)) |",
        "- a quarter of the connections for users with \(budgets.connections.ensured) at most;",
        "- a quarter of the monitors for those with \(budgets.monitors.ensured);",
        "- a quarter of the secret memory for those with \(Words.size(budgets.secrets.ensured));",
        "- a quarter of the scrypt queue for those with \(budgets.stretches.ensured);",
        "- a quarter of the challenges for those with \(BudgetLimits.challenges.ensured);",
        "- \(Words.size(budgets.unfinished.reserve)) of unfinished messages for those with"
            + " \(Words.size(budgets.unfinished.ensured));",
        "- \(Words.size(budgets.lists.reserve)) of lists for those with \(Words.size(budgets.lists.ensured));",
        "- \(Words.size(budgets.answers.reserve)) of answers with secrets for those with"
            + " \(Words.size(budgets.answers.ensured)).",
        "The secure heap has \(Words.size(SecureMemory.heap)):",
    ]

    private static let connectionRows: [String] = [
        "| message | \(Words.size(Varlink.longestMessage)) |",
        "| events that a monitor has not taken | \(Words.count(MonitorLimits.events)); \(Words.size(MonitorLimits.bytes)) of"
            + " names and attributes |",
        "| connections that a user makes | \(ConnectionLimits.burst) at once, then"
            + " \(Int(.seconds(1) / ConnectionLimits.interval)) a second |",
        "| time on a connection without a call; where half of all connections are in use |"
            + " \(Int(ConnectionLimits.idle / .seconds(60))) min; \(Words.seconds(ConnectionLimits.crowdedIdle)) s |",
        "| refusals that a vault's log takes one by one | \(LogLimits.refusals), and one more every"
            + " \(Words.seconds(LogLimits.refusalPause)) s |",
        "| calls of a user that the broker's own log names | \(LogLimits.calls) at once, then one each"
            + " \(Words.seconds(LogLimits.callPause)) s |",
        "| moves of a vault's counter | \(CounterLimits.steps) at once, then one each"
            + " \(Words.seconds(CounterLimits.pace)) s |",
        "| diagnoses of a user at a time; one look at a vault | 1; \(Words.seconds(DiagnosisLimits.vault)) s |",
        "| keys of items that ask nobody, kept while their class key is there: of a vault; of all that a user's secrets may"
            + " take | \(ItemKeyLimits.vault); half |",
    ]

    private static let callRows: [String] = [
        "| value | \(Words.size(ItemLimits.value)) |",
        "| service, account | \(Words.size(ItemLimits.name)) each |",
        "| changes of one `Apply`; application passwords in it | \(ApplyLimits.changes); \(ApplyLimits.passwords) |",
        "| attributes, of an item or to search by | \(ItemLimits.attributes), \(Words.size(ItemLimits.attribute)) each |",
        "| application passwords in one step of a renewal of all keys | \(RenewalLimits.passwords) |",
        "| open authentications of a user, alike ones counted once | \(challenges.openPerUser) |",
        "| open challenges of a user, alike; in all; of all users | \(challenges.alike);"
            + " \(numbers(BudgetLimits.challenges)) |",
        "| open challenges of a process for the same thing | \(challenges.same) |",
        "| uses of the TPM that wait, of a user; of all users | \(SealerLimits.share); \(SealerLimits.queue) |",
        "| reason of a read, an edit, a rename or a restore | \(ItemLimits.reason) bytes |",
        "| items of a `GetAll`; their signatures; their names and reason in the prompt; the answer | \(JointReadLimits.items);"
            + " \(JointReadLimits.signatures); \(Words.count(JointReadLimits.room)) characters; 2 MiB |",
        "| leases of a user; of all users; the longest time of one | \(LeaseLimits.perUser); \(LeaseLimits.all);"
            + " `lease-limit` (\(configuration.leaseLimit) s) |",
    ]

    @Test func theProtocolsPage() throws {
        let page = try SourceTree.text("docs/broker-protocol.md")
        for row in Self.budgetRows + Self.connectionRows + Self.callRows { #expect(page.contains(row), "\(row)") }
        for limit in [Self.budgets.connections, Self.budgets.monitors, Self.budgets.secrets, Self.budgets.stretches] {
            #expect(4 * limit.reserve == limit.all)
        }
        #expect(4 * BudgetLimits.challenges.reserve == BudgetLimits.challenges.all)
        #expect(BudgetLimits.authenticator.connections.user == 512 && BudgetLimits.authenticator.connections.all == 512)
    }

    @Test func theLeasesPage() throws {
        let page = try SourceTree.text("docs/leases.md")
        for row in [
            "| items of a lease; their signatures | \(JointReadLimits.items); \(JointReadLimits.signatures) |",
            "| leases of a user; of all users | \(LeaseLimits.perUser); \(LeaseLimits.all) |",
            "| the command's text | \(LeaseLimits.command) bytes |",
        ] { #expect(page.contains(row), "\(row)") }
    }

    /// The service manager and logind wait for so long.
    @Test func stopsAndSleepComeInTime() throws {
        let unit = try SourceTree.text("packaging/systemd/cofferd.service")
        let line = try #require(unit.split(separator: "\n").first { $0.hasPrefix("TimeoutStopSec=") })
        let patience = Duration.seconds(try #require(Int(line.drop { $0 != "=" }.dropFirst())))
        #expect(ConnectionLimits.stop + ConnectionLimits.close + SealerLimits.stop < patience)
        // `InhibitDelayMaxSec`, unless root sets another one.
        #expect(SealerLimits.sleep < .seconds(5))
        // In the time for running calls, a call to the TPM may still end.
        #expect(ConnectionLimits.stop >= .seconds(5) && SealerLimits.stop >= .seconds(6))
        #expect(SealerLimits.sleep >= .seconds(3) && ConnectionLimits.close >= .seconds(2))
    }

    /// No test waits for these, or fills them. They change on purpose only, and then here, too.
    @Test func whatNoTestWaitsForIsAsItWasChosen() {
        #expect(ConnectionLimits.descriptors == 4096)
        #expect([ConnectionLimits.message, ConnectionLimits.answer] == [.seconds(30), .seconds(30)])
        #expect(TrimLimits.long == 256 << 10 && TrimLimits.delay == 1)
        #expect(MonitorLimits.event == 256 && MonitorLimits.reply == 64 << 10)
        #expect(
            [AccountLimits.fresh, AccountLimits.memory, AccountLimits.unknownMemory, AccountLimits.ownerMemory]
                == [.seconds(30), .seconds(600), .seconds(2), .seconds(30)])
        #expect(
            [AccountLimits.entries, AccountLimits.waiting, AccountLimits.few, AccountLimits.workers]
                == [4096, 256, 8, 4])
        #expect(AccountLimits.questions == 32 && AccountLimits.questionsOfOne == 4)
        #expect([Self.challenges.grantLife, Self.challenges.reportLife] == [.seconds(30), .seconds(15)])
        #expect(ChallengeLimits.secondsAfterPrompt == 30)
        #expect(GuessLimits.free == 3 && GuessLimits.stretches == 2)
        #expect([GuessLimits.longestDelay, GuessLimits.memory] == [.seconds(30), .seconds(600)])
        #expect(IndexLimits.vault == 2 && IndexLimits.share == 8 && SealerLimits.queue == 64)
        #expect(SealerLimits.share == 40 && LogLimits.refusedUsers == 64)
        #expect(
            [SealerLimits.call, SealerLimits.signature, SealerLimits.making] == [
                .seconds(20), .seconds(10), .seconds(60),
            ])
        #expect([CounterLimits.advanceDelay, CounterLimits.retryDelay] == [.seconds(600), .seconds(60)])
        #expect(CounterLimits.attempts == 16)
        #expect(
            [LockLimits.idleUnheard, LockLimits.grace, LockLimits.firstLook, LockLimits.groupWatch]
                == [.seconds(900), .seconds(60), .seconds(1), .seconds(60)])
        #expect([LockLimits.firstPause, LockLimits.longestPause] == [.milliseconds(250), .seconds(60)])
        #expect(SweepLimits.age == 30 * 24 * 3600 * 1000 && SweepLimits.atOnce == 64)
        #expect(
            [SweepLimits.delay, SweepLimits.pause, SweepLimits.interval] == [
                .seconds(60), .seconds(10), .seconds(86_400),
            ])
        #expect(SweepLimits.trust == 60 * 86_400_000 && SweepLimits.proof == .seconds(86_400))
        #expect(ApplyLimits.records == 256 && RenewalLimits.items == 32)
        #expect(RenewalLimits.names == 16_000 && RenewalLimits.atOnce == 64 && RenewalLimits.decision == .seconds(20))
        #expect(JointReadLimits.line == 40 && JointReadLimits.frame == 64)
        #expect(RecoveryLimits.life == .seconds(600) && RecoveryLimits.tries == 5)
        #expect([LogLimits.program, LogLimits.group, LogLimits.unopened] == [4096, 1024, 64])
        #expect([LogLimits.countDelay, LogLimits.delay] == [.seconds(60), .seconds(10)])
        #expect([BootLimits.log, BootLimits.file, BootLimits.files] == [4 << 20, 64 << 20, 64])
        #expect(BootLimits.replacements == 64 && BootLimits.digests == 1...8)
        #expect(DiagnosisLimits.room == 4 << 20 && DiagnosisLimits.clock == 60_000)
        #expect(
            [DiagnosisLimits.pamDepth, DiagnosisLimits.pamStates, DiagnosisLimits.pamFile] == [16, 100_000, 1 << 16])
        #expect(DiagnosisLimits.certificateFile == 1 << 16 && DiagnosisLimits.certificateFiles == 256)
    }
}
