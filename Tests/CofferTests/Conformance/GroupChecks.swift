import Coffer
import Testing

let groupChecks = [
    Check("a group's vault is another vault, open while the member's own is") { fixture in
        let own = fixture.keychain("group")
        let shared = Keychain(service: "group", group: fixture.group, prompts: .never, backend: fixture.backend)
        await refused(.notFound, "no vault yet") { () throws(KeychainError) in try await shared.list() }
        await refused(.authenticationNeeded) { () throws(KeychainError) in try await shared.set("x", for: "me") }
        try await shared.prompting(.right).set("shared", for: "me")
        try await own.set("own", for: "me")
        #expect(try await shared.string(for: "me") == "shared")
        #expect(try await own.string(for: "me") == "own")
        #expect(try await shared.status().state == .unlocked)
        try await shared.set("always", for: "open", access: .always)
        try await own.lock()
        for account in ["me", "open"] {
            await refused(.locked, "\(account)") { () throws(KeychainError) in
                try await shared.prompting(.right).string(for: account)
            }
        }
        #expect(try await shared.accounts() == ["me", "open"])
        // No member has an open vault, so the group's is locked too.
        try await own.prompting(.right).unlock()
        #expect(try await shared.status().state == .locked)
        await refused(.locked) { () throws(KeychainError) in try await shared.string(for: "me") }
        #expect(try await shared.prompting(.right).string(for: "me") == "shared")
        try await shared.lock()
        #expect(try await own.string(for: "me") == "own")
        #expect(try await shared.prompting(.right).string(for: "me") == "shared")
        await refused(.invalidArgument) { () throws(KeychainError) in
            try await shared.set("x", for: "me", access: .whenUnlocked.requiring(.biometryCurrentSet))
        }
    },
    Check("a group that is not there has no vault for anybody") { fixture in
        let keychain = Keychain(
            service: "x", group: "coffer-no-such-group", prompts: .right, backend: fixture.backend)
        await refused(.notFound) { () throws(KeychainError) in try await keychain.list() }
        await refused(.notFound) { () throws(KeychainError) in try await keychain.set("x", for: "me") }
        await refused(.notFound) { () throws(KeychainError) in try await keychain.unlock() }
    },
]
