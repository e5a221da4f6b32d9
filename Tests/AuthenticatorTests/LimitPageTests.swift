import TestSupport
import Testing

@testable import Authenticator

/// How much the authenticator takes from others, and how long something may take, as the pages tell it.
@Suite("The pages tell the authenticator's limits as they are")
struct LimitPageTests {
    @Test func theProtocolsPage() throws {
        let page = try SourceTree.text("docs/broker-protocol.md")
        for row in [
            "| conversations of a user; of all users | \(ConversationLimits.leastOfUser); \(ConversationLimits.total)"
                + " (\(ConversationLimits.kept) of them only for users' first two) |",
            "| conversations that a user begins | \(ServerLimits.burst) at once, then"
                + " \(Int(.seconds(1) / ServerLimits.interval)) a second |",
            "| time until a conversation begins | \(PageWords.seconds(ConversationLimits.begin)) s |",
            "| calls in a conversation that do not belong to it | \(ClientLimits.asides) |",
            "| time for which an answer can be used again | \(ReuseLimits.seconds) s |",
            "An answer that nobody has taken is kept for \(SharingLimits.memory / 1000) seconds",
        ] { #expect(page.contains(row), "\(row)") }
        #expect(ConversationLimits.first == 2)
    }

    @Test func thePagesOfLeasesAndThreats() throws {
        let most = PageWords.count(SignedLeaseLimits.seconds)
        #expect(try SourceTree.text("docs/leases.md").contains("`lease-limit`: 3600 s, \(most) s at most |"))
        let threats = try SourceTree.text("docs/threat-model.md")
        let challenge = ClientLimits.challenge
        for row in [
            "| length of a challenge | \(challenge.lowerBound) to \(challenge.upperBound) bytes |",
            "| their length | \(PageWords.size(AttemptLimits.file)) and \(PageWords.size(FileLimits.state)) |",
            "\(ReuseLimits.seconds) at most |",
        ] { #expect(threats.contains(row), "\(row)") }
    }

    /// The service manager waits for so long, and the broker waits for a decision.
    @Test func nothingIsWaitedForLongerThanOthersWait() throws {
        let unit = try SourceTree.text("packaging/systemd/coffer-authenticator.service")
        let line = try #require(unit.split(separator: "\n").first { $0.hasPrefix("TimeoutStopSec=") })
        #expect(ServerLimits.stop < .seconds(try #require(Int(line.drop { $0 != "=" }.dropFirst()))))
        #expect(BrokerLimits.decision < .seconds(20))
        #expect(ServerLimits.processes > Int(ConversationLimits.total))
        // A file that was written at the last moment of a conversation is still one of this program's.
        for (seconds, lifetime) in [
            (ReuseLimits.seconds, ReuseLimits.lifetime), (SignedLeaseLimits.seconds, SignedLeaseLimits.lifetime),
        ] { #expect(lifetime == Int64(seconds + 600) * 1000) }
    }

    /// No test waits for these, or fills them. They change on purpose only, and then here, too.
    @Test func whatNoTestWaitsForIsAsItWasChosen() {
        #expect(ConversationLimits.interruption == .milliseconds(500))
        #expect([ServerLimits.processes, ServerLimits.waiting, ServerLimits.reports] == [320, 256, 32])
        #expect(
            [ServerLimits.stop, ServerLimits.grace, ServerLimits.idle] == [.seconds(3), .seconds(60), .seconds(60)])
        #expect(ClientLimits.stamp == 32 && ClientLimits.call == 8 << 10)
        #expect([ClientLimits.rest, ClientLimits.answer] == [.seconds(5), .seconds(2)])
        #expect(ClientLimits.interjection == .milliseconds(200))
        #expect([LoginLimits.call, LoginLimits.answer] == [.seconds(2), .seconds(1)])
        #expect(BrokerLimits.answer == 64 << 10 && BrokerLimits.context == 4096 && BrokerLimits.recordAge == 600)
        #expect(
            [BrokerLimits.connect, BrokerLimits.call, BrokerLimits.refusal] == [.seconds(5), .seconds(10), .seconds(1)])
        #expect(
            [BrokerLimits.sealing, BrokerLimits.making, BrokerLimits.filling, BrokerLimits.decision]
                == [.seconds(60), .seconds(120), .seconds(300), .seconds(12)])
        #expect(AttemptLimits.free == 3 && AttemptLimits.failures == 1000)
        #expect([AttemptLimits.memory, AttemptLimits.longestDelay] == [600_000, 30_000])
        #expect(AttemptLimits.programs == 256)
        #expect([JournalLimits.burst, JournalLimits.commonBurst, JournalLimits.users] == [64, 256, 1024])
        #expect([JournalLimits.interval, JournalLimits.commonInterval] == [.seconds(1), .milliseconds(250)])
        #expect([PromptLimits.message, PromptLimits.notice, PromptLimits.claim] == [2048, 20_000, 720])
        #expect(
            [PromptLimits.items, PromptLimits.program, PromptLimits.place, PromptLimits.kind] == [32, 200, 32, 32])
        #expect([PromptLimits.name, PromptLimits.reason] == [1024, 512])
        #expect([PromptLimits.owner, PromptLimits.template] == [64, 120])
        #expect(NotificationLimits.order == 32 << 10 && NotificationLimits.body == 1000)
        #expect([NotificationLimits.call, NotificationLimits.removal] == [.seconds(1), .seconds(1)])
        #expect(SharingLimits.prompts == 128 && ReuseLimits.answers == 16 && SignedLeaseLimits.perUser == 16)
        #expect(BiometryLimits.call == .seconds(5))
        #expect([BiometryLimits.readers, BiometryLimits.files, BiometryLimits.depth] == [16, 256, 6])
        #expect([BiometryLimits.file, BiometryLimits.all] == [1 << 20, 16 << 20])
        #expect(FileLimits.key == 8192)
    }
}
