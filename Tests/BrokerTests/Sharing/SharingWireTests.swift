import Authorization
import BrokerProtocol
import Circle
import Item
import Platform
import TestSupport
import Testing
import Varlink

@testable import Broker

/// The words and bytes of calls about a circle, and both sides of what may be in them.
@Suite(.timeLimit(.minutes(30)))
struct SharingWireTests {
    private func refusal<Value>(_ body: () throws(Fault) -> Value) -> Fault.Name? {
        do throws(Fault) {
            _ = try body()
            return nil
        } catch { return error.name }
    }

    private func device(_ number: UInt8) -> String { Hex.encode([UInt8](repeating: number, count: 16)) }

    @Test("a call names 1 to 16 machines, each once, in the order of their ids")
    func devices() throws {
        let most = (1...SharingCallLimits.removals).map { device(UInt8($0)) }
        #expect(try SharingWire.devices(most.reversed()).map { Hex.encode($0.bytes) } == most)
        #expect(try SharingWire.devices([device(2), device(1), device(2)]).count == 2)
        let wrongs: [[String]] = [[], most + [device(99)], [device(1), "no id"], [String(device(1).dropLast(2))]]
        for wrong in wrongs {
            #expect(refusal { () throws(Fault) in try SharingWire.devices(wrong) } == .invalidArgument)
        }
    }

    @Test("an item is named by a kind that there is and by names that an item can have")
    func items() throws {
        let longest = String(repeating: "n", count: ItemLimits.name)
        let plain = try SharingWire.item(Sync.Released(service: longest, account: longest))
        #expect(plain == ItemName(service: longest, account: longest, itemClass: .genericPassword))
        let key = try SharingWire.item(Sync.Released(service: "s", account: "a", kind: ItemKind.key.rawValue))
        #expect(key.itemClass == .key)
        for wrong in [
            Sync.Released(service: longest + "n", account: "a"), .init(service: "s", account: longest + "n"),
            .init(service: "s", account: "a", kind: "no kind"),
        ] { #expect(refusal { () throws(Fault) in try SharingWire.item(wrong) } == .invalidArgument) }
        #expect(refusal { () throws(Fault) in try SharingWire.item("no id") } == .invalidArgument)
    }

    @Test("files are base64, and so many in one call")
    func files() throws {
        let most = [String](repeating: "AQ==", count: SharingCallLimits.files)
        #expect(try SharingWire.bytes(most).count == SharingCallLimits.files)
        #expect(try SharingWire.bytes(["AQ==", ""]) == [[1], []])
        #expect(refusal { () throws(Fault) in try SharingWire.bytes(most + ["AQ=="]) } == .limitExceeded)
        #expect(refusal { () throws(Fault) in try SharingWire.bytes(["AQ==", "!"]) } == .invalidArgument)
    }

    @Test("each part that can be in conflict has its word, and those with a name have one")
    func parts() throws {
        let parts: [(String, String?, SharedPart)] = [
            ("name", nil, .name), ("label", nil, .label), ("comment", nil, .comment), ("expiry", nil, .expiry),
            ("attribute", "k", .attribute(Array("k".utf8))), ("field", "pin", .field("pin")),
        ]
        for (word, name, part) in parts {
            #expect(try SharingWire.part(word, name) == part)
            #expect(part.words.part == word && part.words.name == name)
        }
        let wrong: [(String, String?)] = [
            ("name", "n"), ("label", "n"), ("attribute", nil), ("attribute", ""), ("field", nil), ("field", ""),
            ("access", nil), ("bin", nil), ("", nil),
        ]
        for (word, name) in wrong {
            #expect(refusal { () throws(Fault) in try SharingWire.part(word, name) } == .invalidArgument, "\(word)")
        }
    }

    @Test("a machine is added as a reader, a writer or an admin, by a code of a certain length")
    func words() throws {
        for role in [MemberRole.reader, .writer, .admin] { #expect(try SharingWire.role(role.text) == role) }
        for wrong in ["paper", "", "Admin"] {
            #expect(refusal { () throws(Fault) in try SharingWire.role(wrong) } == .invalidArgument)
        }
        func message(_ code: String) -> String? {
            do throws(Fault) {
                _ = try SharingWire.code(code)
                return nil
            } catch { return error.details.message }
        }
        // Longer ones are not read at all.
        let longest = String(repeating: "X", count: SharingCallLimits.code)
        #expect(message(longest) == "the code of a machine begins with JOIN")
        #expect(message(longest + "X") == "that is not the code of a machine")
        #expect(message("JOIN-0")?.contains("characters behind JOIN") == true)
        let revision = String(repeating: "ab", count: 32)
        #expect(try Hex.encode(SharingWire.revision(revision).bytes) == revision)
        for wrong in ["", "ab", revision + "ab"] {
            #expect(refusal { () throws(Fault) in try SharingWire.revision(wrong) } == .invalidArgument)
        }
    }

    @Test("the log says what others changed, and nothing of an exchange that brought nothing")
    func taken() async throws {
        let (desk, laptop) = (try await CirclePeer("desk"), try await CirclePeer("laptop"))
        try await desk.found()
        try await desk.add(laptop)
        var folder = SharedFolder()
        for peer in [desk, laptop, desk, laptop] { try await peer.sync(&folder) }
        let before = try await desk.shares().count
        for peer in [desk, laptop, desk] { try await peer.sync(&folder) }
        #expect(try await desk.shares().count == before)
        for account in ["a", "b"] { try await laptop.set(account) }
        for peer in [laptop, desk, laptop] { try await peer.sync(&folder) }
        _ = try await laptop.client.call(Keychain.Delete(service: "s", account: "a"))
        for peer in [laptop, desk] { try await peer.sync(&folder) }
        #expect(
            try await desk.shares().dropFirst(before).map(\.detail) == [
                "2 new, 0 changed, 0 deleted by other machines", "0 new, 0 changed, 1 deleted by other machines",
            ])
        for peer in [desk, laptop] { await peer.stop() }
    }

    @Test("what is changed after a removal goes with the keys that are new since then, in one exchange")
    func newKeys() async throws {
        let (desk, laptop) = (try await CirclePeer("desk"), try await CirclePeer("laptop"))
        let phone = try await CirclePeer("phone")
        try await desk.found()
        for peer in [laptop, phone] { try await desk.add(peer) }
        var folder = SharedFolder()
        for peer in [desk, laptop, phone, desk] { try await peer.sync(&folder) }
        let machines = try await desk.state().machines
        try await desk.remove([try #require(machines.first { $0.name == "laptop" }).device])
        try await desk.set("late")
        try await desk.sync(&folder)
        #expect(try await phone.sync(&folder).added == 1)
        for peer in [desk, laptop, phone] { await peer.stop() }
    }
}
