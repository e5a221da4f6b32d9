import CofferSettings
import Glibc

/// Writes settings as another process does. It prints a line when it is ready, and begins when it reads one.
@main struct SettingsWriter {
    struct Counters: Codable, Sendable {
        var values: [String: Int] = [:]
    }

    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count == 5, let count = Int(arguments[4]) else {
            fatalError("use: settings-writer VERB FOLDER SUITE NAME COUNT")  // A test that starts it wrongly must fail.
        }
        let (verb, name) = (arguments[0], arguments[3])
        let backend = FileSettings(suite: arguments[2], folder: arguments[1])
        let settings = Settings(backend: backend)
        print("ready")
        fflush(nil)
        _ = readLine()
        switch verb {
        case "fill":
            for number in 0..<count {
                try settings.set(number, for: SettingKey("\(name)-\(number)", default: -1))
                if number % 5 == 0 { try await settings.flush() }
            }
            try await settings.flush()
        case "count":
            let key = SettingKey(name, default: 0)
            for _ in 0..<count {
                try await settings.update { (draft) throws(SettingsError) in
                    try draft.set(draft.value(for: key) + 1, for: key)
                }
            }
        case "versioned":
            let counters = VersionedSettings(backend: backend, version: 1, default: Counters())
            for _ in 0..<count { try await counters.update { $0.values[name, default: 0] += 1 } }
        case "pairs":
            // Two large values that are always the same.
            let (left, right) = (SettingKey("left", default: ""), SettingKey("right", default: ""))
            for number in 0..<count {
                let value = String(repeating: "\(number % 10)", count: 100_000)
                try await settings.update { (draft) throws(SettingsError) in
                    try draft.set(value, for: left)
                    try draft.set(value, for: right)
                }
            }
        default: fatalError("there is no \(verb)")  // A test that starts it wrongly must fail.
        }
    }
}
