/// The lines of a prompt that name items: each is whole, and no two items have the same one.
struct ItemLines {
    /// One line, and how many requests it stands for.
    private struct Line {
        let text: String
        /// The names' bytes, which tell apart what Unicode calls equal.
        let names: [[UInt8]]
        var requests = 1

        var shown: String { requests > 1 ? text + ", \(requests) times" : text }
    }

    private var lines: [Line] = []
    /// How many more characters (Unicode scalars) there is room for.
    private var room: Int

    /// In bytes, as long as a name can be (docs/broker-protocol.md, "Limits").
    static let longestName = 1024
    /// In bytes, as long as a reason can be.
    static let longestReason = 512
    /// What a line takes besides its text: its beginning, and how often it is asked for.
    private static let margin = 16

    /// - Parameter room: for all lines together, in characters (Unicode scalars).
    init(room: Int) { self.room = room }

    var count: Int { lines.count }
    /// The only line; nil where there are more.
    var single: String? { lines.count == 1 ? lines[0].shown : nil }
    /// All of them, each on a line of its own.
    var text: String { lines.map { "\n  \($0.shown)" }.joined() }

    /// Names one more item. The same item, asked for twice, as by two threads, is one thing to a person.
    /// - Returns: whether it is named now. False where its line has no room, or is longer than an item's can be.
    mutating func add(_ service: String, _ account: String, reason: String?) -> Bool {
        let names = [service, account, reason ?? ""].map { Array($0.utf8) }
        guard names[0].count <= Self.longestName, names[1].count <= Self.longestName,
            names[2].count <= Self.longestReason
        else { return false }
        if let same = lines.firstIndex(where: { $0.names == names }) {
            lines[same].requests += 1
            return true
        }
        var text = Self.text(service, account, reason, spelling: false)
        // Looks like another one: é can be one character or two.
        if lines.contains(where: { $0.text == text }) { text = Self.text(service, account, reason, spelling: true) }
        let size = text.unicodeScalars.count + Self.margin
        guard size <= room else { return false }
        room -= size
        lines.append(Line(text: text, names: names))
        return true
    }

    private static func text(_ service: String, _ account: String, _ reason: String?, spelling: Bool) -> String {
        let name =
            "\(PromptText.whole(service, spelling: spelling)) / \(PromptText.whole(account, spelling: spelling))"
        guard let reason, !reason.isEmpty else { return name }
        return name + ", reason it gives: \(PromptText.whole(reason, spelling: spelling))"
    }
}
