import FoundationEssentials

/// Values as text and as JSON. The errors never quote a value.
enum ItemCoding {
    static func string(_ bytes: [UInt8], _ name: ItemName) throws(KeychainError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw KeychainError(.notText, "the value of \(name) is not UTF-8", advice: "read it as bytes")
        }
        return text
    }

    static func decode<Value: Decodable>(
        _ type: Value.Type, _ bytes: [UInt8], _ name: ItemName
    ) throws(KeychainError) -> Value {
        do { return try JSONDecoder().decode(type, from: Data(bytes)) } catch {
            throw KeychainError(
                .notDecodable, "the value of \(name) is no \(type)", advice: "read it as the type that was stored")
        }
    }

    static func encode<Value: Encodable>(_ value: Value) throws(KeychainError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        do { return Array(try encoder.encode(value)) } catch {
            throw KeychainError(.invalidArgument, "a \(Value.self) cannot be written as JSON")
        }
    }
}
