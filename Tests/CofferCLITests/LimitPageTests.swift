import BrokerProtocol
import TestSupport
import Testing

@testable import coffer_cli

/// What the command line and its agent take from others, as the pages tell it.
@Suite("The pages tell the command line's limits as they are")
struct LimitPageTests {
    @Test func theAgentsLimits() throws {
        let page = try SourceTree.text("docs/prompts.md")
        #expect(
            page.contains("\(AgentLimits.connections) programs at once, \(PageWords.size(AgentLimits.call)) a call"))
        #expect(Agent.description.contains("lasts for \(PageWords.seconds(AgentLimits.turn)) seconds"))
        #expect(AgentLimits.challenge == 1...256)
        // No test waits for these.
        #expect([AgentLimits.rest, AgentLimits.answer, AgentLimits.idle] == [.seconds(60), .seconds(5), .seconds(60)])
    }

    @Test func thePageOfThreats() throws {
        let page = try SourceTree.text("docs/threat-model.md")
        let size = PageWords.size
        for row in [
            "| length of a call; programs at once | \(size(AgentLimits.call)); \(AgentLimits.connections) |",
            "| \(size(HelperLimits.list)) for the list, \(size(HelperLimits.value)) for a value,"
                + " \(size(HelperLimits.digests)) for digests |",
            "| \(size(ReferenceLimits.variableFile)); \(PageWords.count(ReferenceLimits.variables));"
                + " \(PageWords.count(ReferenceLimits.secrets)) |",
            "| length of a text that was filled in | \(size(ReferenceLimits.filledText)), added up before it is made |",
            "| as much as a secret has; \(size(ReferenceLimits.masked)) of secrets |",
            "| two digits each; strict UTF-8, no zero byte; \(PageWords.count(ReferenceLimits.length)) bytes |",
        ] { #expect(page.contains(row), "\(row)") }
    }

    /// No test fills these. They change on purpose only, and then here, too.
    @Test func whatNoTestFillsIsAsItWasChosen() {
        #expect([InputLimits.value, InputLimits.recoveryCode, InputLimits.identityFile] == [1 << 20, 512, 64 << 10])
        #expect([InputLimits.recoveryTries, InputLimits.passphraseTries] == [3, 3])
        #expect(
            [InputLimits.joinCode, InputLimits.joinCodeTries] == [512, 3] && FileWaitLimits.request == .seconds(600))
        #expect([InputLimits.shortestPassphrase, InputLimits.confirmation] == [12, 8])
        #expect(ClipboardLimits.terminal == 74_994 && EditingLimits.cleaning == .seconds(10))
        #expect([HelperLimits.part, HelperLimits.oneTimePassword] == [128 << 10, 256])
        #expect(
            [ReferenceLimits.prompt, ReferenceLimits.variable, ReferenceLimits.template] == [32, 131_071, 1 << 20])
        #expect(
            [PasswordStoreLimits.depth, PasswordStoreLimits.file, PasswordStoreLimits.text] == [16, 65_536, 2 << 20])
        #expect([BatchLimits.reads, BatchLimits.changes, BatchLimits.bytes] == [32, 128, 3 << 19])
        #expect(NumberLimits.passwordLength == 8...1024 && NumberLimits.passwordWords == 4...64)
        #expect(NumberLimits.pinLength == 4...64 && NumberLimits.clipboardSeconds == 1...3600)
        #expect(NumberLimits.answerSeconds == 300 && NumberLimits.leaseSeconds == 43_200)
        #expect(NumberLimits.expirySeconds == 1000 * 31_557_600)
    }
}
