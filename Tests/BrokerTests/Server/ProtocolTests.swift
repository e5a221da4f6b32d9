import Broker
import BrokerProtocol
import Foundation
import RootConfiguration
import TestSupport
import Testing
import Varlink

/// The wire: Varlink's rules, and bytes that keep none of them (attacker 7).
@Suite(.timeLimit(.minutes(30)))
struct ProtocolTests {
    private let list = #"{"method":"org.coffer.Keychain.List","parameters":{}}"#

    private func text(_ client: WireClient) async throws -> String {
        String(decoding: try await client.message(), as: UTF8.self)
    }

    private func bytes(_ messages: String...) -> [UInt8] { messages.flatMap { Array($0.utf8) + [0] } }

    @Test("introspection tells the interfaces that the files have, word for word")
    func introspection() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        let info = try await client.call(VarlinkService.GetInfo())
        #expect(
            info.interfaces == ["org.varlink.service", "org.coffer.Keychain", "org.coffer.Sync"]
                && info.product == "cofferd")
        func document(_ name: String) throws -> String { try SourceTree.text("Interfaces/\(name).varlink") }
        let keychain = try await client.call(VarlinkService.GetInterfaceDescription(interface: Keychain.interface))
            .description
        #expect(try keychain == document(Keychain.interface))
        let sync = try await client.call(VarlinkService.GetInterfaceDescription(interface: Sync.interface)).description
        #expect(try sync == document(Sync.interface))
        let hidden = try await fault {
            try await client.call(VarlinkService.GetInterfaceDescription(interface: BrokerInterface.interface))
        }
        #expect(hidden.name == .interfaceNotFound)
        let line = try broker.authenticator.connect()
        let own = try await line.call(VarlinkService.GetInterfaceDescription(interface: BrokerInterface.interface))
            .description
        #expect(try own == document(BrokerInterface.interface))
        await broker.stop()
    }

    @Test("what is not there is answered by Varlink's own errors, and the connection goes on")
    func unknown() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        for (message, error) in [
            (#"{"method":"org.coffer.Keychain.Nothing"}"#, "org.varlink.service.MethodNotFound"),
            (#"{"method":"org.coffer.Broker.Describe","parameters":{}}"#, "org.varlink.service.InterfaceNotFound"),
            (#"{"method":"nothing"}"#, "org.varlink.service.MethodNotFound"),
            (
                #"{"method":"org.coffer.Keychain.Show","parameters":{"service":1,"account":"a"}}"#,
                "org.varlink.service.InvalidParameter"
            ),
            (#"{"method":"org.coffer.Keychain.Show","parameters":{"service":"s"}}"#, "org.coffer.Keychain.NotFound"),
            (#"{"method":"org.coffer.Keychain.Show"}"#, "org.varlink.service.InvalidParameter"),
        ] {
            try await client.send(bytes(message))
            #expect(try await text(client).contains(error), "\(message)")
        }
        try await client.send(
            bytes(#"{"method":"org.coffer.Keychain.List","surprise":[1,{"a":null}],"parameters":{"more":"fields"}}"#))
        #expect(try await text(client).contains("items"))
        await broker.stop()
    }

    @Test("pipelined calls are answered in order; oneway ones not at all")
    func pipelined() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        let exists = #"{"method":"org.coffer.Keychain.Exists","parameters":{"service":"s"}}"#
        let oneway = #"{"method":"org.coffer.Keychain.List","parameters":{},"oneway":true}"#
        try await client.send(bytes(list, exists, oneway, exists, list))
        for expected in ["items", "exists", "exists", "items"] { #expect(try await text(client).contains(expected)) }
        await broker.stop()
    }

    @Test("with “more”, one item a reply; half a connection is enough to be answered")
    func several() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        try await broker.makeVault(client)
        for account in ["c", "a", "b"] {
            _ = try await client.call(Keychain.Set(service: "s", account: account, value: someValue))
        }
        try await client.send(Varlink.encode(VarlinkCall(Keychain.List(), more: true)))
        var accounts: [String] = []
        while true {
            let answer = try Varlink.decode(VarlinkAnswer<Keychain.ItemsReply>.self, from: await client.message())
            guard case .reply(let reply, let continues) = answer else { break }
            accounts += reply.items.map(\.account)
            if !continues { break }
        }
        #expect(accounts == ["a", "b", "c"])
        try await client.send(bytes(list))
        await client.halfClose()
        #expect(try await text(client).contains("items"))
        await #expect(throws: WireClient.Closed.self) { _ = try await client.message() }
        await broker.stop()
    }

    @Test(
        "bytes that are no call: an error, the end of that connection, and of no other",
        arguments: [
            "", "x", "[]", "{", #"{"method":1}"#, #"{"method":"org.coffer.Keychain.List","parameters":"#, "\u{FEFF}{}",
            String(repeating: "[", count: 100_000),
            #"{"method":"a","x":"# + String(repeating: "{\"a\":", count: 50_000),
            #"{"method":"org.coffer.Keychain.List","more":1e999999999}"#, #"{"method":"\ud800"}"#,
        ].map { Sample($0) })
    func hostile(message: Sample<String>) async throws {
        let broker = try await throwAwayBroker()
        let (good, bad) = (try broker.client(), try broker.client())
        try await bad.send(bytes(message.value))
        #expect(try await text(bad).contains("InvalidArgument"))
        await #expect(throws: WireClient.Closed.self) { _ = try await bad.message() }
        #expect(try await good.call(Keychain.List()).items.isEmpty)
        await broker.stop()
    }

    @Test("bytes that are no UTF-8 end the connection")
    func notUnicode() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        try await client.send(
            Array(#"{"method":"org.coffer.Keychain.List","x":""#.utf8) + [0xC0, 0x80, 0xFF] + Array("\"}".utf8) + [0])
        #expect(try await text(client).contains("UTF-8"))
        await #expect(throws: WireClient.Closed.self) { _ = try await client.message() }
        await broker.stop()
    }

    @Test("two thousand mangled calls: the broker still answers")
    func fuzz() async throws {
        let broker = try await throwAwayBroker()
        var random = SystemRandomNumberGenerator()
        let seed = Array(
            #"{"method":"org.coffer.Keychain.Set","parameters":{"service":"s","account":"a","value":"QQ==","attributes":{"k":"v"}}}"#
                .utf8)
        var client = try broker.client()
        for _ in 0..<2000 {
            var bytes = seed
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 1...255, using: &random)
            }
            do {
                try await client.send(bytes + [0])
                _ = try await client.message()
            } catch {
                client = try broker.client()
            }
        }
        #expect(try await broker.client().call(Keychain.List()).items.isEmpty)
        await broker.stop()
    }

    @Test("a message may have two megabytes; a value one, exactly")
    func sizes() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        try await broker.makeVault(client)
        let largest = Data(repeating: 0xA5, count: 1 << 20).base64EncodedString()
        _ = try await client.call(Keychain.Set(service: "s", account: "a", value: largest))
        #expect(try await client.call(Keychain.Get(service: "s", account: "a")).value == largest)
        let tooLarge = Data(repeating: 0xA5, count: 1 << 20 + 1).base64EncodedString()
        #expect(
            try await fault { try await client.call(Keychain.Set(service: "s", account: "a", value: tooLarge)) }.name
                == .limitExceeded)
        let flood = try broker.client()
        // The broker closes the connection in the middle, and the sender may notice.
        try? await flood.send([UInt8](repeating: UInt8(ascii: "{"), count: Varlink.longestMessage + 200_000))
        let end = try? await text(flood)
        #expect(end?.contains("LimitExceeded") ?? true)
        #expect(try await client.call(Keychain.List()).items.count == 1)
        await broker.stop()
    }

    @Test("what a message costs is bounded by its values, not by its bytes alone")
    func values() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        func call(_ count: Int) -> [UInt8] {
            let list = String(repeating: "[],", count: count - 4) + "0"
            return Array(#"{"method":"org.varlink.service.GetInfo","x":["#.utf8) + Array(list.utf8)
                + Array("]}".utf8) + [0]
        }
        try await client.send(call(20_000))
        #expect(try await text(client).contains("coffer"))
        try await client.send(call(20_004))
        #expect(try await text(client).contains("more than 20000 values"))
        await #expect(throws: WireClient.Closed.self) { _ = try await client.message() }
        let many = Dictionary(uniqueKeysWithValues: (0..<65).map { ("\($0)", "v") })
        let other = try broker.client()
        #expect(try await fault { try await other.call(Keychain.Search(attributes: many)) }.name == .limitExceeded)
        await broker.stop()
    }

    @Test("who does not finish a message in time is told so and let go")
    func slow() async throws {
        var options = Broker.Options.patient
        options.messageTimeLimit = .milliseconds(200)
        let broker = try await throwAwayBroker(options: options)
        let (slow, idle) = (try broker.client(), try broker.client())
        try await slow.send(Array("{".utf8))
        #expect(try await text(slow).contains("LimitExceeded"))
        await #expect(throws: WireClient.Closed.self) { _ = try await slow.message() }
        // A connection on which nothing was begun does not count as slow.
        #expect(try await idle.call(Keychain.List()).items.isEmpty)
        await broker.stop()
    }

    @Test("a user has so many connections, and a place is free again when one ends")
    func connections() async throws {
        let broker = try await throwAwayBroker { $0.connectionsPerUser = 3 }
        var clients = try (0..<3).map { _ in try broker.client() }
        for client in clients { _ = try await client.call(Keychain.List()) }
        let refused = try broker.client()
        #expect(try await text(refused).contains("connections already"))
        await clients.removeLast().close()
        let deadline = ContinuousClock.now + patience
        while true {
            let again = try broker.client()
            // The broker notices an ended connection a moment later.
            if (try? await again.call(Keychain.List())) != nil { break }
            try #require(ContinuousClock.now < deadline)
        }
        await broker.stop()
    }

    @Test("the private socket is for the authenticator's user only")
    func privateSocket() async throws {
        let broker = try await throwAwayBroker { $0.authenticatorUser = "daemon" }
        let line = try broker.authenticator.connect()
        #expect(try await text(line).contains("PermissionDenied"))
        await #expect(throws: WireClient.Closed.self) { _ = try await line.message() }
        await broker.stop()
    }
}
