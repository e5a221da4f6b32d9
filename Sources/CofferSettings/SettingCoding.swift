import FoundationEssentials

/// How values of one type are stored as a setting. Only Coffer makes these. Your own types get theirs by conforming to
/// ``SettingValue``.
///
/// ```swift
/// enum Theme: String, SettingValue { case light, dark }
/// ```
public struct SettingCoding<Value: Sendable>: Sendable {
    let encode: @Sendable (Value) throws(SettingsError) -> SettingsJSON
    let decode: @Sendable (SettingsJSON) throws(SettingsError) -> Value

    /// - Parameter decode: nil for a value of another type.
    init(
        encode: @escaping @Sendable (Value) throws(SettingsError) -> SettingsJSON,
        decode: @escaping @Sendable (SettingsJSON) throws(SettingsError) -> Value?
    ) {
        // Here, because a value may be a part of another one, and may conform where its type does not always.
        self.encode = { (value) throws(SettingsError) in
            if value is any SensitiveValue { throw .sensitive(type(of: value)) }
            return try encode(value)
        }
        self.decode = { (json) throws(SettingsError) in
            guard let value = try decode(json) else {
                throw SettingsError(.wrongType, "the stored value is no \(Value.self)")
            }
            return value
        }
    }

    /// For what is never stored.
    static var refusing: SettingCoding {
        SettingCoding(
            encode: { (_) throws(SettingsError) in throw .sensitive(Value.self) },
            decode: { (_) throws(SettingsError) in throw .sensitive(Value.self) })
    }
}

extension SettingCoding where Value: Codable {
    /// As the type encodes itself.
    static var codable: SettingCoding {
        SettingCoding(
            encode: { (value) throws(SettingsError) in try SettingsEncoder.encode(value) },
            decode: { (json) throws(SettingsError) in
                let bytes = Data(try json.text().utf8)
                do { return try JSONDecoder().decode(Box<Value>.self, from: bytes).value } catch {
                    throw SettingsError(
                        .wrongType, "the stored value is no \(Value.self)", cause: Self.place(of: error))
                }
            })
    }

    /// Where in the value the difference is. The error's own text may quote values.
    private static func place(of error: any Error) -> String? {
        switch error as? DecodingError {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            let path = context.codingPath.map(\.stringValue).joined(separator: ".")
            return path.isEmpty ? nil : "at \(path)"
        default: return nil
        }
    }

    /// Decodes a value that is no object or array, too.
    private struct Box<Content: Decodable>: Decodable {
        let value: Content

        init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Content.self) }
    }
}

extension SettingCoding where Value: RawRepresentable, Value.RawValue: SettingValue {
    /// As its raw value.
    static var raw: SettingCoding {
        let raw = Value.RawValue.settingCoding
        return SettingCoding(
            encode: { (value) throws(SettingsError) in try raw.encode(value.rawValue) },
            decode: { (json) throws(SettingsError) in Value(rawValue: try raw.decode(json)) })
    }
}
