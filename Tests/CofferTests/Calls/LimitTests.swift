import BrokerProtocol
import Testing

@testable import CofferClient

/// How long calls are waited for, and how much is read. No test waits for these or fills them. They change on purpose
/// only, and then here, too.
@Suite("The limits of the client library are as they were chosen")
struct LimitTests {
    @Test func timesOfCalls() {
        #expect([CallLimits.broker, CallLimits.circle] == [.seconds(30), .seconds(600)])
        #expect([CallLimits.lastAnswer, CallLimits.availability] == [.seconds(1), .seconds(2)])
        #expect([CallLimits.notice, CallLimits.lastWord] == [.milliseconds(1500), .milliseconds(20)])
        #expect([CallLimits.agent, CallLimits.agentState] == [.seconds(10), .seconds(2)])
        #expect([CallLimits.agentWatch, CallLimits.authenticator] == [.seconds(3), .seconds(600)])
        #expect([CallLimits.connect, CallLimits.cancellation] == [.seconds(10), .seconds(2)])
        // A caller that waits for an agent looks at it before the agent itself is given up.
        #expect(CallLimits.agentWatch < CallLimits.agent && CallLimits.agentState < CallLimits.agentWatch)
        let carrying: Set<String> = [Sync.Take.name, Sync.Give.name, Sync.PutBack.name, Sync.Enter.name]
        #expect(CallLimits.carrying == carrying)
    }

    @Test func numbersOfCalls() {
        #expect(
            [CallLimits.connections, CallLimits.trying, CallLimits.asking, CallLimits.askingAlike] == [4, 4, 24, 6])
        #expect([CallLimits.begins, CallLimits.commandBegins, CallLimits.listedAccounts] == [8, 1, 32])
        #expect(ChangeLimits.changes == 128)
    }

    @Test func sizes() {
        #expect([AnswerLimits.answer, AnswerLimits.assuanLine, AnswerLimits.assuanData] == [512, 1000, 4096])
        #expect(ConflictLimits.listed == 10_000)
        #expect(MessageSize.small == 1 << 20)
    }
}
