import Coffer
import Foundation
import Testing

/// What is refused before anybody is asked, and which of several faults is told.
let refusalChecks = [
    Check("what is wrong with a call counts before the state of its item", needs: [.changes]) { fixture in
        let keychain = fixture.keychain("faults")
        let secured = AccessControl.whenUnlocked.requiring(.applicationPassword)
        try await keychain.set("1", for: "me")
        let long = [UInt8](repeating: 7, count: (1 << 20) + 1)
        await refused(.limitExceeded) { () throws(KeychainError) in
            try await keychain.set(long, for: "me", if: .isAbsent)
        }
        await refused(.applicationPasswordNeeded) { () throws(KeychainError) in
            try await keychain.set("x", for: "you", access: secured, if: .isPresent)
        }
        await refused(.invalidArgument) { () throws(KeychainError) in
            try await keychain.set("x", for: "you", applicationPassword: "p", if: .isPresent)
        }
        let labelled = NewItem(value: [1], label: String(repeating: "l", count: 1025))
        await refused(.limitExceeded, "of a later change") { () throws(KeychainError) in
            try await keychain.apply([
                ItemChange(keychain.name("me"), .set(NewItem(value: [1])), if: .isAbsent),
                ItemChange(keychain.name("you"), .set(labelled)),
            ])
        }
        // An earlier change decides what a later one keeps.
        await refused(.applicationPasswordNeeded) { () throws(KeychainError) in
            try await keychain.apply([
                ItemChange(keychain.name("new"), .set(NewItem(value: [1], access: secured, applicationPassword: [2]))),
                ItemChange(keychain.name("new"), .set(NewItem(value: [3]))),
            ])
        }
        #expect(try await keychain.accounts() == ["me"])
    },
    Check("a condition names a state of an item, or is refused", needs: [.changes]) { fixture in
        let keychain = fixture.keychain("revisions")
        let request = ReadRequest(prompts: .never)
        try await keychain.set("1", for: "me")
        let cases: [(String, KeychainError.Code)] = [
            ("", .invalidArgument), ("nonsense", .invalidArgument),
            (String(repeating: "g", count: 32), .invalidArgument),
            (String(repeating: "0", count: 30), .invalidArgument),
            (String(repeating: "0", count: 32), .changedMeanwhile),
        ]
        for (text, code) in cases {
            let condition = ItemChange.Condition.isUnchanged(revision: text)
            await refused(code, "\(text)") { () throws(KeychainError) in
                try await keychain.set("2", for: "me", if: condition)
            }
            await refused(code, "\(text)") { () throws(KeychainError) in
                try await keychain.delete("me", if: condition)
            }
            await refused(code, "\(text)") { () throws(KeychainError) in
                try await fixture.backend.edit(
                    keychain.name("me"), ItemEdit(label: "L"), request, if: condition, in: .own)
            }
        }
        #expect(try await keychain.string(for: "me") == "1")
    },
    Check("one call makes 16 changes with an application password at most", needs: [.changes]) { fixture in
        let keychain = fixture.keychain("password limit")
        let secured = AccessControl.whenUnlocked.requiring(.applicationPassword)
        let changes = (0..<17).map { number in
            ItemChange(
                keychain.name("\(number)"), .set(NewItem(value: [1], access: secured, applicationPassword: [2])))
        }
        await refused(.limitExceeded) { () throws(KeychainError) in try await keychain.apply(changes) }
        let all = try await keychain.list()
        #expect(all.isEmpty)
    },
    Check("an empty application password reads nothing") { fixture in
        let keychain = fixture.keychain("empty password")
        let secured = AccessControl.whenUnlocked.requiring(.applicationPassword)
        try await keychain.set("1", for: "me", access: secured, applicationPassword: "p")
        await refused(.invalidArgument) { () throws(KeychainError) in
            try await keychain.string(for: "me", applicationPassword: "")
        }
    },
    Check("a rename takes the item's application password, and nobody is asked in vain") { fixture in
        let keychain = fixture.keychain("gated rename")
        let person = CountingPerson()
        let asking = keychain.prompting(person.prompts)
        let either = AccessControl.whenUnlocked.requiringAny(of: .userPresence, .applicationPassword)
        try await keychain.set("1", for: "either", access: either, applicationPassword: "p")
        await refused(.applicationPasswordNeeded) { () throws(KeychainError) in
            try await asking.rename("either", to: "other")
        }
        await refused(.invalidArgument) { () throws(KeychainError) in
            try await asking.rename("either", to: "other", applicationPassword: "")
        }
        #expect(try await keychain.rename("either", to: "other", applicationPassword: "p").account == "other")
        try await keychain.set(
            "1", for: "ended", access: .whenUnlocked.requiring(.userPresence),
            expires: .at(Date(timeIntervalSince1970: 1)))
        await refused(.notFound) { () throws(KeychainError) in try await asking.rename("ended", to: "new") }
        #expect(person.questions == 0)
        #expect(try await keychain.accounts() == ["ended", "other"])
    },
    Check("one prompt gives 32 signatures at most", needs: [.changes, .reads]) { fixture in
        let keychain = fixture.keychain("signature limit")
        let strict = AccessControl.whenUnlocked.requiring(.userPresence, .devicePasscode)
        let accounts = (0..<17).map { "\($0)" }
        try await keychain.apply(
            accounts.map { ItemChange(keychain.name($0), .set(NewItem(value: [1], access: strict))) })
        let person = CountingPerson()
        await refused(.limitExceeded) { () throws(KeychainError) in
            try await keychain.prompting(person.prompts).authenticate(for: accounts)
        }
        #expect(person.questions == 0)
    },
    Check("a text to search for has 4 KiB at most") { fixture in
        let keychain = fixture.keychain("search limit")
        let longest = String(repeating: "x", count: 4096)
        let found = try await keychain.search(longest)
        #expect(found.isEmpty)
        await refused(.limitExceeded) { () throws(KeychainError) in try await keychain.search(longest + "x") }
    },
]
