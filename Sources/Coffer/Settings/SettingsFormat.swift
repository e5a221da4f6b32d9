/// The text of a settings file: `{"coffer-settings":1,"settings":{…}}`, one setting a line.
enum SettingsFormat {
    static let version: Int64 = 1

    /// - Throws: ``SettingsError/Code/limitExceeded``, ``SettingsError/Code/notStorable``,
    ///   ``SettingsError/Code/invalidName``.
    static func bytes(of values: [String: SettingsJSON]) throws(SettingsError) -> [UInt8] {
        guard values.count <= SettingsLimits.count else {
            throw SettingsError(
                .limitExceeded, "the suite would have \(values.count) settings",
                advice: "keep at most \(SettingsLimits.count) in one suite")
        }
        var text = "{\"coffer-settings\":\(version),\"settings\":{"
        var isFirst = true
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            try SettingName.check(name)
            text += isFirst ? "\n" : ",\n"
            isFirst = false
            SettingsJSON.write(name, to: &text)
            text += ":"
            text += try self.text(of: value)
        }
        text += "\n}}\n"
        guard text.utf8.count <= SettingsLimits.file else {
            throw SettingsError(
                .limitExceeded, "the suite would have \(text.utf8.count) bytes",
                advice: "keep what is larger than \(SettingsLimits.file) bytes in files")
        }
        return Array(text.utf8)
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
