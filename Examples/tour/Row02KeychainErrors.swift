import Coffer

struct Row02KeychainErrors: Row {
    let number = 2
    let title = "Keychain errors"

    func run(_ stage: TourRow) async throws {
        let keychain = stage.keychain

        /// Every error has the status that Apple's Security framework gives, and says in words what happened.
        func check(_ error: KeychainError, status: Int32) throws {
            try expectEqual(error.appleStatus, status)
            try expect(!error.message.isEmpty)
        }

        try await stage.verb("not found is a case of its own: -25300") {
            let error = try await expectError(.notFound) { _ = try await keychain.string(for: "nobody") }
            try check(error, status: -25300)
        }
        try await stage.verb("duplicate: -25299") {
            try await keychain.set("one", for: "me", if: .isAbsent)
            let error = try await expectError(.alreadyExists) {
                try await keychain.set("two", for: "me", if: .isAbsent)
            }
            try check(error, status: -25299)
            try expectEqual(try await keychain.string(for: "me"), "one")
        }
        try await stage.verb("authentication failed: -25293; cancelled: -128; nobody to ask: -25308") {
            try await keychain.set("gated", for: "gated", access: .whenUnlocked.requiring(.userPresence))
            stage.person.types("wrong")
            let wrong = try await expectError(.wrongPassword) { _ = try await keychain.string(for: "gated") }
            try check(wrong, status: -25293)
            stage.person.types(nil)
            let cancelled = try await expectError(.cancelled) { _ = try await keychain.string(for: "gated") }
            try check(cancelled, status: -128)
            let alone = try await expectError(.authenticationNeeded) {
                _ = try await keychain.prompting(.never).string(for: "gated")
            }
            try check(alone, status: -25308)
            stage.person.types("sandbox")
            try expectEqual(try await keychain.string(for: "gated"), "gated")
        }
        try await stage.verb("bad parameter: -50") {
            let error = try await expectError(.invalidArgument) {
                try await keychain.of(service: "").set("x", for: "me")
            }
            try check(error, status: -50)
        }
        try await stage.verb("a value that is no UTF-8 is told apart, and can be read as bytes: -26275") {
            try await keychain.set([0xFF, 0xFE], for: "bytes")
            let error = try await expectError(.notText) { _ = try await keychain.string(for: "bytes") }
            try check(error, status: -26275)
            try expectEqual(try await keychain.bytes(for: "bytes"), [0xFF, 0xFE])
        }
    }
}
