import Coffer
import Foundation
import Testing

@testable import SecretService

@Suite("names on the bus and in the vault")
struct NameTests {
    private func item(
        _ attributes: [String: String] = [:], id: String = "a", itemClass: ItemClass = .genericPassword
    ) -> ItemAttributes {
        ItemAttributes(
            id: id, name: ItemName(service: "s", account: "a", itemClass: itemClass), attributes: attributes,
            created: Date(timeIntervalSince1970: 1), modified: Date(timeIntervalSince1970: 1), version: 1,
            revision: "r")
    }

    @Test("A word of an object path has letters, digits and underscores")
    func words() {
        let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_".utf8)
        for byte in UInt8(1)...127 {
            let text = String(Unicode.Scalar(byte))
            #expect(ObjectPath.isWord(text) == allowed.contains(byte), "\(byte)")
            #expect(ObjectPath.isWord("a" + text + "a") == allowed.contains(byte), "\(byte)")
        }
        #expect(!ObjectPath.isWord("") && !ObjectPath.isWord("\u{E9}"))
    }

    @Test("A path that only looks like one of the service is none")
    func paths() {
        #expect(ObjectPath("/org/freedesktop/secrets/collection/login") == .collection("login"))
        for path in [
            "/org/freedesktop/secretX/collection/login", "/org/freedesktop/secretsX/collection/login",
            "/org/freedesktop/secrets/collection", "/org/freedesktop/secrets/collection/a/b/c",
            "/org/freedesktop/secrets/session/a/b", "/org/freedesktop/secrets/prompt", "/org/freedesktop/other", "",
        ] { #expect(ObjectPath(path) == nil, "\(path)") }
    }

    @Test("Introspection has every argument of methods and signals, and what can be set")
    func introspection() {
        let interface = Interface(
            name: "a.B",
            methods: [Interface.Method("One", "x s y a{sv}", returns: "z o w b"), Interface.Method("Two")],
            signals: [Interface.Signal("Told", "v o")],
            properties: [
                Interface.Property(name: "Fixed", type: "t"),
                Interface.Property(name: "Free", type: "s", isWritable: true),
            ])
        #expect(
            interface.xml == """
                  <interface name="a.B">
                    <method name="One">
                      <arg name="x" type="s" direction="in"/>
                      <arg name="y" type="a{sv}" direction="in"/>
                      <arg name="z" type="o" direction="out"/>
                      <arg name="w" type="b" direction="out"/>
                    </method>
                    <method name="Two">
                    </method>
                    <signal name="Told">
                      <arg name="v" type="o"/>
                    </signal>
                    <property name="Fixed" type="t" access="read"/>
                    <property name="Free" type="s" access="readwrite"/>
                  </interface>
                """)
        #expect(interface.method("One")?.signature == "sa{sv}" && interface.method("Two")?.signature == "")
        #expect(interface.method("Told")?.name == nil && interface.property("Free")?.isWritable == true)
    }

    @Test("Clients see passwords, and neither keys nor the provider's own records")
    func seen() {
        func isSeen(_ item: ItemAttributes) -> Bool { ServiceItem(item, collections: ["login"]) != nil }
        #expect(isSeen(item()) && isSeen(item(itemClass: .internetPassword)))
        for hidden in [ItemClass.key, .certificate, .setting] { #expect(!isSeen(item(itemClass: hidden)), "\(hidden)") }
        #expect(!isSeen(item(["coffer:record": "collection"])) && !isSeen(item(["coffer:record": "x"])))
    }

    @Test("An item's path has the letters and digits of its id, and another id has a path, too")
    func ids() {
        #expect(ServiceItem.id(of: item(id: "0A1B-2c3D")) == "0a1b2c3d")
        #expect(ServiceItem.id(of: item(id: "A.\u{E9}")) == "x61_2e_c3_a9")
    }

    @Test("An item of another program has its name as label, and one of a client only its own")
    func labels() {
        #expect(ServiceItem(item(), collections: ["login"])?.label == "s/a")
        #expect(ServiceItem(item(["coffer:collection": "login"]), collections: ["login"])?.label == "")
        // Of a collection that is not there.
        #expect(ServiceItem(item(["coffer:collection": "x"]), collections: ["login"])?.collection == "login")
        #expect(ServiceItem(item(["coffer:collection": "x"]), collections: ["login", "x"])?.collection == "x")
    }

    @Test("The usual content type is not kept, and hyphens get one more")
    func contentTypes() {
        #expect(StoredAttributes.encode(contentType: "text/plain") == nil)
        #expect(StoredAttributes.encode(contentType: "text/plain;charset=utf8") == "text/plain;charset=utf8")
        #expect(["", "-", "--"].map(StoredAttributes.encode(contentType:)) == ["-", "--", "---"])
    }

    @Test("The first item of a name has it as it is, and others a number from 2 on")
    func numbers() {
        #expect((1...3).map { ItemNameChoice.numbered("me", $0) } == ["me", "me (2)", "me (3)"])
        #expect((1...3).map { ItemNameChoice.numbered("", $0) } == ["", "2", "3"])
    }
}
