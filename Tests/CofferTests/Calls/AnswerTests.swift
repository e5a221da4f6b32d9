import BrokerProtocol
import Platform
import Synchronization
import TestSupport
import Testing
import Varlink

@testable import Coffer
@testable import CofferClient

/// What a person was shown.
final class Heard: Sendable {
    private let all = Mutex<[String]>([])

    var texts: [String] { all.withLock { $0 } }

    func add(_ text: String) { all.withLock { $0.append(text) } }
}

/// Answers of a broker that does not keep to the interface, and what the library makes of the others.
@Suite("Answers are taken as they are, or refused")
struct AnswerTests {
    private static let names = [ItemName(service: "s", account: "a"), ItemName(service: "s", account: "b")]

    private static func value(_ account: String) -> Wire.ItemValue {
        Wire.ItemValue(value: "QUI=", item: PlayedBroker.item(account))
    }

    @Test("several items are read in one call, and all of them must come")
    func readAll() async throws {
        let broker = try PlayedBroker([
            "GetAll": [
                .answer(Wire.GetAll.Reply(items: [Self.value("a"), Self.value("b")])),
                .answer(Wire.GetAll.Reply(items: [Self.value("a")])),
            ]
        ])
        let found = try await broker.backend.read(Self.names, ReadRequest(prompts: .never), in: .own)
        #expect(found.map(\.attributes.account) == ["a", "b"] && found.allSatisfy { $0.value == [65, 66] })
        await refused(.protocolViolation) { () throws(KeychainError) in
            _ = try await broker.backend.read(Self.names, ReadRequest(prompts: .never), in: .own)
        }
        // Nothing is read without a call.
        #expect(try await broker.backend.read([ItemName](), ReadRequest(prompts: .never), in: .own).isEmpty)
        #expect(broker.server.calls("GetAll").count == 2 && broker.server.calls("Get").isEmpty)
    }

    @Test("an application password and a former value are for one item")
    func oneItem() async throws {
        let broker = try PlayedBroker([
            "Get": [.answer(Wire.Get.Reply(value: "QUI=", item: PlayedBroker.item()))]
        ])
        for request in [ReadRequest(applicationPassword: [1]), ReadRequest(version: 1)] {
            await refused(.invalidArgument) { () throws(KeychainError) in
                _ = try await broker.backend.read(Self.names, request, in: .own)
            }
            #expect(try await broker.backend.read([Self.names[0]], request, in: .own).count == 1)
        }
        #expect(broker.server.calls("GetAll").isEmpty && broker.server.calls("Get").count == 2)
    }

    @Test("what is no base64 is no value")
    func noValue() async throws {
        let broker = try PlayedBroker(["Get": [.answer(Wire.Get.Reply(value: "?", item: PlayedBroker.item()))]])
        await refused(.protocolViolation) { () throws(KeychainError) in
            _ = try await broker.keychain().bytes(for: "me")
        }
    }

    @Test("each change has its own result")
    func apply() async throws {
        let results = [
            Wire.ChangeResult(item: "1", version: 3, revision: "r3", replaced: 5),
            Wire.ChangeResult(item: "2", version: 1, revision: "r1"), Wire.ChangeResult(item: "3", deleted: 1),
            Wire.ChangeResult(),
        ]
        let broker = try PlayedBroker([
            "Apply": [
                .answer(Wire.Apply.Reply(results: results)),
                .answer(Wire.Apply.Reply(results: Array(results.dropLast()))),
            ]
        ])
        let names = ["a", "b", "c", "d"].map { ItemName(service: "s", account: $0) }
        let changes = [
            ItemChange(names[0], .set(NewItem(value: [1]))), ItemChange(names[1], .set(NewItem(value: [2]))),
            ItemChange(names[2], .delete), ItemChange(names[3], .delete),
        ]
        let outcomes = try await broker.backend.apply(changes, protection: .later, prompts: .never, in: .own)
        #expect(
            outcomes == [
                ChangeOutcome(version: 3, revision: "r3", existedBefore: true),
                ChangeOutcome(version: 1, revision: "r1", existedBefore: false),
                ChangeOutcome(existedBefore: true), ChangeOutcome(existedBefore: false),
            ])
        await refused(.protocolViolation) { () throws(KeychainError) in
            _ = try await broker.backend.apply(changes, protection: .soon, prompts: .never, in: .own)
        }
        let calls = try broker.server.calls("Apply").map { try $0.parameters(Wire.Apply.self)?.rollback }
        #expect(calls == [.later, nil])
        #expect(try await broker.backend.apply([], prompts: .never, in: .own).isEmpty)
        #expect(broker.server.calls("Apply").count == 2)
    }

    @Test("the items of a service that were deleted are counted by the broker")
    func deleteItems() async throws {
        let broker = try PlayedBroker([
            "Apply": [
                .answer(Wire.Apply.Reply(results: [Wire.ChangeResult(deleted: 7)])),
                .answer(Wire.Apply.Reply(results: [])),
            ]
        ])
        #expect(try await broker.backend.deleteItems(of: "s", itemClass: nil, in: .own) == 7)
        await refused(.protocolViolation) { () throws(KeychainError) in
            _ = try await broker.backend.deleteItems(of: "s", itemClass: nil, in: .own)
        }
    }

    /// A broker of an earlier version lists the whole service.
    @Test("only items of the query are listed")
    func list() async throws {
        let items = [
            PlayedBroker.item("a"), PlayedBroker.item("b"), PlayedBroker.item("a", service: "t"),
            PlayedBroker.item("e\u{301}"),
        ]
        let reply = FakeServer.Step.answer(Wire.ItemsReply(items: items))
        let broker = try PlayedBroker(["List": [reply], "Search": [reply]])
        func accounts(_ query: ItemQuery) async throws -> [String] {
            try await broker.backend.items(matching: query, in: .own).map(\.account)
        }
        #expect(try await accounts(ItemQuery(service: "s", accounts: ["a"])) == ["a"])
        #expect(try await accounts(ItemQuery(service: "t")) == ["a"])
        #expect(try await accounts(ItemQuery()).count == 4)
        // Equal in Unicode, and another name.
        #expect(try await accounts(ItemQuery(service: "s", accounts: ["\u{E9}"])).isEmpty)
        #expect(broker.server.calls("List").count == 4 && broker.server.calls("Search").isEmpty)
        #expect(try await accounts(ItemQuery(service: "s", text: "x")) == ["a", "b", "e\u{301}"])
        #expect(try await accounts(ItemQuery(service: "t", attributes: ["x": "y"])) == ["a"])
        #expect(broker.server.calls("List").count == 4 && broker.server.calls("Search").count == 2)
    }

    @Test("a query names 32 accounts of one service")
    func accounts() throws {
        let many = (0..<33).map { "\($0)" }
        try ItemQuery(service: "s", accounts: Array(many.dropLast())).checkAccounts()
        try ItemQuery().checkAccounts()
        for (query, code) in [
            (ItemQuery(service: "s", accounts: many), KeychainError.Code.limitExceeded),
            (ItemQuery(accounts: ["a"]), .invalidArgument),
        ] {
            let error = #expect(throws: KeychainError.self) { try query.checkAccounts() }
            #expect(error?.code == code)
        }
    }

    @Test("everything that the broker says of an item arrives")
    func attributes() throws {
        var wire = PlayedBroker.item()
        wire.biometrySet = "fingers"
        wire.deleted = 5000
        wire.expires = 9000
        wire.fields = [
            Wire.Field(name: "secret", kind: .secret, set: 1000),
            Wire.Field(name: "token", kind: .secret, set: 3000, biometrySet: "thumb"),
        ]
        let item = try ItemAttributes(wire)
        #expect(item.biometrySet == "fingers" && item.deleted == Moment(milliseconds: 5000))
        #expect(item.times.created == Moment(milliseconds: 1000) && item.times.modified == Moment(milliseconds: 2000))
        #expect(item.times.expires == Moment(milliseconds: 9000))
        #expect(item.fields.map(\.name.text) == ["secret", "token"])
        #expect(item.fields.last?.biometrySet == "thumb" && item.fields.last?.setAt == Moment(milliseconds: 3000))
        wire.fields = [Wire.Field(name: "", kind: .secret, set: 1)]
        let error = #expect(throws: KeychainError.self) { try ItemAttributes(wire) }
        #expect(error?.code == .protocolViolation)
    }

    @Test("a value and its text are overwritten when nobody uses them")
    func overwritten() throws {
        // Long enough to have memory of their own.
        let value = [UInt8]("a value that is long enough".utf8)
        var copies: [Item] = []
        do {
            let read = ReadItems([Item(value: value, attributes: try ItemAttributes(PlayedBroker.item()))])
            copies = read.copies
        }
        #expect(value == [UInt8](repeating: 0, count: 27))
        #expect(copies.map(\.value) == [[UInt8]("a value that is long enough".utf8)])
        let text = Base64.encode([UInt8]("another value of that length".utf8))
        #expect(try Base64.take(text) == [UInt8]("another value of that length".utf8))
        #expect(text.utf8.allSatisfy { $0 == 0 })
    }

    @Test("fingers can be asked for, or the reason is told")
    func biometrics() async throws {
        let replies: [(Authentication.Biometry.Reply, Biometrics)] = [
            (.init(usable: true, type: "fingerprint"), Biometrics(kind: .fingerprint, unavailableReason: nil)),
            (.init(usable: true, type: "iris"), Biometrics(kind: .none, unavailableReason: nil)),
            (
                .init(usable: false, type: "fingerprint", reason: "none", obstacle: "no-reader"),
                Biometrics(kind: .none, unavailableReason: "none", obstacle: .noReader)
            ),
            (
                .init(usable: false, type: "fingerprint", obstacle: "not-enrolled"),
                Biometrics(
                    kind: .fingerprint, unavailableReason: "fingers cannot be asked for here", obstacle: .notEnrolled)
            ),
            (
                .init(usable: false, type: "fingerprint", reason: "lid", obstacle: "unavailable"),
                Biometrics(kind: .fingerprint, unavailableReason: "lid", obstacle: .unavailable)
            ),
            (
                .init(usable: false, type: "fingerprint", reason: "bus", obstacle: "something new"),
                Biometrics(kind: .none, unavailableReason: "bus", obstacle: .noReader)
            ),
        ]
        for (reply, fingers) in replies {
            let broker = try PlayedBroker([:], authenticator: ["Biometry": [.answer(reply)]])
            #expect(try await broker.backend.biometrics() == fingers)
        }
        #expect(Biometrics(kind: .none, unavailableReason: "r").obstacle == .noReader)
        #expect(Biometrics(kind: .fingerprint, unavailableReason: "r").obstacle == .unavailable)
    }
}
