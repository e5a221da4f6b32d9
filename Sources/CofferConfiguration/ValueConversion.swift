import Configuration
import FoundationEssentials

/// A secret that is not of the type that was asked for. It names the account, and never the value.
///
/// ```swift
/// func explain(_ error: any Error) {
///     if let error = error as? ConversionError { print("check the secret \(error.account)") }
/// }
/// ```
public struct ConversionError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The account of the secret.
    public let account: String
    /// The type that was asked for.
    public let type: ConfigType

    /// Names account and type, never the value.
    public var description: String { "the secret \(account) is no \(type.rawValue)" }
}

extension ConversionError: LocalizedError {
    /// What happened: ``description``.
    public var errorDescription: String? { description }
}

/// Secrets as swift-configuration's types: text as it is, numbers and `true` or `false` as they are written, and lists as JSON arrays. Byte chunks are base64 there.
enum ValueConversion {
    static func value(_ bytes: [UInt8], as type: ConfigType, _ account: String) throws(ConversionError) -> ConfigValue {
        guard let content = content(bytes, as: type) else { throw ConversionError(account: account, type: type) }
        return ConfigValue(content, isSecret: true)
    }

    private static func content(_ bytes: [UInt8], as type: ConfigType) -> ConfigContent? {
        if type == .bytes { return .bytes(bytes) }
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        switch type {
        case .bytes: return .bytes(bytes)
        case .string: return .string(text)
        case .int: return Int(text).map(ConfigContent.int)
        case .double: return Double(text).map(ConfigContent.double)
        case .bool: return Bool(text).map(ConfigContent.bool)
        case .stringArray: return list([String].self, bytes).map(ConfigContent.stringArray)
        case .intArray: return list([Int].self, bytes).map(ConfigContent.intArray)
        case .doubleArray: return list([Double].self, bytes).map(ConfigContent.doubleArray)
        case .boolArray: return list([Bool].self, bytes).map(ConfigContent.boolArray)
        case .byteChunkArray: return list([Data].self, bytes).map { .byteChunkArray($0.map(Array.init)) }
        }
    }

    private static func list<Element: Decodable>(_ type: [Element].Type, _ bytes: [UInt8]) -> [Element]? {
        // `try?`: the caller names the account and the type, and the decoder's error may quote the value.
        try? JSONDecoder().decode(type, from: Data(bytes))
    }
}
