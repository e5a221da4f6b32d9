/// Several fields of one item that were read with one prompt. See ``Keychain/values(of:fields:reason:)``.
///
/// ```swift
/// let login = try await keychain.values(of: "octo", fields: [.secret, .otp], reason: "Sign in")
/// let password = try login.string(of: .secret)
/// ```
public struct FieldValues: Sendable {
    private let name: ItemName
    private let values: [FieldName: [UInt8]]

    init(_ name: ItemName, _ values: [FieldName: [UInt8]]) {
        self.name = name
        self.values = values
    }

    /// The fields that were read, sorted by their names.
    public var fields: [FieldName] { values.keys.sorted { $0.text < $1.text } }

    /// - Throws: `.notFound` for a field that was not read.
    public func bytes(of field: FieldName) throws(KeychainError) -> [UInt8] {
        guard let value = values[field] else {
            throw KeychainError(
                .notFound, "\(name): the field \(VisibleText.quoted(field.text)) was not read",
                advice: "name it in the call of values")
        }
        return value
    }

    /// - Throws: `.notText` if the value is not UTF-8, and as ``bytes(of:)``.
    public func string(of field: FieldName) throws(KeychainError) -> String {
        try ItemCoding.string(bytes(of: field), name)
    }

    /// - Throws: `.notDecodable` if the value is another type's, and as ``bytes(of:)``.
    public func value<Value: Decodable>(_ type: Value.Type, of field: FieldName) throws(KeychainError) -> Value {
        try ItemCoding.decode(type, bytes(of: field), name)
    }
}

extension FieldValues: CustomStringConvertible, CustomReflectable {
    /// Never shows a value.
    public var description: String { "\(name), \(fields.map(\.text).joined(separator: ", ")): [REDACTED]" }

    /// Never shows a value.
    public var customMirror: Mirror { Mirror(self, children: ["name": name, "fields": fields]) }
}
