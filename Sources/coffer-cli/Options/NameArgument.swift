import ArgumentParser
import Coffer
import CredentialHelpers

/// Checks names from the command line against the limits.
enum NameArgument {
    static func check(service: String) throws(ValidationError) {
        guard !service.isEmpty else { throw ValidationError("the service must not be empty") }
        try check(service, "service")
    }

    static func check(account: String) throws(ValidationError) { try check(account, "account") }

    static func check(_ text: String, _ what: String, limit: Int = ItemLimits.name) throws(ValidationError) {
        try ArgumentText.check(text, what, limit: limit)
    }
}

/// An item's complete name.
struct FullName: Equatable {
    let service: String
    let account: String
    var kind: ItemKind?

    var shownName: String { partial.shownName }

    var item: ItemName { ItemName(service: service, account: account, itemClass: kind ?? .genericPassword) }

    var partial: PartialName { PartialName(service: service, account: account, kind: kind) }
}

/// SERVICE ACCOUNT, or SERVICE/ACCOUNT
struct ItemArguments: ParsableArguments {
    @Argument(help: ArgumentHelp("What the secret is for: a site, a program.", valueName: "service"))
    var service: String

    @Argument(
        help: ArgumentHelp(
            "The account there. SERVICE/ACCOUNT in one word works, too.", valueName: "account"))
    var account: String?

    @OptionGroup var kind: KindOptions

    func validate() throws {
        try NameArgument.check(service: service)
        if let account {
            try NameArgument.check(account: account)
        } else if JoinedName.splits(of: service).isEmpty {
            throw ValidationError("Missing expected argument '<account>'")
        }
    }

    func name(_ session: CommandSession) throws(KeychainError) -> FullName {
        try Self.name(service, account, kind.kind, session)
    }

    static func name(
        _ service: String, _ account: String?, _ kind: ItemKind?, _ session: CommandSession
    ) throws(KeychainError) -> FullName {
        if let account { return FullName(service: service, account: account, kind: kind) }
        let (found, account) = try session.parts(of: service, kind)
        guard let account else {
            throw KeychainError(
                .invalidArgument,
                "\(ItemText.name(service: found, account: nil)) does not say which account",
                advice: "give service and account as two words: SERVICE ACCOUNT")
        }
        return FullName(service: found, account: account, kind: kind)
    }
}

/// SERVICE [ACCOUNT], or SERVICE/ACCOUNT
struct ItemReference: ParsableArguments {
    static let serviceHelp = ArgumentHelp("What the secret is for: a site, a program.", valueName: "service")
    static let accountHelp = ArgumentHelp(
        "The account there; may be left out if there is only one. SERVICE/ACCOUNT in one word works, too.",
        valueName: "account")

    @Argument(help: ItemReference.serviceHelp)
    var service: String

    @Argument(help: ItemReference.accountHelp)
    var account: String?

    @OptionGroup var kind: KindOptions

    func validate() throws { try Self.check(service, account) }

    static func check(_ service: String, _ account: String?) throws(ValidationError) {
        try NameArgument.check(service: service)
        if let account { try NameArgument.check(account: account) }
    }

    func name(_ session: CommandSession) throws(KeychainError) -> PartialName {
        try session.partialName(service, account, kind.kind)
    }

    /// The name with its account. If that was left out, it is the service's only one.
    func fullName(_ session: CommandSession) throws(KeychainError) -> FullName {
        try session.completed(name(session))
    }
}

/// SERVICE/ACCOUNT in one word, as messages show a name. Both may contain slashes, so only the stored items show where one ends and the other begins.
enum JoinedName {
    /// - Parameter exists: whether there is such an item; without an account, whether the service has any item.
    /// - Returns: nil for the account if the word is a service's name.
    /// - Throws: `.ambiguous` if several items are shown alike.
    static func parts(
        of word: String, exists: (String, String?) throws(KeychainError) -> Bool
    ) throws(KeychainError) -> (service: String, account: String?) {
        let splits = splits(of: word)
        guard !splits.isEmpty, splits.count <= TextLimits.slashes else { return (word, nil) }
        // A service with exactly this name comes first.
        if try exists(word, nil) { return (word, nil) }
        var found: [(service: String, account: String)] = []
        for split in splits where try exists(split.service, split.account) { found.append(split) }
        if found.count > 1 {
            let names = found.map { ItemText.name(service: $0.service, account: $0.account) }
            throw KeychainError(
                .ambiguous, "several secrets match: \(names.joined(separator: ", "))",
                advice: "give service and account as two words")
        }
        // If no item matches, a single slash still shows what was meant.
        if let only = found.first ?? (splits.count == 1 ? splits.first : nil) {
            return (only.service, only.account)
        }
        return (word, nil)
    }

    static func splits(of word: String) -> [(service: String, account: String)] {
        // By scalars: for Unicode, a slash and an accent after it are one character, which is no slash.
        let scalars = word.unicodeScalars
        return scalars.indices.filter { scalars[$0] == "/" && $0 > scalars.startIndex }.map { slash in
            (String(scalars[..<slash]), String(scalars[scalars.index(after: slash)...]))
        }
    }
}

extension CommandSession {
    func partialName(
        _ service: String, _ account: String?, _ kind: ItemKind?
    ) throws(KeychainError) -> PartialName {
        if account != nil { return PartialName(service: service, account: account, kind: kind) }
        let (service, account) = try parts(of: service, kind)
        return PartialName(service: service, account: account, kind: kind)
    }

    /// Looks up the account that was left out. What follows concerns exactly the item that was found.
    /// - Throws: `.ambiguous` if the service has several accounts.
    func completed(_ name: PartialName) throws(KeychainError) -> FullName {
        if let account = name.account { return FullName(service: name.service, account: account, kind: name.kind) }
        let found = try finding(name) { () throws(KeychainError) in
            try client.call(ItemCall.attributes(of: name))
        }
        return FullName(service: found.service, account: found.account, kind: name.kind)
    }

    /// Splits a word. If it has to be looked up, the broker is asked, but no person.
    func parts(
        of word: String, _ kind: ItemKind?
    ) throws(KeychainError) -> (service: String, account: String?) {
        try JoinedName.parts(of: word) { (service, account) throws(KeychainError) in
            try client.call(ItemCall.exists(PartialName(service: service, account: account, kind: kind)))
        }
    }
}

extension ItemKind: ExpressibleByArgument {}

/// The kind of the secret that a command names.
struct KindOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The kind of the secret; generic by default.", valueName: "kind"))
    var kind: ItemKind?

    /// The options to add to a command that a person is told to run.
    static func words(_ kind: ItemKind?) -> [String] { kind.map { ["--kind", $0.rawValue] } ?? [] }
}
