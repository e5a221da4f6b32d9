import Coffer
import Testing

let lockingChecks = [
    Check("a locked vault gives out only what may leave it") { fixture in
        let keychain = fixture.keychain("locked")
        try await keychain.set("1", for: "usual")
        try await keychain.set("2", for: "after", access: .afterFirstUnlock)
        try await keychain.set("3", for: "always", access: .always)
        #expect(try await keychain.status().state == .unlocked)
        try await keychain.lock()
        #expect(try await keychain.status().state == .locked)
        let read = { (account: String) async throws(KeychainError) -> [UInt8] in
            let request = ReadRequest(prompts: .never, mayUnlock: false)
            return try await fixture.backend.read([keychain.name(account)], request, in: .own)[0].value
        }
        await refused(.locked) { () throws(KeychainError) in try await read("usual") }
        #expect(try await read("after") == Array("2".utf8))
        #expect(try await read("always") == Array("3".utf8))
        await refused(.locked) { () throws(KeychainError) in try await keychain.bytes(for: "usual") }
        #expect(try await keychain.status().state == .locked)
        try await keychain.prompting(.right).unlock()
        #expect(try await keychain.status().state == .unlocked)
        #expect(try await read("usual") == Array("1".utf8))
    },
    Check("names and writing need no open vault") { fixture in
        let keychain = fixture.keychain("locked writing")
        try await keychain.set("1", for: "a", attributes: ["k": "v"])
        try await keychain.lock()
        try await keychain.set("2", for: "b")
        #expect(try await keychain.accounts() == ["a", "b"])
        #expect(try await keychain.search(attributes: ["k": "v"]).map(\.account) == ["a"])
        try await keychain.edit("b", ItemEdit(label: "L"))
        #expect(try await keychain.rename("b", to: "c").label == "L")
        #expect(try await keychain.delete("a"))
        await refused(.locked, "a change of access reads the value") { () throws(KeychainError) in
            try await keychain.edit("c", ItemEdit(access: .afterFirstUnlock))
        }
        try await keychain.prompting(.right).unlock()
        #expect(try await keychain.string(for: "c") == "2")
    },
    Check("with nobody to ask, a vault is locked, and an item needs a person") { fixture in
        let keychain = fixture.keychain("locked or gated")
        let gated = AccessControl.whenUnlocked.requiring(.userPresence)
        try await keychain.set("1", for: "usual")
        try await keychain.set("2", for: "gated", access: gated)
        try await keychain.set("3", for: "always", access: .always.requiring(.userPresence))
        try await keychain.set(
            "4", for: "secret", access: .whenUnlocked.requiring(.applicationPassword), applicationPassword: "p")
        try await keychain.set("5", for: "usual")
        try await keychain.lock()
        let calls: [(String, KeychainError.Code, () async throws(KeychainError) -> Void)] = [
            ("usual", .locked, { () throws(KeychainError) in _ = try await keychain.bytes(for: "usual") }),
            (
                "several", .locked,
                { () throws(KeychainError) in _ = try await keychain.authenticate(for: ["usual", "usual 2"]) }
            ),
            (
                "former", .locked,
                { () throws(KeychainError) in _ = try await keychain.bytes(for: "usual", version: 1) }
            ),
            (
                "restore", .locked,
                { () throws(KeychainError) in _ = try await keychain.restore("usual", version: 1) }
            ),
            (
                "its own password", .locked,
                { () throws(KeychainError) in
                    _ = try await keychain.bytes(for: "secret", applicationPassword: "p")
                }
            ),
            // An open vault would not be enough.
            (
                "gated", .authenticationNeeded,
                { () throws(KeychainError) in _ = try await keychain.bytes(for: "gated") }
            ),
            (
                "one of several", .authenticationNeeded,
                { () throws(KeychainError) in _ = try await keychain.authenticate(for: ["usual", "gated"]) }
            ),
            (
                "rename", .authenticationNeeded,
                { () throws(KeychainError) in _ = try await keychain.rename("gated", to: "other") }
            ),
            (
                "always", .authenticationNeeded,
                { () throws(KeychainError) in _ = try await keychain.bytes(for: "always") }
            ),
            ("unlock", .authenticationNeeded, { () throws(KeychainError) in try await keychain.unlock() }),
        ]
        try await keychain.set("6", for: "usual 2")
        for (title, code, call) in calls { await refused(code, "\(title)", call) }
        #expect(try await keychain.status().state == .locked)
        try await keychain.prompting(.right).unlock()
        #expect(try await keychain.string(for: "usual") == "5")
        await refused(.authenticationNeeded) { () throws(KeychainError) in try await keychain.string(for: "gated") }
    },
    Check("one answer opens the vault and reads the item") { fixture in
        let keychain = fixture.keychain("unlock by reading")
        try await keychain.set("1", for: "usual")
        try await keychain.set("2", for: "gated", access: .whenUnlocked.requiring(.userPresence))
        for (account, value) in [("usual", "1"), ("gated", "2")] {
            try await keychain.lock()
            let person = CountingPerson()
            #expect(try await keychain.prompting(person.prompts).string(for: account) == value)
            #expect(person.questions == 1)
            #expect(try await keychain.status().state == .unlocked)
        }
    },
    Check("opening takes the right answer") { fixture in
        let keychain = fixture.keychain("unlock")
        try await keychain.unlock()
        try await keychain.lock()
        await refused(.authenticationNeeded) { () throws(KeychainError) in try await keychain.unlock() }
        await refused(.wrongPassword) { () throws(KeychainError) in try await keychain.prompting(.wrong).unlock() }
        await refused(.cancelled) { () throws(KeychainError) in try await keychain.prompting(.givingUp).unlock() }
        #expect(try await keychain.status().state == .locked)
        try await keychain.prompting(.right).unlock()
        #expect(try await keychain.status().state == .unlocked)
    },
]
