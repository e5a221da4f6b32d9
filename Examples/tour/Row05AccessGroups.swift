import Coffer
import Glibc

struct Row05AccessGroups: Row {
    let number = 5
    let title = "Access groups"

    func run(_ stage: TourRow) async throws {
        try await stage.verb("programs of one user share items by the service's name") {
            let application = Keychain(service: stage.service, prompts: stage.person.prompts)
            let itsExtension = Keychain(service: stage.service, prompts: .never)
            try await application.set("shared", for: "token")
            // Any program of the user reads an item that requires nothing.
            try expectEqual(try await itsExtension.string(for: "token"), "shared")
            try await application.set("mine", for: "token", access: .whenUnlocked.requiring(.userPresence))
            try await expectError(.authenticationNeeded) { _ = try await itsExtension.string(for: "token") }
        }
        try await stage.verb("users share items in the vault of a group") {
            let shared = Keychain(service: stage.service, group: try group(), prompts: stage.person.prompts)
            try await shared.set("ours", for: "database")
            try expectEqual(try await shared.string(for: "database"), "ours")
            try expect(try await !stage.keychain.exists("database"))
            try expectEqual(try await shared.deleteAll(), 1)
        }
        try await stage.verb("a group that the user is no member of looks as if it were not there") {
            let foreign = Keychain(service: stage.service, group: "no-such-group", prompts: stage.person.prompts)
            try await expectError(.notFound) { _ = try await foreign.string(for: "database") }
        }
    }

    /// A group of the user who runs the tour.
    private func group() throws -> String {
        guard let group = getgrgid(getegid()) else { throw Unmet(description: "the user's group has no name") }
        return String(cString: group.pointee.gr_name)
    }
}
