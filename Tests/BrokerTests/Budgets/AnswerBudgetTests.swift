import BrokerProtocol
import Foundation
import Platform
import TestSupport
import Testing
import Varlink

@testable import Broker

/// Attackers 3 and 7: a client asks for large secrets on many connections, and reads none of the answers.
@Suite(.timeLimit(.minutes(30)))
struct AnswerBudgetTests {
    /// A connection whose answer is under way and not read.
    private final class Unread: Sendable {
        private let socket: UnixSocket

        init(_ path: String, _ call: [UInt8]) throws {
            socket = try UnixSocket(connectingTo: path, until: .now + patience)
            try socket.send(call, until: .now + patience)
        }

        /// Waits for the first bytes. Then the broker has counted the answer. The kernel takes a small part of it.
        ///
        /// The broker runs in this process, so no thread that it may need waits.
        func isUnderWay() async throws -> Bool {
            let number = socket.number
            return try await withCheckedThrowingContinuation { continuation in
                Thread.detachNewThread {
                    continuation.resume(
                        with: Result { try Readiness.wait(for: [(number, .input)], until: .now + patience)[0] })
                }
            }
        }

        func hangUp() { socket.shutDown() }
    }

    @Test("a user has so many answers with secrets under way and no more, and gets their place back")
    func unread() async throws {
        var options = Broker.Options.patient
        options.answerTimeLimit = patience
        let broker = try await throwAwayBroker(options: options)
        let client = try broker.client()
        try await broker.makeVault(client)
        let value = Data(repeating: 7, count: 760_000).base64EncodedString()
        for account in ["a", "b"] {
            _ = try await client.call(Keychain.Set(service: "s", account: account, value: value))
        }
        _ = try await client.call(Keychain.Set(service: "s", account: "small", value: someValue))
        let both = Keychain.GetAll(items: ["a", "b"].map { .init(service: "s", account: $0) })
        let size = 2 * value.utf8.count
        let limit = UserBudgets.usual.limits.answers
        let count = limit.user / size
        var unread: [Unread] = []
        for _ in 0..<count {
            let one = try Unread(broker.configuration.socket, Varlink.encode(VarlinkCall(both)))
            #expect(try await one.isUnderWay())
            unread.append(one)
        }
        let refusal = try await fault { try await client.call(both) }
        #expect(refusal.name == .limitExceeded && refusal.details.advice != nil)
        // What is small still fits, and so does everything once the others are gone.
        #expect(try await client.call(Keychain.Get(service: "s", account: "small")).value == someValue)
        for one in unread { one.hangUp() }
        let end = ContinuousClock.now + patience
        while true {
            do {
                #expect(try await client.call(both).items.map(\.value) == [value, value])
                break
            } catch let fault as Fault where fault.name == .limitExceeded && ContinuousClock.now < end {}
        }
        await broker.stop()
    }

    @Test("all budgets together leave the broker below its unit's limit of memory")
    func together() throws {
        let unit = try SourceTree.text("packaging/systemd/cofferd.service")
        #expect(unit.contains("\nMemoryMax=1G\n"))
        let limits = UserBudgets.usual.limits
        let stretches = GuessLimits.stretches * (128 << 20)
        let sum =
            limits.unfinished.all + limits.lists.all + limits.answers.all + SecureMemory.heap + stretches
        // The process itself takes up to an eighth of a gibibyte.
        #expect(sum <= (1 << 30) - (128 << 20))
        // Every user may have a longest answer under way, even if others read nothing.
        #expect(limits.answers.ensured >= Varlink.longestMessage)
    }
}
