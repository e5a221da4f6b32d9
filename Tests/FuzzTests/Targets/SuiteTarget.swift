import Foundation
import Platform
import TestSupport

@testable import Coffer
@testable import CofferSettings

/// An application's settings files.
struct SuiteTarget: FuzzTarget {
    private struct Preferences: Codable, Sendable {
        var size = 1.5
        var names = ["a": [1, 2]]
    }

    private let folder: TemporaryFolder
    private let backend: FileSettings
    private let trees: [JSONTree]
    /// With what a tree does not hold.
    private let text: [UInt8]

    init() async throws {
        folder = try TemporaryFolder()
        backend = FileSettings(suite: "app", folder: folder.path)
        var texts: [[UInt8]] = []
        for json: SettingsJSON in [
            ["a": 1, "b": [true, .null, 2], "c": "text"], ["version": 1, "preferences": [:]],
        ] {
            guard case .object(let values) = json else { continue }
            texts.append(try SettingsFormat.bytes(of: values))
        }
        text = try SettingsFormat.bytes(of: ["a": -1.5e-300, "b": ["c": ["\u{1F511}\n", 1e300]]])
        trees = try texts.map { try JSONTree(parsing: $0) }
    }

    mutating func tryOne(_ mutator: inout Mutator) async throws {
        let text =
            mutator.below(4) == 0
            ? mutator.bytes(self.text, donors: [self.text])
            : mutator.text(trees[mutator.below(trees.count)], donors: trees)
        try DurableFile.write(text, to: folder.path + "/app.json", mode: 0o600)
        guard let content = try answer({ try backend.read() }) else { return }
        // What is read can be written, and is the same then.
        if let bytes = try answer({ try SettingsFormat.bytes(of: content.values) }) {
            let again = try SettingsFormat.values(of: bytes, from: "it")
            try promise(again == content.values, "a file that reads differently when it is written again")
        }
        let settings = Settings(backend: backend)
        for name in content.values.keys {
            _ = try answer { try settings.value(for: SettingKey(name, default: 0)) }
            _ = try answer { try settings.value(for: SettingKey(name, default: "")) }
            _ = try answer { try settings.value(for: SettingKey(name, default: [0.5])) }
            _ = try answer { try settings.value(for: SettingKey(name, default: Date())) }
        }
        let preferences = VersionedSettings(
            backend: InMemorySettings(content.values), version: 2, default: Preferences(),
            migrations: [SettingsMigration(from: 1) { $0["size"] = 2 }])
        // A refusal is an answer, too.
        _ = try? await preferences.load()
    }
}
