import Coffer
import Foundation
import Testing

let writingChecks = [
    Check("a stored item is read as it was stored") { fixture in
        let keychain = fixture.keychain("store")
        let item = try await keychain.set("s3cret", for: "me", label: "L", attributes: ["a": "1"])
        #expect(item.version == 1 && item.label == "L" && item.attributes == ["a": "1"])
        #expect(item.access == .whenUnlocked && item.expires == nil && item.comment == nil)
        #expect(item.service == "store" && item.account == "me")
        #expect(try await keychain.string(for: "me") == "s3cret")
        #expect(try await keychain.bytes(for: "me") == Array("s3cret".utf8))
        #expect(try await keychain.attributes(of: "me") == item)
        #expect(try await keychain.item(for: "me").attributes == item)
        #expect(try await keychain.exists("me"))
        #expect(try await keychain.exists("you") == false)
    },
    Check("an empty value and an empty account are values and accounts") { fixture in
        let keychain = fixture.keychain("empty")
        try await keychain.set([], for: "")
        #expect(try await keychain.bytes(for: "") == [])
        #expect(try await keychain.accounts() == [""])
    },
    Check("a replaced item keeps its identity, and all that the call does not name") { fixture in
        let keychain = fixture.keychain("replace")
        let access = AccessControl.afterFirstUnlock.thisDeviceOnly
        let expiry = Date(timeIntervalSince1970: 4_000_000_000)
        let new = NewItem(
            value: [1], access: access, label: "L", comment: "C", attributes: ["a": "1"], expiry: .at(expiry))
        let set = { (item: NewItem) async throws(KeychainError) in
            try await fixture.backend.set(keychain.name("me"), to: item, if: .none, prompts: .never, in: .own)
        }
        let before = try await set(new)
        let after = try await set(NewItem(value: [2]))
        #expect(after.id == before.id && after.created == before.created && after.version == 2)
        #expect(after.revision != before.revision)
        #expect(after.access == access && after.label == "L" && after.comment == "C")
        #expect(after.attributes == ["a": "1"] && after.expires == expiry)
        let last = try await set(NewItem(value: [3], label: "", comment: "", attributes: [:], expiry: .never))
        #expect(last.label == nil && last.comment == nil && last.attributes.isEmpty && last.expires == nil)
        #expect(last.access == access)
    },
    Check("an item has fields, each with a value of its own") { fixture in
        let keychain = fixture.keychain("fields")
        #expect(try await keychain.set("password", for: "me").fields.map(\.name) == [.secret])
        let added = try await keychain.field(.otp).set("seed", for: "me")
        #expect(added.fields.map(\.name) == [.secret, .otp] && added.fields.map(\.kind) == [.secret, .otp])
        let pin = try await keychain.field("pin").set("1234", for: "me")
        #expect(pin.fields.map(\.name) == [.secret, .otp, "pin"] && pin.version == 3)
        #expect(try await keychain.string(for: "me") == "password")
        #expect(try await keychain.field("pin").string(for: "me") == "1234")
        #expect(try await keychain.field(.otp).exists("me"))
        #expect(try await keychain.field(.notes).exists("me") == false)
        await refused(.notFound) { () throws(KeychainError) in try await keychain.field(.notes).string(for: "me") }
        let all = try await keychain.values(of: "me")
        #expect(all.fields == [.otp, "pin", .secret])
        #expect(try all.string(of: .secret) == "password" && all.bytes(of: "pin") == Array("1234".utf8))
        let some = try await keychain.values(of: "me", fields: ["pin"])
        #expect(some.fields == ["pin"])
        await refused(.notFound) { () throws(KeychainError) in try some.string(of: .secret) }
        await refused(.invalidArgument) { () throws(KeychainError) in
            try await keychain.values(of: "me", fields: ["pin", "pin"])
        }
        await refused(.notFound) { () throws(KeychainError) in
            try await keychain.values(of: "me", fields: ["pin", "puk"])
        }
        try await keychain.field("pin").update(for: "me") { old in (old ?? "") + "5" }
        try await keychain.field("puk").update(for: "me") { old in old ?? "new" }
        #expect(try await keychain.field("pin").string(for: "me") == "12345")
        #expect(try await keychain.field("puk").string(for: "me") == "new")
        try await keychain.field(.notes).update(for: "you") { old in old ?? "only" }
        #expect(try await keychain.attributes(of: "you").fields.map(\.name) == [.notes])
        await refused(.notFound) { () throws(KeychainError) in try await keychain.string(for: "you") }
        try await keychain.update(for: "you") { old in (old ?? "none") + "!" }
        #expect(try await keychain.string(for: "you") == "none!", "a password beside notes that were there")
        await refused(.invalidArgument) { () throws(KeychainError) in try await keychain.field("pin").delete("me") }
        #expect(try await keychain.exists("me"))
    },
    Check("a field is removed, has a history of its own and comes back") { fixture in
        let keychain = fixture.keychain("removed")
        try await keychain.set("1", for: "me")
        let pin = try await keychain.field("pin").set("1234", for: "me")
        try await keychain.set("2", for: "me")
        #expect(try await keychain.removeField("pin", of: "me").fields.map(\.name) == [.secret])
        await refused(.notFound) { () throws(KeychainError) in try await keychain.removeField("pin", of: "me") }
        await refused(.invalidArgument) { () throws(KeychainError) in
            try await keychain.removeField(.secret, of: "me")
        }
        let history = try await keychain.history(of: "me")
        #expect(history.map(\.field) == ["pin", .secret] && history.map(\.version) == [pin.version, 1])
        #expect(try await keychain.bytes(for: "me", version: pin.version) == Array("1234".utf8))
        await refused(.notFound) { () throws(KeychainError) in
            try await keychain.field(.otp).bytes(for: "me", version: pin.version)
        }
        let restored = try await keychain.restore("me", version: pin.version)
        #expect(restored.fields.map(\.name) == [.secret, "pin"])
        #expect(try await keychain.field("pin").string(for: "me") == "1234")
        #expect(try await keychain.string(for: "me") == "2")
    },
    Check("a field is not stored under another access control than the others") { fixture in
        let keychain = fixture.keychain("fields' access")
        try await keychain.set("1", for: "me")
        try await keychain.field("pin").set("1234", for: "me")
        await refused(.invalidArgument) { () throws(KeychainError) in
            try await keychain.set("2", for: "me", access: .afterFirstUnlock)
        }
        try await keychain.field("pin").set("5678", for: "me", access: .whenUnlocked)
        let edited = try await keychain.edit("me", ItemEdit(access: .afterFirstUnlock))
        #expect(edited.access == .afterFirstUnlock && edited.fields.count == 2)
        #expect(try await keychain.field("pin").string(for: "me") == "5678")
        #expect(try await keychain.string(for: "me") == "1")
    },
    Check("conditions: absent, present") { fixture in
        let keychain = fixture.keychain("conditions")
        await refused(.notFound) { () throws(KeychainError) in
            try await keychain.set("x", for: "me", if: .isPresent)
        }
        try await keychain.set("1", for: "me", if: .isAbsent)
        await refused(.alreadyExists) { () throws(KeychainError) in
            try await keychain.set("2", for: "me", if: .isAbsent)
        }
        try await keychain.set("3", for: "me", if: .isPresent)
        #expect(try await keychain.string(for: "me") == "3")
    },
    Check("a change that saw an older state is refused", needs: [.changes]) { fixture in
        let keychain = fixture.keychain("unchanged")
        let seen = try await keychain.set("1", for: "me")
        let next = try await keychain.set("2", for: "me", if: .isUnchanged(since: seen))
        await refused(.changedMeanwhile) { () throws(KeychainError) in
            try await keychain.set("3", for: "me", if: .isUnchanged(since: seen))
        }
        await refused(.changedMeanwhile) { () throws(KeychainError) in
            try await keychain.delete("me", if: .isUnchanged(since: seen))
        }
        #expect(try await keychain.string(for: "me") == "2")
        try await keychain.delete("me", if: .isUnchanged(since: next))
        await refused(.changedMeanwhile, "it is gone") { () throws(KeychainError) in
            try await keychain.set("4", for: "me", if: .isUnchanged(since: next))
        }
        try await keychain.set("5", for: "me")
        await refused(.changedMeanwhile, "it is another one") { () throws(KeychainError) in
            try await keychain.set("6", for: "me", if: .isUnchanged(since: seen))
        }
    },
    Check("deleting says whether there was something") { fixture in
        let keychain = fixture.keychain("delete")
        #expect(try await keychain.delete("me") == false)
        try await keychain.set("x", for: "me")
        #expect(try await keychain.delete("me"))
        await refused(.notFound) { () throws(KeychainError) in try await keychain.bytes(for: "me") }
        #expect(try await !keychain.exists("me"))
        await refused(.notFound) { () throws(KeychainError) in try await keychain.attributes(of: "me") }
        let again = try await keychain.set("y", for: "me")
        #expect(again.version == 1)
    },
    Check("several changes are made all or not at all", needs: [.changes]) { fixture in
        let keychain = fixture.keychain("several")
        try await keychain.set("old", for: "there")
        await refused(.alreadyExists) { () throws(KeychainError) in
            try await keychain.apply([
                ItemChange(keychain.name("new"), .set(NewItem(value: [1]))),
                ItemChange(keychain.name("gone"), .delete),
                ItemChange(keychain.name("there"), .set(NewItem(value: [2])), if: .isAbsent),
            ])
        }
        #expect(try await keychain.accounts() == ["there"])
        #expect(try await keychain.string(for: "there") == "old")
        let outcomes = try await keychain.apply([
            ItemChange(keychain.name("new"), .set(NewItem(value: [1]))),
            ItemChange(keychain.name("there"), .delete),
            ItemChange(keychain.name("gone"), .delete),
            ItemChange(keychain.name("new"), .set(NewItem(value: [2])), if: .isPresent),
        ])
        #expect(outcomes.map(\.existedBefore) == [false, true, false, true])
        #expect(outcomes.map(\.version) == [1, nil, nil, 2])
        #expect(try await keychain.attributes(of: "new").revision == outcomes[3].revision)
        var pin = NewItem(value: [3])
        pin.field = "pin"
        let added = try await keychain.apply([ItemChange(keychain.name("new"), .set(pin))])
        #expect(added.map(\.existedBefore) == [true], "a field of an item that was there")
        for condition in [ItemChange.Condition.isAbsent, .isPresent] {
            await refused(.invalidArgument, "a deletion of what must be there, or must not") {
                () throws(KeychainError) in
                try await keychain.apply([ItemChange(keychain.name("new"), .delete, if: condition)])
            }
        }
        #expect(try await keychain.bytes(for: "new") == [2])
        #expect(try await keychain.accounts() == ["new"])
    },
    Check("an update begins again when another changed the item", needs: [.changes]) { fixture in
        let keychain = fixture.keychain("update")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask { try await keychain.update(for: "n") { String((Int($0 ?? "") ?? 0) + 1) } }
            }
            try await group.waitForAll()
        }
        #expect(try await keychain.string(for: "n") == "20")
        try await keychain.update([String].self, for: "list") { ($0 ?? []) + ["a"] }
        try await keychain.update([String].self, for: "list") { ($0 ?? []) + ["b"] }
        #expect(try await keychain.value([String].self, for: "list") == ["a", "b"])
    },
    Check("names are bytes, not Unicode's idea of them") { fixture in
        let keychain = fixture.keychain("unicode")
        try await keychain.set("composed", for: "\u{E9}")
        try await keychain.set("decomposed", for: "e\u{301}")
        #expect(try await keychain.list().count == 2)
        #expect(try await keychain.string(for: "\u{E9}") == "composed")
        #expect(try await keychain.string(for: "e\u{301}") == "decomposed")
    },
    Check("an expired item is not read, and its name is free") { fixture in
        let keychain = fixture.keychain("expired")
        let past = Expiry.at(Date(timeIntervalSince1970: 1))
        try await keychain.set("x", for: "me", expires: past)
        await refused(.notFound) { () throws(KeychainError) in try await keychain.bytes(for: "me") }
        #expect(try await !keychain.exists("me"))
        #expect(try await keychain.attributes(of: "me").expires == Date(timeIntervalSince1970: 1))
        await refused(.notFound) { () throws(KeychainError) in
            try await keychain.edit("me", ItemEdit(label: "L"))
        }
        await refused(.notFound) { () throws(KeychainError) in
            try await keychain.set("y", for: "me", if: .isPresent)
        }
        let item = try await keychain.set("y", for: "me", if: .isAbsent)
        #expect(item.expires == nil)
        #expect(try await keychain.string(for: "me") == "y")
        try await keychain.set("z", for: "me", expires: past)
        #expect(try await keychain.delete("me"))
    },
    Check("what has expired is in no state, and is replaced by what ends by itself") { fixture in
        let keychain = fixture.keychain("ended")
        let past = Expiry.at(Date(timeIntervalSince1970: 1))
        let strict = AccessControl.whenUnlocked.thisDeviceOnly
        for account in ["again", "field", "state"] {
            try await keychain.set("x", for: account, access: strict, expires: past)
        }
        let ended = try await keychain.attributes(of: "state")
        await refused(.changedMeanwhile) { () throws(KeychainError) in
            try await keychain.set("y", for: "state", if: .isUnchanged(since: ended))
        }
        #expect(try await keychain.delete("state", if: .isUnchanged(since: ended)), "what has expired can go")
        let again = try await keychain.setTemporary("y", for: "again", lifetime: .seconds(86_400))
        #expect(again.access == strict && again.expires != nil)
        #expect(try await keychain.string(for: "again") == "y")
        try await keychain.field("note").update(for: "field") { old in (old ?? "") + "n" }
        #expect(try await keychain.field("note").string(for: "field") == "n")
        #expect(try await keychain.attributes(of: "field").fields.map(\.name) == ["note"])
    },
    Check("an item that has not expired is read, and tells when it will") { fixture in
        let keychain = fixture.keychain("expiring")
        let item = try await keychain.set("x", for: "me", expires: .after(.seconds(86_400)))
        let expires = try #require(item.expires)
        #expect(expires > Date())
        #expect(try await keychain.string(for: "me") == "x")
        #expect(try await keychain.edit("me", ItemEdit(expiry: .never)).expires == nil)
    },
    Check("an edit changes what it names, not the value") { fixture in
        let keychain = fixture.keychain("edit")
        let before = try await keychain.set("x", for: "me", label: "L", attributes: ["a": "1", "b": "2"])
        let after = try await keychain.edit("me", ItemEdit(label: "", comment: "C", attributes: ["a": "", "c": "3"]))
        #expect(after.id == before.id && after.label == nil && after.comment == "C")
        #expect(after.attributes == ["b": "2", "c": "3"])
        #expect(try await keychain.string(for: "me") == "x")
        await refused(.notFound) { () throws(KeychainError) in try await keychain.edit("you", ItemEdit(label: "L")) }
    },
    Check("an edit of access control keeps the value") { fixture in
        let keychain = fixture.keychain("edit access")
        try await keychain.set("x", for: "me")
        #expect(try await keychain.edit("me", ItemEdit(access: .afterFirstUnlock)).access == .afterFirstUnlock)
        let gated = AccessControl.whenUnlocked.requiring(.userPresence)
        #expect(try await keychain.edit("me", ItemEdit(access: gated)).access == gated)
        await refused(.authenticationNeeded) { () throws(KeychainError) in
            try await keychain.edit("me", ItemEdit(access: .whenUnlocked))
        }
        #expect(try await keychain.prompting(.right).string(for: "me") == "x")
    },
    Check("a renamed item is the same item") { fixture in
        let keychain = fixture.keychain("rename")
        let before = try await keychain.set("x", for: "old", label: "L")
        try await keychain.set("y", for: "taken")
        let after = try await keychain.rename("old", to: "new")
        #expect(after.id == before.id && after.account == "new" && after.label == "L")
        #expect(try await keychain.accounts() == ["new", "taken"])
        await refused(.alreadyExists) { () throws(KeychainError) in try await keychain.rename("new", to: "taken") }
        await refused(.notFound) { () throws(KeychainError) in try await keychain.rename("old", to: "other") }
        #expect(try await keychain.rename("new", to: "new").account == "new")
        #expect(try await keychain.string(for: "new") == "x")
    },
    Check("items of different classes never meet", needs: [.classes]) { fixture in
        let keychain = fixture.keychain("classes")
        for itemClass in ItemClass.allCases {
            try await keychain.items(ofClass: itemClass).set(itemClass.rawValue, for: "me")
        }
        for itemClass in ItemClass.allCases {
            let items = keychain.items(ofClass: itemClass)
            #expect(try await items.string(for: "me") == itemClass.rawValue)
            #expect(try await items.list().map(\.name.itemClass) == [itemClass])
        }
        let key = keychain.items(ofClass: .key)
        #expect(try await key.delete("me"))
        #expect(try await keychain.exists("me"))
        #expect(try await keychain.deleteAll() == 1)
        #expect(try await keychain.deleteEverything() == 3)
    },
    Check("everything of a service is deleted, and nothing else") { fixture in
        let keychain = fixture.keychain("delete everything")
        let other = keychain.of(service: "delete everything 2")
        for account in ["a", "b", "c"] { try await keychain.set("x", for: account) }
        try await other.set("y", for: "a")
        #expect(try await keychain.deleteEverything() == 3)
        #expect(try await keychain.list().isEmpty)
        #expect(try await other.exists("a"))
        #expect(try await keychain.deleteEverything() == 0)
    },
]
