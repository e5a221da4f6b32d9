import Coffer
import Testing

let fieldChecks = [
    Check("an item has 16 fields at most", needs: [.changes]) { fixture in
        let keychain = fixture.keychain("field limit")
        try await keychain.set("x", for: "me")
        for number in 1...15 {
            let name = try #require(FieldName("field \(number)"))
            try await keychain.field(name).set("x", for: "me")
        }
        await refused(.limitExceeded) { () throws(KeychainError) in
            try await keychain.field("another").set("x", for: "me")
        }
        let another = newItem("x", in: "another")
        await refused(.limitExceeded, "in a list of changes") { () throws(KeychainError) in
            try await keychain.apply([ItemChange(keychain.name("me"), .set(another))])
        }
        #expect(try await keychain.attributes(of: "me").fields.count == 16)
        try await keychain.field("field 1").set("y", for: "me")
        #expect(try await keychain.field("field 1").string(for: "me") == "y")
    },
    Check("the field secret is a secret, and another one keeps its kind, also when it comes back", needs: [.history]) {
        fixture in
        let keychain = fixture.keychain("field kinds")
        let set = { (item: NewItem) async throws(KeychainError) -> [FieldKind] in
            try await fixture.backend.set(keychain.name("me"), to: item, if: .none, prompts: .never, in: .own)
                .fields.map(\.kind)
        }
        #expect(try await set(newItem("1", in: .secret, kind: .text)) == [.secret])
        #expect(try await set(newItem("2", in: "more", kind: .text)) == [.secret, .text])
        #expect(try await set(newItem("3", in: .secret, kind: .otp)) == [.secret, .text])
        let former = try await keychain.attributes(of: "me").version - 1
        try await keychain.removeField("more", of: "me")
        #expect(try await keychain.restore("me", version: former).fields.map(\.kind) == [.secret, .text])
    },
    Check("a field beside others with an application password takes the same one", needs: [.changes]) { fixture in
        let keychain = fixture.keychain("fields' application password")
        let pin = keychain.field("pin")
        let secured = AccessControl.whenUnlocked.requiring(.applicationPassword)
        try await keychain.set("1", for: "me", access: secured, applicationPassword: "p")
        await refused(.applicationPasswordNeeded) { () throws(KeychainError) in try await pin.set("2", for: "me") }
        await refused(.invalidArgument) { () throws(KeychainError) in
            try await pin.set("2", for: "me", applicationPassword: "")
        }
        await refused(.applicationPasswordRefused) { () throws(KeychainError) in
            try await pin.set("2", for: "me", applicationPassword: "q")
        }
        try await pin.set("2", for: "me", applicationPassword: "p")
        #expect(try await pin.string(for: "me", applicationPassword: "p") == "2")
        let other = newItem("3", in: "pin", applicationPassword: "p")
        await refused(.invalidArgument, "a list of changes opens nothing") { () throws(KeychainError) in
            try await keychain.apply([ItemChange(keychain.name("me"), .set(other))])
        }
        // Another way to read the item is enough to check the password, and otherwise a person is asked.
        let either = AccessControl.whenUnlocked.requiringAny(of: .userPresence, .applicationPassword)
        try await keychain.set("1", for: "either", access: either, applicationPassword: "p")
        try await pin.set("2", for: "either", applicationPassword: "p")
        let both = AccessControl.whenUnlocked.requiring(.userPresence, .applicationPassword)
        try await keychain.set("1", for: "both", access: both, applicationPassword: "p")
        await refused(.authenticationNeeded) { () throws(KeychainError) in
            try await pin.set("2", for: "both", applicationPassword: "p")
        }
    },
    Check("a field beside others with an application password takes an open vault") { fixture in
        let keychain = fixture.keychain("locked field")
        let pin = keychain.field("pin")
        let secured = AccessControl.whenUnlocked.requiring(.applicationPassword)
        try await keychain.set("1", for: "me", access: secured, applicationPassword: "p")
        try await keychain.lock()
        await refused(.locked) { () throws(KeychainError) in
            try await pin.set("2", for: "me", applicationPassword: "p")
        }
        // The only field comes with any password, so nothing is opened.
        try await keychain.set("2", for: "me", applicationPassword: "p")
        #expect(try await keychain.status().state == .locked)
        let person = CountingPerson()
        try await pin.prompting(person.prompts).set("2", for: "me", applicationPassword: "p")
        #expect(person.questions == 1)
        #expect(try await keychain.status().state == .unlocked)
        #expect(try await pin.string(for: "me", applicationPassword: "p") == "2")
    },
    Check("several fields take one answer, and one that is missing none", needs: [.reads]) { fixture in
        let keychain = fixture.keychain("several fields")
        let person = CountingPerson()
        let asking = keychain.prompting(person.prompts)
        try await keychain.set("1", for: "me")
        try await keychain.field("pin").set("2", for: "me")
        try await keychain.lock()
        await refused(.notFound) { () throws(KeychainError) in
            try await asking.values(of: "me", fields: [.secret, "puk"])
        }
        await refused(.locked) { () throws(KeychainError) in
            try await keychain.values(of: "me", fields: [.secret, "pin"])
        }
        #expect(person.questions == 0)
        #expect(try await keychain.status().state == .locked)
        #expect(try await asking.values(of: "me").string(of: "pin") == "2")
        #expect(person.questions == 1)
        try await keychain.edit("me", ItemEdit(access: .whenUnlocked.requiring(.userPresence)))
        let both = try await asking.values(of: "me", fields: ["pin", .secret])
        #expect(try both.string(of: .secret) == "1" && both.string(of: "pin") == "2")
        #expect(person.questions == 2 && person.shown.contains("pin"), "\(person.shown)")
    },
    Check("an edit that changes access and removes a field asks nobody") { fixture in
        let keychain = fixture.keychain("impossible edit")
        try await keychain.set("1", for: "me")
        try await keychain.field("pin").set("2", for: "me")
        try await keychain.lock()
        let person = CountingPerson()
        let edit = {
            var edit = ItemEdit(access: .afterFirstUnlock)
            edit.removedFields = ["pin"]
            return edit
        }()
        await refused(.invalidArgument) { () throws(KeychainError) in
            try await keychain.prompting(person.prompts).edit("me", edit)
        }
        #expect(person.questions == 0)
        #expect(try await keychain.status().state == .locked)
        try await keychain.prompting(.right).unlock()
    },
]

/// A value for one field.
private func newItem(
    _ text: String, in field: FieldName, kind: FieldKind? = nil, applicationPassword: String? = nil
) -> NewItem {
    var item = NewItem(value: Array(text.utf8), applicationPassword: applicationPassword.map { Array($0.utf8) })
    item.field = field
    item.fieldKind = kind
    return item
}
