import BrokerProtocol
import Cryptography
import Foundation
import TestSupport
import Testing
import Varlink

@testable import Broker

@Suite(.timeLimit(.minutes(30)))
struct BudgetExitTests {
    @Test("a full secure heap is an error that passes, and never damage")
    func fullHeap() async throws {
        await #expect(processExitsWith: .success) {
            try SecureHeap.activate(bytes: 64 << 10)
            let broker = try await throwAwayBroker()
            let client = try broker.client()
            try await broker.makeVault(client)
            _ = try await client.call(Keychain.Set(service: "s", account: "a", value: someValue))
            var held: [SecretBytes] = []
            // The test is about having no room for another.
            while let one = try? SecretBytes(copying: [UInt8](repeating: 1, count: 32)) { held.append(one) }
            var refused = 0
            // With each step OpenSSL gets a little further before it has no room.
            while !held.isEmpty {
                do {
                    _ = try await client.call(Keychain.Set(service: "s", account: "b", value: someValue))
                    try #require(try await client.call(Keychain.Get(service: "s", account: "a")).value == someValue)
                    break
                } catch let fault as Fault {
                    refused += 1
                    try #require(fault.name == .failed && fault.details.advice?.contains("again") ?? false, "\(fault)")
                }
                held.removeLast()
            }
            held = []
            try #require(refused > 3)
            try #require(try await client.call(Keychain.Get(service: "s", account: "a")).value == someValue)
            await broker.stop()
        }
    }
}
