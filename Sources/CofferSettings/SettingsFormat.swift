/// The text of a settings file: `{"coffer-settings":1,"settings":{…}}`, one setting a line.
enum SettingsFormat {
    static let version: Int64 = 1
    private static let end = "\n}}\n"
    private static var beginning: String { "{\"coffer-settings\":\(version),\"settings\":{" }

    /// - Throws: ``SettingsError/Code/limitExceeded``, ``SettingsError/Code/notStorable``,
    ///   ``SettingsError/Code/invalidName``.
    static func bytes(of values: [String: SettingsJSON]) throws(SettingsError) -> [UInt8] {
        try check(count: values.count)
        var text = beginning
        var isFirst = true
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            try SettingName.check(name)
            text += isFirst ? "\n" : ",\n"
            isFirst = false
            SettingsJSON.write(name, to: &text)
            text += ":"
            text += try self.text(of: value)
        }
        text += end
        try check(bytes: text.utf8.count)
        return Array(text.utf8)
    }

    private static func check(count: Int) throws(SettingsError) {
        guard count <= SettingsLimits.count else {
            throw SettingsError(
                .limitExceeded, "the suite would have \(count) settings",
                advice: "keep at most \(SettingsLimits.count) in one suite")
        }
    }

    private static func check(bytes: Int) throws(SettingsError) {
        guard bytes <= SettingsLimits.file else {
            throw SettingsError(
                .limitExceeded, "the suite would have \(bytes) bytes",
                advice: "keep what is larger than \(SettingsLimits.file) bytes in files")
        }
    }

    /// How much of a file some settings take. One setting more or less changes it without a look at the others.
    struct Size: Sendable {
        private var count = 0
        /// The bytes of the settings' lines.
        private var lines = 0

        init(of values: [String: SettingsJSON]) throws(SettingsError) {
            for (name, value) in values { try replace(name, nil, by: value) }
        }

        mutating func replace(
            _ name: String, _ former: SettingsJSON?, by value: SettingsJSON?
        ) throws(SettingsError) {
            if let former {
                count -= 1
                lines -= try Self.line(name, former)
            }
            if let value {
                count += 1
                lines += try Self.line(name, value)
            }
        }

        /// A line with its colon, its line break and the comma before it.
        private static func line(_ name: String, _ value: SettingsJSON) throws(SettingsError) -> Int {
            var text = ",\n"
            SettingsJSON.write(name, to: &text)
            return text.utf8.count + 1 + (try value.text()).utf8.count
        }

        /// - Throws: ``SettingsError/Code/limitExceeded`` if the settings are too many or too large for a suite.
        func check() throws(SettingsError) {
            try SettingsFormat.check(count: count)
            // The first line has no comma.
            let lines = count == 0 ? 0 : lines - 1
            try SettingsFormat.check(
                bytes: SettingsFormat.beginning.utf8.count + lines + SettingsFormat.end.utf8.count)
        }

        /// Whether these settings take more room than the others.
        func isLarger(than other: Size) -> Bool { count > other.count || lines > other.lines }
    }

    /// The text of one value, within its limits.
    static func text(of value: SettingsJSON) throws(SettingsError) -> String {
        let text = try value.text()
        guard text.utf8.count <= SettingsLimits.value else {
            throw SettingsError(
                .limitExceeded, "the value has \(text.utf8.count) bytes",
                advice: "keep what is larger than \(SettingsLimits.value) bytes in a file")
        }
        return text
    }

    /// - Throws: ``SettingsError/Code/damaged``, ``SettingsError/Code/newerVersion``.
    static func values(of bytes: [UInt8], from path: String) throws(SettingsError) -> [String: SettingsJSON] {
        let json: SettingsJSON
        do throws(SettingsReader.Malformed) {
            // The envelope is two levels.
            json = try SettingsReader.read(bytes, depth: SettingsLimits.depth + 2)
        } catch { throw damaged(path, error.reason) }
        guard case .integer(let found) = json["coffer-settings"], found > 0 else {
            throw damaged(path, "it has no version")
        }
        guard found == version else {
            throw SettingsError(
                .newerVersion, "\(path) has format \(found), and this program knows \(version)",
                advice: "update the program")
        }
        guard case .object(let values) = json["settings"] else { throw damaged(path, "it has no settings") }
        guard values.count <= SettingsLimits.count else { throw damaged(path, "it has \(values.count) settings") }
        return values
    }

    private static func damaged(_ path: String, _ reason: String) -> SettingsError {
        SettingsError(
            .damaged, "\(path) is damaged: \(reason)",
            advice: "repair it, or have the application put it aside and start with its defaults")
    }
}
