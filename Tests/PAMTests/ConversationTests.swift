import Foundation
import PAM
import Testing

@Suite("What modules show and ask")
struct ConversationTests {
    let directory: ServiceDirectory

    init() throws { directory = try ServiceDirectory() }

    @Test func informationComesBeforeTheQuestion() throws {
        try Data("Touch the sensor\n".utf8).write(to: URL(fileURLWithPath: "\(directory.path)/text"))
        let service = try directory.passwordService("right")
        let rules = try String(contentsOfFile: "\(directory.path)/coffer", encoding: .utf8)
        _ = try directory.service("auth optional pam_echo.so file=\(directory.path)/text\n" + rules)
        let prompter = ScriptedPrompter("right")
        #expect(outcome(service, prompter) == nil)
        #expect(prompter.seen.map(\.style) == [.info, .secret])
        #expect(prompter.seen.first?.text.contains("Touch the sensor") == true)
    }

    @Test func whatAScriptPrintsIsShown() throws {
        let say = try directory.script("echo one; echo two; exit 1", name: "say")
        let service = try directory.service("auth required pam_exec.so stdout \(say)\naccount required pam_permit.so")
        let prompter = ScriptedPrompter()
        #expect(outcome(service, prompter)?.code == .misconfigured)
        #expect(prompter.seen.contains { $0.style == .info && $0.text.contains("two") })
        #expect(prompter.seen.contains { $0.style == .error })
    }

    @Test func severalQuestionsAreAskedInTurn() throws {
        // pam_ftp asks a second question if the user is anonymous. Here two stacked modules ask one each.
        let first = try directory.script("read -r given; [ \"$given\" = one ]", name: "first")
        let service = try directory.service(
            "auth required pam_exec.so expose_authtok quiet \(first)\nauth required pam_ftp.so users=ada ignore\n"
                + "account required pam_permit.so")
        let prompter = ScriptedPrompter("one", "ada@example.org")
        #expect(outcome(service, user: "ada", prompter) == nil)
        #expect(prompter.seen.count(where: { $0.style == .secret }) == 2)
    }

    @Test(arguments: [Interruption.cancelled, .timedOut, .gone])
    func aBrokenConversationKeepsItsReason(reason: Interruption) throws {
        let error = outcome(try directory.passwordService("right"), ScriptedPrompter(atEnd: reason))
        switch reason {
        case .cancelled: #expect(error?.code == .cancelled)
        case .timedOut: #expect(error?.code == .timedOut)
        default: #expect(error?.code == .gone)
        }
    }

    @Test func whoBrokeOffHasNotAgreed() throws {
        // The question is optional here, so the stack as a whole succeeds. An interruption must win nevertheless.
        let service = try directory.service(
            "auth optional pam_exec.so expose_authtok quiet /bin/true\nauth required pam_permit.so\n"
                + "account required pam_permit.so")
        #expect(outcome(service, ScriptedPrompter(atEnd: .cancelled))?.code == .cancelled)
    }

    @Test func theLongestAnswerArrivesWhole() throws {
        let long = String(repeating: "x", count: Answer.maximumCount)
        #expect(outcome(try directory.passwordService(long), ScriptedPrompter(long)) == nil)
    }

    @Test(arguments: [Array("right\0".utf8), [0], [UInt8](repeating: 120, count: Answer.maximumCount + 1)])
    func anAnswerThatWouldBeCutShortIsRefused(bytes: [UInt8]) throws {
        #expect(outcome(try directory.passwordService("right"), ScriptedPrompter(bytes: bytes)) != nil)
    }

    @Test func anEmptyAnswerIsAnAnswer() throws {
        #expect(outcome(try directory.passwordService("right"), ScriptedPrompter(""))?.code == .wrongPassword)
    }
}
