import ArgumentParser
import Coffer

/// Names as the command line gives them, within the limits.
enum ItemName {
    /// Bytes of UTF-8 in a service or an account.
    static let limit = 1024

    static func check(service: String) throws(ValidationError) {
        guard !service.isEmpty else { throw ValidationError("the service must not be empty") }
        try check(service, "service")
    }

    static func check(account: String) throws(ValidationError) { try check(account, "account") }

    static func check(_ text: String, _ what: String, limit: Int = limit) throws(ValidationError) {
        guard text.utf8.count <= limit else {
            throw ValidationError("the \(what) is longer than \(limit) bytes, the most it can have")
        }
        // What is not UTF-8 arrives with this character in its place, and two names would become one.
        guard !text.unicodeScalars.contains("\u{FFFD}") else { throw ValidationError("the \(what) is not UTF-8") }
    }
}

/// SERVICE ACCOUNT
struct ItemArguments: ParsableArguments {
    @Argument(help: ArgumentHelp("What the secret is for: a site, a program.", valueName: "service"))
    var service: String

    @Argument(help: ArgumentHelp("Whose it is there.", valueName: "account"))
    var account: String

    func validate() throws {
        try ItemName.check(service: service)
        try ItemName.check(account: account)
    }

    var shownName: String { ItemText.name(service: service, account: account) }
}

/// SERVICE [ACCOUNT]
struct ItemReference: ParsableArguments {
    @Argument(help: ArgumentHelp("What the secret is for: a site, a program.", valueName: "service"))
    var service: String

    @Argument(help: ArgumentHelp("Whose it is there; may be left out where there is one.", valueName: "account"))
    var account: String?

    func validate() throws {
        try ItemName.check(service: service)
        if let account { try ItemName.check(account: account) }
    }

    var shownName: String { ItemText.name(service: service, account: account) }
}
