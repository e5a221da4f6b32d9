import Coffer
import Foundation
import SystemBus
import Testing

@testable import SecretService

@Suite("texts that D-Bus does not carry")
struct CarriedTextTests {
    private func item(
        _ attributes: [String: String] = [:], label: String? = nil, account: String = "me"
    ) -> ItemAttributes {
        ItemAttributes(
            id: "a", name: ItemName(service: "s", account: account), label: label, attributes: attributes,
            created: Date(timeIntervalSince1970: 1), modified: Date(timeIntervalSince1970: 1), version: 1,
            revision: "r")
    }

    private func shown(_ item: ItemAttributes) throws -> ServiceItem {
        try #require(ServiceItem(item, collections: [CollectionInfo.defaultID]))
    }

    @Test("The noncharacters of Unicode and a zero byte are shown as U+FFFD, and no other character is")
    func characters() throws {
        var refused: [UInt32] = [0]
        for value: UInt32 in 0xFDD0...0xFDEF { refused.append(value) }
        for plane: UInt32 in 0...16 { refused += [plane * 0x10000 + 0xFFFE, plane * 0x10000 + 0xFFFF] }
        #expect(refused.count == 67)
        for value in refused {
            let scalar = try #require(Unicode.Scalar(value))
            let text = "a\(scalar)b"
            #expect(!BusText.carries(text) && BusText.shown(text) == "a\u{FFFD}b", "\(value)")
        }
        for value: UInt32 in [1, 0x7F, 0x301, 0xD7FF, 0xE000, 0xFDCF, 0xFDF0, 0xFFFD, 0x10000, 0x1F600, 0x10FFFD] {
            let scalar = try #require(Unicode.Scalar(value))
            let character = String(scalar)
            #expect(BusText.carries(character) && BusText.shown(character) == character, "\(value)")
        }
        #expect(BusText.carries("") && BusText.shown("").isEmpty)
    }

    @Test("Labels and content types are shown with U+FFFD, and attributes are left out")
    func items() throws {
        let one = try shown(
            item(
                ["kind": "x", "bad": Noncharacter.first, "b\u{FFFE}d": "y", "coffer:content-type": "t\u{FFFF}"],
                label: "a\0b\u{FFFF}"))
        #expect(one.label == "a\u{FFFD}b\u{FFFD}" && one.stored.map(ServiceItem.contentType(of:)) == "t\u{FFFD}")
        #expect(one.attributes == ["kind": "x", "service": "s", "account": "me", "username": "me"])
        #expect(one.hidesAttributes)
        let named = try shown(item(account: "\u{FFFF}"))
        #expect(BusText.carries(named.label) && named.attributes == ["service": "s"] && named.hidesAttributes)
        #expect(try !shown(item(["kind": "x"])).hidesAttributes)
    }

    @Test("The label of a collection is shown with U+FFFD")
    func collections() {
        var table = CollectionTable(started: .now)
        let name = CollectionRecord.name(ofCollection: "mine")
        table.load([
            ItemAttributes(
                id: "c", name: name, label: "M\u{FFFE}", attributes: CollectionRecord.attributes(ofCollection: "mine"),
                created: Date(timeIntervalSince1970: 1), modified: Date(timeIntervalSince1970: 1), version: 1,
                revision: "r")
        ])
        #expect(table["mine"]?.label == "M\u{FFFD}")
    }

    @Test("An item with an attribute that clients do not see is not replaced by one with its other attributes")
    func replaced() throws {
        var index = ItemIndex()
        index.insert(try shown(item(["kind": "x", "bad": "\u{FFFF}", "coffer:collection": CollectionInfo.defaultID])))
        #expect(index.search(["kind": "x"]).items.count == 1)
        #expect(index.identical(to: ["kind": "x"], in: CollectionInfo.defaultID) == nil)
        index.insert(try shown(item(["kind": "x", "coffer:collection": CollectionInfo.defaultID])))
        #expect(index.identical(to: ["kind": "x"], in: CollectionInfo.defaultID)?.id == "a")
    }

    @Test("A client that sets the attributes that it has read takes none away that it has not seen")
    func edited() {
        let login = CollectionInfo.defaultID
        let present = item(["kind": "x", "old": "1", "bad": "\u{FFFF}", "coffer:collection": login])
        #expect(
            StoredAttributes.edit(present, to: ["kind": "y"], collection: login)
                == [["kind": "y", "old": "", "coffer:collection": login]])
        #expect(
            StoredAttributes.edit(present, to: ["bad": "good"], collection: login)
                == [["kind": "", "old": "", "bad": "good", "coffer:collection": login]])
    }

    @Test("An item, an account and a collection with such texts are served, and hide no others")
    func served() async throws {
        let fixture = try await ServiceFixture()
        let keychain = fixture.keychain("odd")
        try await keychain.set(
            "secret one", for: "one", label: "a\u{FFFF}b\0c",
            attributes: ["kind": "x", "bad": Noncharacter.first, "coffer:content-type": "t\u{FFFE}"])
        try await keychain.set("secret two", for: "you\u{1FFFF}")
        let program = try BusProgram(fixture.address)
        let session = try program.openSession()
        let both = try program.items(["service": "odd"])
        let one = try #require(try program.items(["kind": "x"]).first)
        let two = try #require(both.first { $0 != one })
        #expect(both.count == 2)

        let properties = try program.call(one, ServiceName.properties, "GetAll", [.text(ServiceName.item)])
        let all = try #require(properties.first?.variants)
        #expect(all["Label"] == .text("a\u{FFFD}b\u{FFFD}c"))
        #expect(
            all["Attributes"]?.dictionary == ["kind": "x", "service": "odd", "account": "one", "username": "one"])
        let attributes = try program.property("Attributes", of: ServiceName.item, at: two)
        #expect(attributes?.dictionary == ["service": "odd"])
        let secret = try program.secret(of: one, session: session)
        #expect(secret.value == "secret one" && secret.contentType == "t\u{FFFD}")
        let answer = try program.call(
            ServiceName.root, ServiceName.service, "GetSecrets", [.paths(both), .path(session)])
        guard case .array(_, let entries) = answer.first else {
            Issue.record("\(answer)")
            return
        }
        #expect(entries.count == 2)

        // What clients do not see is neither replaced nor taken away.
        let made = try program.create(["service": "odd"], "secret three", session: session, replaces: true)
        #expect(made != two)
        #expect(try program.secret(of: two, session: session).value == "secret two")
        try program.set("Attributes", of: ServiceName.item, at: one, to: .dictionary(["kind": "y"]))
        #expect(try await keychain.attributes(of: "one").attributes["bad"] == Noncharacter.first)

        try program.set("Label", of: ServiceName.collection, at: BusProgram.login, to: .text("L"))
        try await fixture.keychain("org.freedesktop.secrets").edit(
            "collection/login", ItemEdit(label: "L\u{FFFF}"))
        try await waitUntil {
            try program.property("Label", of: ServiceName.collection, at: BusProgram.login) == .text("L\u{FFFD}")
        }
        await fixture.end()
    }
}
