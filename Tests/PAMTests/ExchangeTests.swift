import Cryptography
import Foundation
import PAM
import TestSupport
import Testing

@Suite("PAM on a thread of its own")
struct ExchangeTests {
    let directory: ServiceDirectory

    init() throws { directory = try ServiceDirectory() }

    private func start(_ service: Service, limit: Duration = patience) throws -> Exchange {
        let exchange = try Exchange(deadline: .now + limit)
        BackgroundTransaction(service: service, user: "coffer-nobody", terminal: nil, requester: "coffer-nobody")
            .start(exchange)
        return exchange
    }

    /// Waits for the next event; nil after 20 seconds.
    private func next(_ exchange: Exchange) -> Exchange.Event? {
        let limit = ContinuousClock.now + patience
        while ContinuousClock.now < limit {
            var entry = pollfd(fd: exchange.descriptor, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&entry, 1, 1000) > 0 else { continue }
            if let event = exchange.next() { return event }
        }
        return nil
    }

    @Test func aQuestionIsAskedAndAnswered() throws {
        let exchange = try start(try directory.passwordService("right"))
        #expect(next(exchange) == .message(Message(style: .secret, text: "Password: ")))
        #expect(exchange.answer(try SecretBytes(copying: Array("right".utf8))))
        #expect(next(exchange) == .finished(.accepted(.hiddenAnswer)))
    }

    @Test func answersOutOfTurnChangeNothing() throws {
        let exchange = try start(try directory.passwordService("right"))
        #expect(!exchange.answer(nil))
        _ = next(exchange)
        #expect(!exchange.answer(nil))
        #expect(exchange.answer(try SecretBytes(copying: Array("right".utf8))))
        #expect(!exchange.answer(try SecretBytes(copying: Array("late".utf8))))
        #expect(next(exchange) == .finished(.accepted(.hiddenAnswer)))
    }

    @Test(arguments: [Interruption.cancelled, .gone])
    func anInterruptionWakesTheModule(reason: Interruption) throws {
        let exchange = try start(try directory.passwordService("right"))
        _ = next(exchange)
        exchange.interrupt(reason)
        guard case .finished(.refused(let error)) = next(exchange) else {
            Issue.record("no outcome")
            return
        }
        #expect(error.code == (reason == .cancelled ? .cancelled : .gone))
    }

    @Test func theTimeLimitEndsTheWait() throws {
        let exchange = try start(try directory.passwordService("right"), limit: .milliseconds(300))
        _ = next(exchange)
        guard case .finished(.refused(let error)) = next(exchange) else {
            Issue.record("no outcome")
            return
        }
        #expect(error.code == .timedOut)
    }

    @Test func aFailureDelayEndsWithTheTimeLimit() throws {
        let service = try directory.service(
            "auth optional pam_faildelay.so delay=600000000\nauth required pam_deny.so\naccount required pam_permit.so")
        let exchange = try start(service, limit: .seconds(1))
        let begin = ContinuousClock.now
        #expect(next(exchange) != nil)
        #expect(begin.duration(to: .now) < .seconds(200))
        #expect(begin.duration(to: .now) > .milliseconds(800))
    }

    @Test func aFailureDelayEndsWithAnInterruption() throws {
        let service = try directory.service(
            "auth optional pam_faildelay.so delay=600000000\nauth required pam_deny.so\naccount required pam_permit.so")
        let exchange = try start(service)
        let begin = ContinuousClock.now
        exchange.interrupt(.cancelled)
        #expect(next(exchange) != nil)
        #expect(begin.duration(to: .now) < .seconds(200))
    }
}
