import Platform

/// What is to be shown on a user's desktop, as the process that does it is told.
struct NotificationOrder: Codable {
    let name: String
    let uid: UInt32
    let gid: UInt32
    /// The socket of the user's session bus.
    let bus: String
    let summary: String
    let body: String
    /// Seconds after which the desktop takes it away by itself.
    let seconds: Int

    /// The longest order that is taken, in bytes.
    static let longest = 32 << 10
    /// In characters; a desktop shows no more.
    private static let longestBody = 1000

    init(_ account: Account, bus: String, text: String, seconds: Int) {
        name = account.name
        uid = account.uid
        gid = account.gid
        self.bus = bus
        summary = "Coffer asks for you"
        body = Self.plain(text)
        self.seconds = seconds
    }

    /// Some desktops take a notification's text for markup: nothing in it may be any.
    static func plain(_ text: String) -> String {
        var result = ""
        for character in PromptText.escaped(text, limit: longestBody, keeping: ["\n"]).unicodeScalars {
            switch character {
            case "<", ">", "&": result += "\\u{\(String(character.value, radix: 16))}"
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }
}
