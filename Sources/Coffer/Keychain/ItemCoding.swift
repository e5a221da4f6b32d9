import FoundationEssentials

/// Values as text and as JSON. The errors never quote a value.
package enum ItemCoding {
    package static func string(_ bytes: [UInt8], _ name: ItemName) throws(KeychainError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw KeychainError(.notText, "the value of \(name) is not UTF-8", advice: "read it as bytes")
        }
        return text
    }

    package static func decode<Value: Decodable>(
        _ type: Value.Type, _ bytes: [UInt8], _ name: ItemName
    ) throws(KeychainError) -> Value {
        do { return try JSONDecoder().decode(type, from: Data(bytes)) } catch {
            throw KeychainError(
                .notDecodable, "the value of \(name) is no \(type) in JSON", advice: Self.advice(to: type))
        }
    }

    /// Text and bytes are often stored as they are, and not as JSON. A guess could change a value that looks like JSON.
    private static func advice(to type: Any.Type) -> String {
        switch type {
        case is String.Type: "read text that was stored as it is with string(for:)"
        case is [UInt8].Type, is Data.Type: "read bytes that were stored as they are with bytes(for:)"
        default: "read it as the type that was stored"
        }
    }

    package static func encode<Value: Encodable>(_ value: Value) throws(KeychainError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        do { return Array(try encoder.encode(value)) } catch {
            throw KeychainError(.invalidArgument, "a \(Value.self) cannot be written as JSON")
        }
    }
}
