import BrokerProtocol
import Testing
import Varlink

@testable import Coffer
@testable import CofferClient

/// A conversation's steps. Attacker 4: who has a copy of the connection can take no message away unnoticed.
@Suite struct ConversationLifeTests {
    private static func step(_ style: Authentication.Message.Style, _ number: Int64?) -> Authentication.Step {
        Authentication.Step(message: .init(style: style, text: "text"), done: false, step: number)
    }

    private static func hears(_ steps: [Authentication.Step], isHandedOver: Bool) throws(KeychainError) -> [String] {
        var life = ConversationLife(path: "/auth.sock", isHandedOver: isHandedOver)
        var heard: [String] = []
        for step in steps {
            switch try life.heard(step) {
            case .end: heard.append("end")
            case .tell: heard.append("tell")
            case .ask: heard.append("ask")
            }
        }
        return heard
    }

    @Test(arguments: [false, true])
    func toTheEnd(isHandedOver: Bool) throws {
        let steps = [
            Self.step(.info, 1), Self.step(.secret, 2), Self.step(.error, 3), Self.step(.visible, 4),
            Authentication.Step(message: nil, done: true),
        ]
        #expect(try Self.hears(steps, isHandedOver: isHandedOver) == ["tell", "ask", "tell", "ask", "end"])
    }

    /// An authenticator of an earlier version has no numbers. That is enough for those who made the connection.
    @Test func withoutNumbers() throws {
        let steps = [Self.step(.info, nil), Self.step(.secret, nil)]
        #expect(try Self.hears(steps, isHandedOver: false) == ["tell", "ask"])
        #expect(throws: KeychainError.self) { try Self.hears(steps, isHandedOver: true) }
    }

    @Test(arguments: [[2], [1, 1], [1, 3], [0], [1, 2, 2], [-1], [.max]] as [[Int64]])
    func aMessageThatIsNotTheNextOneIsNotShown(numbers: [Int64]) {
        for isHandedOver in [false, true] {
            let error = #expect(throws: KeychainError.self) {
                try Self.hears(numbers.map { Self.step(.secret, $0) }, isHandedOver: isHandedOver)
            }
            #expect(error?.code == .authenticatorUntrusted)
        }
    }

    @Test func neitherAQuestionNorTheEnd() {
        let error = #expect(throws: KeychainError.self) {
            try Self.hears([Authentication.Step(message: nil, done: false, step: 1)], isHandedOver: false)
        }
        #expect(error?.code != .cancelled)
    }

    /// Who gives up has cancelled, unless the authenticator was first.
    @Test func whyNobodyAnswered() {
        let fault = Fault(.authenticationFailed, "three times")
        #expect(ConversationLife.end(after: nil, path: "/a").code == .cancelled)
        #expect(ConversationLife.end(after: .success(.fault(fault)), path: "/a").code != .cancelled)
        let reply = VarlinkAnswer.reply(Self.step(.info, 1), continues: false)
        #expect(ConversationLife.end(after: .success(reply), path: "/a").code != .cancelled)
        #expect(ConversationLife.end(after: .failure(.unreachable("gone")), path: "/a").code != .cancelled)
    }
}
