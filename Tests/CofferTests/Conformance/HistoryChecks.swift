import Coffer
import Testing

let historyChecks = [
    Check("the last three values before the present one are kept", needs: [.history]) { fixture in
        let keychain = fixture.keychain("history")
        #expect(try await keychain.set("1", for: "me").version == 1)
        #expect(try await keychain.history(of: "me").isEmpty)
        for value in 2...5 { try await keychain.set("\(value)", for: "me") }
        let versions = try await keychain.history(of: "me")
        #expect(versions.map(\.version) == [4, 3, 2])
        #expect(versions.allSatisfy { $0.access == .whenUnlocked && $0.keptUntil > $0.set })
        #expect(try await keychain.bytes(for: "me", version: 3) == Array("3".utf8))
        await refused(.notFound, "dropped") { () throws(KeychainError) in
            try await keychain.bytes(for: "me", version: 1)
        }
        await refused(.notFound, "of no item") { () throws(KeychainError) in try await keychain.history(of: "you") }
    },
    Check("a former value becomes the present one", needs: [.history]) { fixture in
        let keychain = fixture.keychain("restore")
        try await keychain.set("1", for: "me", label: "L")
        try await keychain.set("2", for: "me")
        let item = try await keychain.restore("me", version: 1)
        #expect(item.label == "L" && item.version == 3)
        #expect(try await keychain.string(for: "me") == "1")
        #expect(try await keychain.history(of: "me").map(\.version) == [2])
        await refused(.notFound) { () throws(KeychainError) in try await keychain.restore("me", version: 9) }
        for version in [0, -1, Int.min] {
            await refused(.invalidArgument, "\(version)") { () throws(KeychainError) in
                try await keychain.restore("me", version: version)
            }
            await refused(.invalidArgument, "\(version)") { () throws(KeychainError) in
                try await keychain.bytes(for: "me", version: version)
            }
        }
    },
    Check("tighter access control and deletion drop former values", needs: [.history]) { fixture in
        let keychain = fixture.keychain("drop history")
        try await keychain.set("1", for: "me")
        try await keychain.set("2", for: "me", access: .whenUnlocked.requiring(.userPresence))
        #expect(try await keychain.history(of: "me").isEmpty)
        try await keychain.set("3", for: "me")
        #expect(try await keychain.history(of: "me").map(\.version) == [2])
        try await keychain.delete("me")
        try await keychain.set("4", for: "me")
        #expect(try await keychain.history(of: "me").isEmpty)
    },
    Check("a former value takes what it required", needs: [.history]) { fixture in
        let keychain = fixture.keychain("gated history")
        let gated = AccessControl.whenUnlocked.requiring(.userPresence)
        try await keychain.set("1", for: "me", access: gated)
        try await keychain.set("2", for: "me", access: .whenUnlocked)
        #expect(try await keychain.string(for: "me") == "2")
        #expect(try await keychain.history(of: "me").map(\.access) == [gated])
        await refused(.authenticationNeeded) { () throws(KeychainError) in
            try await keychain.bytes(for: "me", version: 1)
        }
        await refused(.authenticationNeeded) { () throws(KeychainError) in
            try await keychain.restore("me", version: 1)
        }
        #expect(try await keychain.prompting(.right).bytes(for: "me", version: 1) == Array("1".utf8))
        try await keychain.prompting(.right).restore("me", version: 1)
        #expect(try await keychain.prompting(.right).string(for: "me") == "1")
        await refused(.authenticationNeeded) { () throws(KeychainError) in try await keychain.string(for: "me") }
    },
]
