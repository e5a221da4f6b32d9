/// The lines of a prompt that name items. Each line is complete, and no two items have the same line.
struct ItemLines {
    /// One line, and the number of its requests.
    private struct Line {
        let text: String
        /// The bytes of the names. They differ even if Unicode calls two names equal.
        let names: [[UInt8]]
        var requests = 1

        var shown: String { requests > 1 ? text + ", \(requests) times" : text }
    }

    private var lines: [Line] = []
    /// The room that is left, in characters (Unicode scalars).
    private var room: Int

    /// Room for a line's indentation and its count of requests, in characters.
    private static let margin = 16

    /// - Parameter room: the room for all lines together, in characters (Unicode scalars).
    init(room: Int) { self.room = room }

    var count: Int { lines.count }
    /// The only line; nil unless there is exactly one.
    var single: String? { lines.count == 1 ? lines[0].shown : nil }
    /// All lines, each starting with a line break.
    var text: String { lines.map { "\n  \($0.shown)" }.joined() }

    /// Adds one item. If two threads ask for the same item, the person sees one line.
    /// - Returns: whether the item is named now. False if its line does not fit, or if a text is longer than an item's can be.
    mutating func add(_ service: String, _ account: String, reason: String?) -> Bool {
        let names = [service, account, reason ?? ""].map { Array($0.utf8) }
        guard names[0].count <= PromptLimits.name, names[1].count <= PromptLimits.name,
            names[2].count <= PromptLimits.reason
        else { return false }
        if let same = lines.firstIndex(where: { $0.names == names }) {
            lines[same].requests += 1
            return true
        }
        var text = Self.text(service, account, reason, spelling: false)
        // The line looks like another one: é, for example, can be one character or two.
        if lines.contains(where: { $0.text == text }) { text = Self.text(service, account, reason, spelling: true) }
        let size = text.unicodeScalars.count + Self.margin
        guard size <= room else { return false }
        room -= size
        lines.append(Line(text: text, names: names))
        return true
    }

    private static func text(_ service: String, _ account: String, _ reason: String?, spelling: Bool) -> String {
        let name =
            "\(EscapedText.whole(service, spelling: spelling)) / \(EscapedText.whole(account, spelling: spelling))"
        guard let reason, !reason.isEmpty else { return name }
        return name + ", reason it gives: \(EscapedText.whole(reason, spelling: spelling))"
    }
}
