public import Coffer
import CofferSettings
import FoundationEssentials

/// A record whose parts belong into different stores. ``HybridStore`` saves, loads and deletes it as a whole.
///
/// ```swift
/// struct User: HybridRecord {
///     var token: String?
///     var theme = "light"
///     var picture: [UInt8]?
///
///     static let fields: [HybridField<User>] = [
///         .secret("token", \.token, access: .whenUnlocked.requiring(.userPresence)),
///         .setting("theme", \.theme),
///         .file("picture", \.picture),
///     ]
/// }
/// ```
public protocol HybridRecord: Sendable {
    /// A record in which every field has its default.
    init()

    /// The fields that are stored. Others keep their defaults. At most 31 are secrets. All settings have at most 720 KiB
    /// as JSON, and secrets and settings together about 1.5 MiB.
    static var fields: [HybridField<Self>] { get }
}

/// A field of a record, and the store that it belongs into.
///
/// ```swift
/// let token = HybridField<User>.secret("token", \.token)
/// ```
public struct HybridField<Record: HybridRecord>: Sendable {
    enum Store: Sendable {
        case secret
        case file
        case setting(SettingForm)
    }

    /// How a setting is moved between a record and the settings.
    struct SettingForm: Sendable {
        let put: @Sendable (_ prefix: String, Record, inout SettingsDraft) throws(SettingsError) -> Void
        let get: @Sendable (_ prefix: String, SettingsDraft, inout Record) throws(SettingsError) -> Void
        let remove: @Sendable (_ prefix: String, inout SettingsDraft) -> Void
    }

    /// Letters, digits, dashes and underscores: it is a part of the names of an item, a setting and a file.
    public let name: String
    let store: Store
    let access: AccessControl?
    /// nil: the field is empty.
    let encode: @Sendable (Record) throws(KeychainError) -> [UInt8]?
    /// Gets nil for a field that was empty.
    let decode: @Sendable ([UInt8]?, inout Record) throws(KeychainError) -> Void

    /// A secret: an item of the keychain. nil is stored as no item.
    /// - Parameter access: what reading it takes. nil: an existing item keeps its own, and a new one gets `.whenUnlocked`.
    public static func secret<Value: Codable & Sendable>(
        _ name: String, _ path: any WritableKeyPath<Record, Value> & Sendable, access: AccessControl? = nil
    ) -> HybridField { json(name, path, .secret, access) }

    /// A setting, as plain text. Never for a secret.
    public static func setting<Value: SettingValue & Codable>(
        _ name: String, _ path: any WritableKeyPath<Record, Value> & Sendable
    ) -> HybridField {
        // nil is stored as no setting. So what is missing was nil, also if the record begins with a value.
        let none = (Value.self as? any ExpressibleByNilLiteral.Type)?.init(nilLiteral: ()) as? Value
        @Sendable func key(_ prefix: String) -> SettingKey<Value> {
            SettingKey(prefix + name, default: none ?? Record()[keyPath: path])
        }
        return json(
            name, path,
            .setting(
                SettingForm(
                    put: { (prefix, record, draft) throws(SettingsError) in
                        try draft.set(record[keyPath: path], for: key(prefix))
                    },
                    get: { (prefix, draft, record) throws(SettingsError) in
                        record[keyPath: path] = try draft.value(for: key(prefix))
                    },
                    remove: { prefix, draft in draft.remove(key(prefix)) })), nil)
    }

    /// A protected file that holds a value as JSON, 64 MiB at most. nil is stored as no file.
    /// - Parameter access: what reading it takes. nil: `.whenUnlocked`.
    public static func file<Value: Codable & Sendable>(
        _ name: String, _ path: any WritableKeyPath<Record, Value> & Sendable, access: AccessControl? = nil
    ) -> HybridField { json(name, path, .file, access) }

    /// A protected file that holds bytes as they are, 64 MiB at most. nil is stored as no file.
    public static func file(
        _ name: String, _ path: any WritableKeyPath<Record, [UInt8]?> & Sendable, access: AccessControl? = nil
    ) -> HybridField {
        HybridField(
            name: name, store: .file, access: access, encode: { record in record[keyPath: path] },
            decode: { bytes, record in record[keyPath: path] = bytes })
    }

    private static func json<Value: Codable & Sendable>(
        _ name: String, _ path: any WritableKeyPath<Record, Value> & Sendable, _ store: Store, _ access: AccessControl?
    ) -> HybridField {
        HybridField(
            name: name, store: store, access: access,
            encode: { (record) throws(KeychainError) in
                let bytes = try HybridJSON.encode(record[keyPath: path])
                return bytes == HybridJSON.null ? nil : bytes
            },
            decode: { (bytes, record) throws(KeychainError) in
                record[keyPath: path] = try HybridJSON.decode(Value.self, bytes ?? HybridJSON.null, name)
            })
    }
}

/// Fields and manifests as JSON. The errors never quote a value.
enum HybridJSON {
    static let null = Array("null".utf8)

    static func encode(_ value: some Encodable) throws(KeychainError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do { return Array(try encoder.encode(value)) } catch {
            throw KeychainError(.invalidArgument, "a field cannot be written as JSON")
        }
    }

    static func decode<Value: Decodable>(
        _ type: Value.Type, _ bytes: [UInt8], _ name: String
    ) throws(KeychainError) -> Value {
        do { return try JSONDecoder().decode(type, from: Data(bytes)) } catch {
            throw KeychainError(
                .notDecodable, "the stored \(name) is no \(type)", advice: "read it as the type that was stored")
        }
    }
}
