import BrokerProtocol
import TestSupport
import Testing
import Varlink

/// A client that monitors a vault.
struct MonitorClient {
    let line: WireClient

    /// Subscribes.
    init(
        _ line: WireClient, _ method: Keychain.Monitor = Keychain.Monitor(), _ vault: Keychain.VaultChoice = .init()
    ) async throws {
        self.line = line
        try await line.send(Varlink.encode(VarlinkCall(Keychain.InVault(method, vault), more: true)))
        #expect(try await next().isEmpty)
    }

    init(_ broker: ThrowAwayBroker, _ method: Keychain.Monitor = Keychain.Monitor()) async throws {
        try await self.init(broker.client(), method)
    }

    /// The events of the next reply.
    /// - Throws: the ``Fault`` that ends the call.
    func next() async throws -> [Keychain.Event] {
        let message = try await line.message()
        #expect(!String(decoding: message, as: UTF8.self).contains(someValue))
        switch try Varlink.decode(VarlinkAnswer<Keychain.Monitor.Reply>.self, from: message) {
        case .reply(let reply, let continues):
            #expect(continues)
            return reply.events
        case .fault(let fault): throw fault
        }
    }

    /// So many events, however they are spread over replies.
    func next(_ count: Int) async throws -> [Keychain.Event] {
        var events: [Keychain.Event] = []
        while events.count < count { events += try await next() }
        return events
    }

    /// All events up to the first of a kind.
    func next(until kind: Keychain.Event.Kind) async throws -> [Keychain.Event] {
        var events: [Keychain.Event] = []
        while events.last?.event != kind { events += try await next() }
        return events
    }
}
