import BrokerProtocol
import TestSupport
import Testing
import Varlink

@testable import Coffer
@testable import CofferClient

/// Events as the broker sends them, several in a reply or none.
@Suite("Events come in their order, and each says what it is")
struct EventAnswerTests {
    private static func reply(_ events: [Wire.Event], continues: Bool? = true) -> [UInt8] {
        FakeServer.encode(VarlinkReply(Wire.Monitor.Reply(events: events), continues: continues))
    }

    private static func event(_ kind: Wire.Event.Kind, _ account: String? = nil) -> Wire.Event {
        Wire.Event(event: kind, item: account.map { PlayedBroker.item($0) }, time: 1)
    }

    @Test("an event without its item, or of another kind, means that something was missed")
    func order() async throws {
        let broker = try PlayedBroker([
            "Monitor": [
                .replies([
                    Self.reply([Self.event(.added, "a")]), Self.reply([]),
                    Self.reply([Self.event(.updated, "b"), Self.event(.deleted, "c"), Self.event(.locked)]),
                    Self.reply(
                        [
                            Self.event(.unlocked), Self.event(.sharing), Self.event(.missed), Self.event(.added),
                        ], continues: nil),
                ])
            ]
        ])
        var heard: [KeychainEvent] = []
        for try await event in try await broker.backend.events(of: "s", itemClass: .key, in: .own) {
            heard.append(event)
        }
        let items = try ["a", "b", "c"].map { try ItemAttributes(PlayedBroker.item($0)) }
        #expect(
            heard == [
                .added(items[0]), .updated(items[1]), .deleted(items[2]), .locked, .unlocked, .sharing, .missed,
                .missed,
            ])
        let call = try #require(try broker.server.calls("Monitor").first?.parameters(Wire.Monitor.self))
        #expect(call.service == "s" && call.kind == .key)
    }

    @Test("a broker that refuses, or ends the call, is told at once")
    func refusal() async throws {
        for (step, code) in [
            (FakeServer.Step.fault(.notPermitted, "m"), KeychainError.Code.notPermitted), (.close, .brokerUnreachable),
        ] {
            let broker = try PlayedBroker(["Monitor": [step]])
            await refused(code) { () throws(KeychainError) in
                _ = try await broker.backend.events(of: nil, in: .own)
            }
        }
    }

    @Test("a broker that goes away is an error of the stream")
    func end() async throws {
        let broker = try PlayedBroker(["Monitor": [.replyThenLate(Self.reply([Self.event(.locked)]), late: nil)]])
        var heard: [KeychainEvent] = []
        var code: KeychainError.Code?
        do {
            for try await event in try await broker.backend.events(of: nil, in: .own) { heard.append(event) }
        } catch { code = (error as? KeychainError)?.code }
        #expect(heard == [.locked] && code == .brokerUnreachable)
    }
}
