import Platform

/// Tells the helper process what to show on a user's desktop.
struct NotificationOrder: Codable {
    let name: String
    let uid: UInt32
    let gid: UInt32
    /// The socket of the user's session bus.
    let bus: String
    let summary: String
    let body: String
    /// Seconds until the desktop removes the notification by itself.
    let seconds: Int

    init(_ account: Account, bus: String, text: String, seconds: Int) {
        name = account.name
        uid = account.uid
        gid = account.gid
        self.bus = bus
        summary = "Coffer asks for you"
        body = Self.plain(text)
        self.seconds = seconds
    }

    /// Spells out markup characters, because some desktops read a notification's text as markup.
    static func plain(_ text: String) -> String {
        var result = ""
        for character in EscapedText.escaped(text, limit: NotificationLimits.body, keeping: ["\n"]).unicodeScalars {
            switch character {
            case "<", ">", "&": result += "\\u{\(String(character.value, radix: 16))}"
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }
}
