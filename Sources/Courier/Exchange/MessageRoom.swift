import Circle
import Varlink

/// What fits into a call to the broker, in bytes.
enum MessageRoom {
    /// Texts of a call, besides its names and braces.
    static let message = Varlink.longestMessage - 4096
    /// The heads. Beside them there is always room for one segment.
    static let heads = message - encoded(CircleLimits.segment) - 3

    /// All heads of a store. They are handed over in several calls.
    static let allHeads = 8 * message

    /// How many segments. Small ones are many before they fill a message.
    static let segments = 1024

    /// A text with its quotes and a comma. Base64 and paths need no escapes.
    static func size(of text: String) -> Int { text.utf8.count + 3 }

    /// Whether a call with names has room for their lengths, too: seven digits at most, and a comma.
    static func hasRoom(for count: Int, beside size: Int) -> Bool { size + 8 * count + 64 <= message - heads }

    private static func encoded(_ bytes: Int) -> Int { (bytes + 2) / 3 * 4 }

    /// Cuts a list so that each part fits.
    static func parts(of texts: [String], room: Int) -> [[String]] {
        var parts: [[String]] = []
        var left = 0
        for text in texts {
            let size = size(of: text)
            if parts.isEmpty || size > left {
                parts.append([])
                left = room
            }
            parts[parts.count - 1].append(text)
            left -= size
        }
        return parts
    }
}
