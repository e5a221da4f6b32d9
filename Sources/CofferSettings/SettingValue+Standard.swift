import FoundationEssentials

// How the types of Swift and Foundation are stored.

extension Bool: SettingValue {
    /// As true or false.
    public static var settingCoding: SettingCoding<Bool> {
        SettingCoding(encode: { .bool($0) }, decode: { if case .bool(let value) = $0 { value } else { nil } })
    }
}

extension String: SettingValue {
    /// As it is.
    public static var settingCoding: SettingCoding<String> {
        SettingCoding(encode: { .string($0) }, decode: { if case .string(let value) = $0 { value } else { nil } })
    }
}

extension SettingValue where Self: FixedWidthInteger & Codable {
    /// Exactly. Numbers beyond those of `Int64` are refused.
    public static var settingCoding: SettingCoding<Self> {
        SettingCoding(
            encode: { (value) throws(SettingsError) in
                guard let number = Int64(exactly: value) else {
                    throw SettingsError(.notStorable, "the number has more than 63 bits")
                }
                return .integer(number)
            },
            decode: { if case .integer(let value) = $0 { Self(exactly: value) } else { nil } })
    }
}

extension Int: SettingValue {}
extension Int8: SettingValue {}
extension Int16: SettingValue {}
extension Int32: SettingValue {}
extension Int64: SettingValue {}
extension Int128: SettingValue {}
extension UInt: SettingValue {}
extension UInt16: SettingValue {}
extension UInt32: SettingValue {}
extension UInt64: SettingValue {}
extension UInt128: SettingValue {}

extension UInt8: SettingValue {
    /// Bytes, as Base64.
    public static var settingListCoding: SettingCoding<[UInt8]> {
        SettingCoding(
            encode: { .string(Data($0).base64EncodedString()) },
            decode: { if case .string(let text) = $0 { Data(base64Encoded: text).map { Array($0) } } else { nil } })
    }
}

extension Double: SettingValue {
    /// Exactly. Infinity and NaN are refused.
    public static var settingCoding: SettingCoding<Double> {
        SettingCoding(
            encode: { (value) throws(SettingsError) in
                guard value.isFinite else { throw .notFinite }
                return .number(value)
            },
            decode: { json in
                switch json {
                case .number(let value): value
                case .integer(let value): Double(exactly: value)
                default: nil
                }
            })
    }
}

extension Float: SettingValue {
    /// Exactly. Infinity and NaN are refused. Another number that a person wrote into the file is rounded.
    public static var settingCoding: SettingCoding<Float> {
        let double = Double.settingCoding
        return SettingCoding(
            encode: { (value) throws(SettingsError) in try double.encode(Double(value)) },
            decode: { (json) throws(SettingsError) in
                let value = Float(try double.decode(json))
                return value.isFinite ? value : nil
            })
    }
}

extension Data: SettingValue {
    /// As Base64.
    public static var settingCoding: SettingCoding<Data> {
        SettingCoding(
            encode: { .string($0.base64EncodedString()) },
            decode: { if case .string(let text) = $0 { Data(base64Encoded: text) } else { nil } })
    }
}

extension Date: SettingValue {
    /// As seconds since the first day of 2001, exactly.
    public static var settingCoding: SettingCoding<Date> {
        let double = Double.settingCoding
        return SettingCoding(
            encode: { (value) throws(SettingsError) in try double.encode(value.timeIntervalSinceReferenceDate) },
            decode: { (json) throws(SettingsError) in Date(timeIntervalSinceReferenceDate: try double.decode(json)) })
    }
}

extension URL: SettingValue {
    /// As its absolute text.
    public static var settingCoding: SettingCoding<URL> {
        SettingCoding(
            encode: { .string($0.absoluteString) },
            decode: { if case .string(let text) = $0 { URL(string: text) } else { nil } })
    }
}

extension Optional: SettingValue where Wrapped: SettingValue {
    /// nil as null. A setting that is nil is not stored at all.
    public static var settingCoding: SettingCoding<Wrapped?> {
        let coding = Wrapped.settingCoding
        return SettingCoding(
            encode: { (value) throws(SettingsError) in
                if let value { try coding.encode(value) } else { .null }
            },
            decode: { (json) throws(SettingsError) in
                json == .null ? .some(nil) : .some(try coding.decode(json))
            })
    }
}

extension Array: SettingValue where Element: SettingValue {
    /// As a list; bytes as Base64.
    public static var settingCoding: SettingCoding<[Element]> { Element.settingListCoding }
}

extension Dictionary: SettingValue where Key == String, Value: SettingValue {
    /// As an object.
    public static var settingCoding: SettingCoding<[String: Value]> {
        let coding = Value.settingCoding
        return SettingCoding(
            encode: { (values) throws(SettingsError) in
                var members: [String: SettingsJSON] = [:]
                for (name, value) in values { members[name] = try coding.encode(value) }
                return .object(members)
            },
            decode: { (json) throws(SettingsError) in
                guard case .object(let members) = json else { return nil }
                var values: [String: Value] = [:]
                for (name, member) in members { values[name] = try coding.decode(member) }
                return values
            })
    }
}
