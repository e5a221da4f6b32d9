import BrokerProtocol
import Platform
import Testing
import Varlink

@testable import Authenticator
@testable import PAM

/// What a conversation takes first, if several things are there at the same time. A client that calls on and on keeps nothing else from being seen.
struct WaitingOrderTests {
    /// A conversation whose client has sent Begin and one call more, both at once.
    private struct Scene: ~Copyable {
        /// Kept open.
        private let client: UnixSocket
        var session: ClientSession

        /// - Parameter limit: how long the person has after Begin.
        init(limit: Duration = .seconds(600), then call: some VarlinkMethod) throws {
            var end: Descriptor?
            let client = try UnixSocket(pairedWith: &end)
            let begin = BrokerProtocol.Authentication.Begin(challenge: "c")
            try client.send(Varlink.encode(VarlinkCall(begin)) + Varlink.encode(VarlinkCall(call)))
            guard let server = end.take() else { throw SystemError("make a pair of sockets", reason: "there is one") }
            var session = ClientSession(
                channel: ClientChannel(adopting: server), signals: try SignalDescriptor([]), patience: .seconds(600))
            _ = try session.begin(limit: limit) {
                BrokerProtocol.Authentication.Biometry.Reply(usable: false, type: "fingerprint")
            } proof: { (_) throws(ConversationError) in
                throw ConversationError.cancelled
            }
            self.client = client
            self.session = session
        }
    }

    @Test func pamsVerdictComesBeforeACall() throws {
        var scene = try Scene(then: BrokerProtocol.Authentication.Cancel())
        let exchange = try Exchange(deadline: .now + .seconds(600))
        exchange.finish(.accepted(.hiddenAnswer))
        let event = try scene.session.next(of: exchange)
        #expect(event == .finished(.accepted(.hiddenAnswer)))
    }

    @Test func theEndOfTheTimeComesBeforeACall() throws {
        var scene = try Scene(limit: .zero, then: BrokerProtocol.Authentication.Cancel())
        do throws(ConversationError) {
            _ = try scene.session.next(of: nil)
            Issue.record("it went on")
        } catch { #expect(error == .timedOut) }
    }

    @Test func theBrokersEndComesBeforeACall() throws {
        var scene = try Scene(then: BrokerProtocol.Authentication.Cancel())
        var end: Descriptor?
        let broker = try UnixSocket(pairedWith: &end)
        _ = end.take()
        scene.session.watch(broker: broker.number)
        do throws(ConversationError) {
            _ = try scene.session.next(of: nil)
            Issue.record("it went on")
        } catch { #expect(error.fault?.name == .brokerUnavailable) }
        let hasClosed = broker.peerHasClosed()
        #expect(hasClosed)
    }

    @Test func aCallIsTakenIfNothingElseIsThere() throws {
        var scene = try Scene(then: BrokerProtocol.Authentication.Cancel())
        do throws(ConversationError) {
            _ = try scene.session.next(of: nil)
            Issue.record("it went on")
        } catch { #expect(error == .cancelled) }
    }
}
