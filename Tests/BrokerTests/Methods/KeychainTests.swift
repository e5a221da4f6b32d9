import BrokerProtocol
import Item
import Platform
import TestSupport
import Testing

/// What the methods do for a person's own client.
@Suite(.timeLimit(.minutes(30)))
struct KeychainTests {
    @Test("the first Set asks to make a vault; after that it is there, unlocked, and the value comes back")
    func first() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        #expect(try await client.call(Keychain.Status()).vault.state == .none)
        #expect(try await client.call(Keychain.List()).items.isEmpty)
        #expect(try await fault { try await client.call(Keychain.Get(service: "s", account: "a")) }.name == .notFound)
        let asked = try await fault {
            try await client.call(Keychain.Set(service: "s", account: "a", value: someValue))
        }
        #expect(asked.details.purposes == ["create"])
        let id = try #require(asked.details.challenge)
        try await broker.authenticator.grant(id)
        let reply = try await client.call(Keychain.Set(service: "s", account: "a", value: someValue, challenge: id))
        #expect(reply.item.service == "s" && reply.replaced == nil && reply.item.version == 1)
        let status = try await client.call(Keychain.Status())
        #expect(status.vault.state == .unlocked && status.vault.items == 1 && status.vault.since != nil)
        #expect(status.sealer.kind == "software" && status.sandbox && !status.warnings.isEmpty)
        let got = try await client.call(Keychain.Get(service: "s"))
        #expect(got.value == someValue && got.item.id == reply.item.id)
        await broker.stop()
    }

    @Test("a locked vault lists and takes, and gives nothing of the when-unlocked class until it is unlocked")
    func locking() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        try await broker.makeVault(client)
        let always = AccessControl.always
        let afterFirst = AccessControl.afterFirstUnlock
        _ = try await client.call(Keychain.Set(service: "s", account: "unlocked", value: someValue))
        _ = try await client.call(Keychain.Set(service: "s", account: "always", value: someValue, access: always))
        _ = try await client.call(Keychain.Set(service: "s", account: "first", value: someValue, access: afterFirst))
        let locked = try await client.call(Keychain.Lock()).vault
        #expect(locked.state == .locked && locked.since != nil)
        let status = try await client.call(Keychain.Status()).vault
        #expect(status.state == .locked && status.since == locked.since && status.items == 3)
        #expect(
            try await fault { try await client.call(Keychain.Get(service: "s", account: "unlocked")) }.name == .locked)
        #expect(try await client.call(Keychain.Get(service: "s", account: "always")).value == someValue)
        #expect(try await client.call(Keychain.Get(service: "s", account: "first")).value == someValue)
        #expect(
            try await client.call(Keychain.List(service: "s")).items.map(\.account) == ["always", "first", "unlocked"])
        _ = try await client.call(Keychain.Set(service: "s", account: "new", value: someValue))
        let got = try await broker.call(client, Keychain.Get(service: "s", account: "new", unlock: true)) {
            Keychain.Get(service: "s", account: "new", unlock: true, challenge: $0)
        }
        #expect(got.value == someValue)
        #expect(try await client.call(Keychain.Status()).vault.state == .unlocked)
        await broker.stop()
    }

    @Test("a gated item of a locked vault is read with one conversation for both")
    func unlockAndRead() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        try await broker.makeVault(client)
        _ = try await client.call(Keychain.Set(service: "s", account: "a", value: someValue, access: .presence))
        _ = try await client.call(Keychain.Lock())
        let asked = try await fault { try await client.call(Keychain.Get(service: "s", account: "a", unlock: true)) }
        #expect(asked.details.purposes == ["unlock", "read"])
        let id = try #require(asked.details.challenge)
        try await broker.authenticator.grant(id)
        let got = try await client.call(Keychain.Get(service: "s", account: "a", unlock: true, challenge: id))
        #expect(got.value == someValue && got.item.access == .presence)
        // A person decides each read.
        #expect(
            try await fault { try await client.call(Keychain.Get(service: "s", account: "a")) }.details.purposes == [
                "read"
            ])
        await broker.stop()
    }

    @Test("after a restart the vault is sealed: even after-first-unlock items wait for a person")
    func restart() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        try await broker.makeVault(client)
        let afterFirst = AccessControl.afterFirstUnlock
        _ = try await client.call(Keychain.Set(service: "s", account: "a", value: someValue, access: afterFirst))
        await broker.stop()
        let again = try await throwAwayBroker(folder: broker.folder, authenticator: broker.authenticator)
        let later = try again.client()
        #expect(try await later.call(Keychain.Status()).vault.state == .sealed)
        #expect(try await later.call(Keychain.Exists(service: "s", account: "a")).exists)
        #expect(try await fault { try await later.call(Keychain.Get(service: "s", account: "a")) }.name == .locked)
        _ = try await again.call(later, Keychain.Unlock()) { Keychain.Unlock(challenge: $0) }
        #expect(try await later.call(Keychain.Get(service: "s", account: "a")).value == someValue)
        await again.stop()
    }

    @Test("exists, show, search, rename, delete, modes and expiry")
    func others() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        try await broker.makeVault(client)
        _ = try await client.call(
            Keychain.Set(
                service: "s", account: "a", value: someValue, label: "A label", attributes: ["k": "v"], mode: .new))
        #expect(
            try await fault { try await client.call(Keychain.Set(service: "s", account: "a", value: "", mode: .new)) }
                .name
                == .alreadyExists)
        #expect(
            try await fault {
                try await client.call(Keychain.Set(service: "s", account: "b", value: "", mode: .existing))
            }.name
                == .notFound)
        #expect(try await client.call(Keychain.Show(service: "s", account: "a")).item.label == "A label")
        #expect(try await client.call(Keychain.Search(text: "LABEL", attributes: ["k": "v"])).items.count == 1)
        #expect(try await client.call(Keychain.Search(text: "nothing")).items.isEmpty)
        _ = try await client.call(Keychain.Rename(service: "s", account: "a", newService: "t", newAccount: "b"))
        #expect(try await client.call(Keychain.Get(service: "t", account: "b")).value == someValue)
        #expect(try await client.call(Keychain.Exists(service: "s", account: "a")).exists == false)
        #expect(try await client.call(Keychain.Set(service: "t", account: "b", value: "").self).replaced != nil)
        _ = try await client.call(Keychain.Set(service: "t", account: "old", value: someValue, expires: 1000))
        let expired = try await fault { try await client.call(Keychain.Get(service: "t", account: "old")) }
        #expect(expired.name == .notFound && expired.details.message?.contains("expired") == true)
        _ = try await client.call(Keychain.Set(service: "t", account: "other", value: someValue))
        let several = try await fault { try await client.call(Keychain.Get(service: "t")) }
        #expect(several.name == .ambiguous && several.details.accounts?.sorted() == ["b", "other"])
        _ = try await client.call(Keychain.Delete(service: "t", account: "b"))
        #expect(
            try await fault { try await client.call(Keychain.Delete(service: "t", account: "b")) }.name == .notFound)
        await broker.stop()
    }

    @Test("what could never be read cannot be made")
    func unreadable() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        try await broker.makeVault(client)
        for access in [
            Keychain.AccessChange(accessibility: .passcodeSet),
            Keychain.AccessChange(require: [.userPresence, .userPresence]),
        ] {
            let refused = try await fault {
                try await client.call(Keychain.Set(service: "s", account: "a", value: "", access: access))
            }
            #expect(refused.name == .invalidArgument)
        }
        #expect(
            try await fault { try await client.call(Keychain.Set(service: "s", account: "a", value: "no base64!")) }
                .name == .invalidArgument)
        await broker.stop()
    }

    @Test("edit changes what is named; a change of policy of a gated item asks as reading does")
    func editing() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        try await broker.makeVault(client)
        _ = try await client.call(
            Keychain.Set(service: "s", account: "a", value: someValue, label: "old", attributes: ["k": "v"]))
        let edited = try await client.call(
            Keychain.Edit(service: "s", account: "a", label: "new", attributes: ["k": "", "l": "w"])
        ).item
        #expect(edited.label == "new" && edited.attributes == ["l": "w"])
        let gated = try await client.call(Keychain.Edit(service: "s", account: "a", access: .presence)).item
        #expect(gated.access == .presence && gated.label == "new")
        let asked = try await fault {
            try await client.call(Keychain.Edit(service: "s", account: "a", access: AccessControl.whenUnlocked))
        }
        #expect(asked.details.purposes == ["change"])
        // A yes to reading is not a yes to this, and the reverse.
        let opened = AccessControl.whenUnlocked
        let toRead = try await challenge { try await client.call(Keychain.Get(service: "s", account: "a")) }
        try await broker.authenticator.grant(toRead)
        let misused = try await fault {
            try await client.call(Keychain.Edit(service: "s", account: "a", access: opened, challenge: toRead))
        }
        #expect(misused.name == .challengeRefused)
        let toChange = try await challenge {
            try await client.call(Keychain.Edit(service: "s", account: "a", access: opened))
        }
        try await broker.authenticator.grant(toChange)
        let turned = try await fault {
            try await client.call(Keychain.Get(service: "s", account: "a", challenge: toChange))
        }
        #expect(turned.name == .challengeRefused)
        let id = try #require(asked.details.challenge)
        try await broker.authenticator.grant(id)
        _ = try await client.call(
            Keychain.Edit(service: "s", account: "a", access: AccessControl.whenUnlocked, challenge: id))
        #expect(try await client.call(Keychain.Get(service: "s", account: "a")).value == someValue)
        await broker.stop()
    }

    /// Attacker 4 gives a harmless name to the item that it wants, and waits for somebody to allow that.
    @Test("renaming an item with requirements asks for just that, with both names, and for what reading takes")
    func renaming() async throws {
        let broker = try await throwAwayBroker()
        let client = try broker.client()
        try await broker.makeVault(client)
        _ = try await client.call(Keychain.Set(service: "bank", account: "me", value: someValue, access: .presence))
        _ = try await client.call(Keychain.Set(service: "taken", account: "me", value: someValue))
        var rename = Keychain.Rename(service: "bank", account: "me", newService: "wifi-guest", newAccount: "you")
        let asked = try await fault { try await client.call(rename) }
        #expect(asked.name == .authenticationRequired && asked.details.purposes == ["rename"])
        #expect(try await client.call(Keychain.Exists(service: "bank", account: "me")).exists)
        // A yes to reading is not a yes to this, and the reverse. Nor is a yes to another name.
        let get = Keychain.Get(service: "bank", account: "me")
        let toRead = try await challenge { try await client.call(get) }
        try await broker.authenticator.grant(toRead)
        let id = try #require(asked.details.challenge)
        let line = try broker.authenticator.connect()
        let facts = try await line.call(
            TestAuthenticator.describe(
                id, uid: OwnProcess.effectiveUser, try TestAuthenticator.thisProcess()))
        #expect(facts.service == "bank" && facts.account == "me")
        #expect(facts.newService == "wifi-guest" && facts.newAccount == "you")
        for (grant, name) in [(toRead, "wifi-guest"), (try await granted(), "github")] {
            var misused = rename
            (misused.challenge, misused.newService) = (grant, name)
            #expect(try await fault { try await client.call(misused) }.name == .challengeRefused, "\(name)")
        }
        var turned = get
        turned.challenge = try await granted()
        #expect(try await fault { try await client.call(turned) }.name == .challengeRefused)
        #expect(try await client.call(Keychain.Exists(service: "bank", account: "me")).exists)
        // The broker reports what it cannot do before anybody is asked.
        let onto = Keychain.Rename(service: "bank", account: "me", newService: "taken", newAccount: "me")
        #expect(try await fault { try await client.call(onto) }.name == .alreadyExists)
        rename.challenge = try await granted()
        #expect(try await client.call(rename).item.service == "wifi-guest")
        #expect(try await !client.call(Keychain.Exists(service: "bank", account: "me")).exists)
        let records = try await client.call(Keychain.Log()).records.filter { $0.event == "rename" }
        // A misused answer is recorded as the person was shown it, besides the call that misused it.
        #expect(records.map(\.outcome) == Array(repeating: "challenge-refused", count: 4) + ["done"])
        #expect(records.last?.service == "bank" && records.last?.detail == "now wifi-guest you")
        // A value that replaces it does not change what a prompt shows.
        _ = try await client.call(
            Keychain.Set(service: "wifi-guest", account: "you", value: someValue, access: .presence))
        _ = try await client.call(Keychain.Lock())
        #expect(
            try await fault {
                try await client.call(
                    Keychain.Rename(service: "wifi-guest", account: "you", newService: "bank", newAccount: "me"))
            }.name == .locked)
        await broker.stop()

        func granted() async throws -> String {
            let question = rename
            let id = try await challenge {
                var asked = question
                asked.challenge = nil
                return try await client.call(asked)
            }
            try await broker.authenticator.grant(id)
            return id
        }
    }

    @Test("eight writers at once: everything that was acknowledged is there")
    func writers() async throws {
        let broker = try await throwAwayBroker()
        let first = try broker.client()
        try await broker.makeVault(first)
        try await withThrowingTaskGroup { group in
            for writer in 0..<8 {
                group.addTask {
                    let client = try broker.client()
                    for number in 0..<10 {
                        _ = try await client.call(
                            Keychain.Set(service: "w\(writer)", account: "\(number)", value: someValue))
                    }
                }
            }
            try await group.waitForAll()
        }
        let items = try await first.call(Keychain.List()).items
        #expect(items.count == 80 && Set(items.map { $0.service + "/" + $0.account }).count == 80)
        await broker.stop()
    }
}
