import CofferSettings

/// What is left of the file that keeps the content. A file that became too large could not be written at all.
struct ContentRoom {
    private let content: SyncedContent
    private var bytes: Int
    private var count: Int

    /// What the file takes without values and names that wait: more than its first line and the circles.
    static let frame = 4 << 10
    /// How many settings the file has besides the values, at most.
    static let entries = 16

    init(_ content: SyncedContent) {
        self.content = content
        bytes = Self.frame + content.size + content.surplus
        count = content.values.count
    }

    /// Takes the room of one more change. Each name is changed once.
    ///
    /// What takes no more room than before always has it.
    /// - Parameter isPending: whether the name waits from then on.
    /// - Returns: false if there is none. Then nothing is taken.
    mutating func take(_ value: SettingsJSON, named name: String, isPending: Bool) -> Bool {
        let former = content.values[name]
        var growth = SyncedContent.size(name, value) - SyncedContent.size(name, former)
        growth += Self.signs(name, value) - Self.signs(name, former)
        if isPending != content.pending.contains(name) { growth += isPending ? Self.mark(name) : -Self.mark(name) }
        guard growth <= 0 || bytes + growth <= SettingsLimits.file else { return false }
        guard former != nil || count < SettingsLimits.count - Self.entries else { return false }
        bytes += growth
        if former == nil { count += 1 }
        return true
    }

    /// The bytes of a value's line besides the name and the value: `,` and a line break, quotes, `=` and `:`.
    static func signs(_ name: String, _ value: SettingsJSON?) -> Int { value == nil ? 0 : 6 + escapes(name) }

    /// The bytes of a name that waits: with quotes and a comma.
    static func mark(_ name: String) -> Int { name.utf8.count + 3 + escapes(name) }

    /// A name has no control characters, so only these two are written with a sign before them.
    private static func escapes(_ name: String) -> Int {
        name.utf8.count { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }
    }

    /// Names in parts that one setting of the file can hold each.
    static func parts(_ names: [String]) -> [[String]] {
        // The brackets.
        let brackets = 2
        var parts: [[String]] = []
        var size = brackets
        for name in names {
            let mark = mark(name)
            if parts.isEmpty || size + mark > SettingsLimits.value {
                parts.append([])
                size = brackets
            }
            parts[parts.count - 1].append(name)
            size += mark
        }
        return parts
    }
}
