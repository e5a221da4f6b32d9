import Coffer
import FoundationEssentials

/// What a saved record consists of. It is an item of the keychain, and changes in one transaction with the secrets: this is the moment at which a save counts.
struct HybridManifest: Codable, Sendable {
    /// Another one for each save.
    let revision: String
    /// The fields that are items.
    var secrets: [String] = []
    /// The files by their fields.
    var files: [String: String] = [:]
    /// The fields that were empty.
    var empty: [String] = []
    /// The settings as JSON, to write them again if a save was interrupted before it did.
    var settings: [String: ManifestBytes] = [:]
}

/// Bytes as Base64. Manifests were written with lists of numbers before, which take three times as much room.
struct ManifestBytes: Codable, Sendable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // `try?`: a list of numbers is no text.
        guard let text = try? container.decode(String.self) else {
            bytes = try container.decode([UInt8].self)
            return
        }
        guard let data = Data(base64Encoded: text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "it is no Base64")
        }
        bytes = Array(data)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Data(bytes).base64EncodedString())
    }
}

extension HybridManifest {
    init<Record: HybridRecord>(_ record: Record, revision: String, name: String) throws(KeychainError) {
        self.init(revision: revision)
        for field in Record.fields {
            guard let bytes = try field.encode(record) else {
                empty.append(field.name)
                continue
            }
            switch field.store {
            case .secret: secrets.append(field.name)
            case .file:
                // A larger one could not be loaded again, and the former record would be gone by then.
                guard bytes.count <= ProtectedFiles.defaultLimit else { throw .fieldTooLarge(field.name, bytes.count) }
                files[field.name] = "\(name)/\(field.name)-\(revision)"
            case .setting: settings[field.name] = ManifestBytes(bytes)
            }
        }
        let size = settings.values.reduce(0) { $0 + $1.bytes.count }
        guard size <= HybridLimits.settings else { throw .settingsTooLarge(settings.keys.sorted(), size) }
    }

    /// Gives a record the settings as they were saved.
    func addSettings<Record: HybridRecord>(to record: inout Record) throws(KeychainError) {
        for field in Record.fields {
            guard case .setting = field.store else { continue }
            if let bytes = settings[field.name] {
                try field.decode(bytes.bytes, &record)
            } else if empty.contains(field.name) {
                try field.decode(nil, &record)
            }
        }
    }
}

extension KeychainError {
    fileprivate static func settingsTooLarge(_ fields: [String], _ size: Int) -> KeychainError {
        KeychainError(
            .limitExceeded,
            "the settings \(fields.joined(separator: ", ")) have \(size) bytes, but a record has "
                + "\(HybridLimits.settings) bytes of settings at most",
            advice: "make the largest of them a file")
    }

    static func tooLargeTogether(_ manifest: HybridManifest) -> KeychainError {
        let fields = manifest.secrets + manifest.settings.keys.sorted()
        return KeychainError(
            .limitExceeded, "the fields \(fields.joined(separator: ", ")) are too large to be loaded together",
            advice: "make the largest of them a file")
    }

    fileprivate static func fieldTooLarge(_ field: String, _ size: Int) -> KeychainError {
        KeychainError(
            .limitExceeded,
            "the field \(field) has \(size) bytes, but a file of a record has \(ProtectedFiles.defaultLimit) at most",
            advice: "write it with ProtectedFiles to a path of its own, and keep that path in the record")
    }
}
