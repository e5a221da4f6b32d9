import ArgumentParser
import BrokerProtocol
import Coffer

/// Checks names from the command line against the limits.
enum ItemName {
    static func check(service: String) throws(ValidationError) {
        guard !service.isEmpty else { throw ValidationError("the service must not be empty") }
        try check(service, "service")
    }

    static func check(account: String) throws(ValidationError) { try check(account, "account") }

    static func check(_ text: String, _ what: String, limit: Int = TextLimits.name) throws(ValidationError) {
        guard text.utf8.count <= limit else {
            throw ValidationError("the \(what) is too long: at most \(limit) bytes")
        }
        // Bytes that are not UTF-8 arrive as this character, so two different names could become one.
        guard !text.unicodeScalars.contains("\u{FFFD}") else { throw ValidationError("the \(what) is not UTF-8") }
    }
}

/// An item's complete name.
struct FullName: Equatable {
    let service: String
    let account: String

    var shownName: String { ItemText.name(service: service, account: account) }
}

/// SERVICE ACCOUNT, or SERVICE/ACCOUNT
struct ItemArguments: ParsableArguments {
    @Argument(help: ArgumentHelp("What the secret is for: a site, a program.", valueName: "service"))
    var service: String

    @Argument(
        help: ArgumentHelp(
            "The account there. SERVICE/ACCOUNT in one word works, too.", valueName: "account"))
    var account: String?

    func validate() throws {
        try ItemName.check(service: service)
        if let account {
            try ItemName.check(account: account)
        } else if JoinedName.splits(of: service).isEmpty {
            throw ValidationError("Missing expected argument '<account>'")
        }
    }

    func name(_ session: CommandSession) throws(KeychainError) -> FullName {
        try Self.name(service, account, session)
    }

    static func name(_ service: String, _ account: String?, _ session: CommandSession) throws(KeychainError)
        -> FullName
    {
        if let account { return FullName(service: service, account: account) }
        let (found, account) = try session.parts(of: service)
        guard let account else {
            throw KeychainError(
                .invalidArgument,
                "\(ItemText.name(service: found, account: nil)) does not say which account",
                advice: "give service and account as two words: SERVICE ACCOUNT")
        }
        return FullName(service: found, account: account)
    }
}

/// SERVICE [ACCOUNT], or SERVICE/ACCOUNT
struct ItemReference: ParsableArguments {
    @Argument(help: ArgumentHelp("What the secret is for: a site, a program.", valueName: "service"))
    var service: String

    @Argument(
        help: ArgumentHelp(
            "The account there; may be left out if there is only one. SERVICE/ACCOUNT in one word works, too.",
            valueName: "account"))
    var account: String?

    func validate() throws {
        try ItemName.check(service: service)
        if let account { try ItemName.check(account: account) }
    }

    func name(_ session: CommandSession) throws(KeychainError) -> PartialName {
        if account != nil { return PartialName(service: service, account: account) }
        let (service, account) = try session.parts(of: service)
        return PartialName(service: service, account: account)
    }
}

/// An item's name, or its service alone.
struct PartialName: Equatable {
    let service: String
    let account: String?

    var shownName: String { ItemText.name(service: service, account: account) }
}
