import FoundationEssentials

/// Encodes a value as a setting. It sees every part of the value, and refuses those that are marked as sensitive.
struct SettingsEncoder: Encoder {
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    private let place: Place

    /// - Throws: ``SettingsError`` of the codes `sensitive`, `notStorable` and `limitExceeded`.
    static func encode(_ value: some Encodable) throws(SettingsError) -> SettingsJSON {
        do {
            let place = Place()
            try SettingsEncoder(codingPath: [], place: place).put(value)
            return place.json
        } catch let error as SettingsError {
            throw error
        } catch {
            throw SettingsError(
                .notStorable, "a value of type \(type(of: value)) could not be encoded", cause: "\(type(of: error))")
        }
    }

    /// Where a value goes. Encoders and containers of one value share it, as `Encodable` demands.
    final class Place {
        enum Content {
            case nothing
            case value(SettingsJSON)
            case list([Place])
            case members([String: Place])
        }

        var content = Content.nothing

        /// A type that encodes nothing is an empty object.
        var json: SettingsJSON {
            switch content {
            case .nothing: .object([:])
            case .value(let json): json
            case .list(let places): .array(places.map(\.json))
            case .members(let members): .object(members.mapValues(\.json))
            }
        }

        func append() -> Place {
            let place = Place()
            var places: [Place] = []
            if case .list(let present) = content { places = present }
            // Otherwise each of many elements would copy the list.
            content = .nothing
            places.append(place)
            content = .list(places)
            return place
        }

        func member(_ name: String) -> Place {
            let place = Place()
            var members: [String: Place] = [:]
            if case .members(let present) = content { members = present }
            content = .nothing
            members[name] = place
            content = .members(members)
            return place
        }

        /// The place of a container of its own. A type that asks for it twice adds to what is there.
        func container(_ name: String, isList: Bool) -> Place {
            guard case .members(let members) = content, let present = members[name] else { return member(name) }
            return switch present.content {
            case .nothing: present
            case .members: isList ? member(name) : present
            case .list: isList ? present : member(name)
            case .value: member(name)
            }
        }
    }

    private init(codingPath: [any CodingKey], place: Place) {
        self.codingPath = codingPath
        self.place = place
    }

    private func put(_ value: some Encodable) throws {
        if value is any SensitiveValue { throw SettingsError.sensitive(type(of: value)) }
        guard codingPath.count <= SettingsLimits.depth else { throw SettingsError.tooDeep }
        switch value {
        case let value as Bool: place.content = .value(.bool(value))
        case let value as String: place.content = .value(.string(value))
        case let value as any BinaryInteger & Sendable:
            guard let number = Int64(exactly: value) else {
                throw SettingsError(.notStorable, "a number has more than 63 bits")
            }
            place.content = .value(.integer(number))
        case let value as Double: try put(number: value)
        case let value as Float: try put(number: Double(value))
        // The decoder expects these in the same forms.
        case let value as Data: place.content = .value(.string(value.base64EncodedString()))
        case let value as URL: place.content = .value(.string(value.absoluteString))
        case is Decimal: throw SettingsError(.notStorable, "a Decimal has no exact form", advice: "store its text")
        default: try value.encode(to: self)
        }
    }

    private func put(number: Double) throws {
        guard number.isFinite else { throw SettingsError.notFinite }
        place.content = .value(.number(number))
    }

    private func inner(_ key: any CodingKey, _ place: Place) -> SettingsEncoder {
        SettingsEncoder(codingPath: codingPath + [key], place: place)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if case .nothing = place.content { place.content = .members([:]) }
        return KeyedEncodingContainer(Keyed(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if case .nothing = place.content { place.content = .list([]) }
        return Unkeyed(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { Single(encoder: self) }

    private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let encoder: SettingsEncoder
        var codingPath: [any CodingKey] { encoder.codingPath }

        private func inner(_ key: some CodingKey) -> SettingsEncoder {
            encoder.inner(key, encoder.place.member(key.stringValue))
        }

        private func nested(_ key: Key, isList: Bool) -> SettingsEncoder {
            encoder.inner(key, encoder.place.container(key.stringValue, isList: isList))
        }

        mutating func encodeNil(forKey key: Key) throws { inner(key).place.content = .value(.null) }
        mutating func encode(_ value: some Encodable, forKey key: Key) throws { try inner(key).put(value) }
        // For these two, the standard library has an implementation that refuses them.
        mutating func encode(_ value: Int128, forKey key: Key) throws { try inner(key).put(value) }
        mutating func encode(_ value: UInt128, forKey key: Key) throws { try inner(key).put(value) }
        mutating func nestedContainer<Inner: CodingKey>(
            keyedBy type: Inner.Type, forKey key: Key
        ) -> KeyedEncodingContainer<Inner> { nested(key, isList: false).container(keyedBy: type) }
        mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            nested(key, isList: true).unkeyedContainer()
        }
        mutating func superEncoder() -> any Encoder { inner(PlainKey(stringValue: "super")) }
        mutating func superEncoder(forKey key: Key) -> any Encoder { inner(key) }
    }

    private struct Unkeyed: UnkeyedEncodingContainer {
        let encoder: SettingsEncoder
        var codingPath: [any CodingKey] { encoder.codingPath }
        var count: Int { if case .list(let places) = encoder.place.content { places.count } else { 0 } }

        private func inner() -> SettingsEncoder {
            encoder.inner(PlainKey(intValue: count), encoder.place.append())
        }

        mutating func encodeNil() throws { inner().place.content = .value(.null) }
        mutating func encode(_ value: some Encodable) throws { try inner().put(value) }
        mutating func encode(_ value: Int128) throws { try inner().put(value) }
        mutating func encode(_ value: UInt128) throws { try inner().put(value) }
        mutating func nestedContainer<Inner: CodingKey>(
            keyedBy type: Inner.Type
        ) -> KeyedEncodingContainer<Inner> { inner().container(keyedBy: type) }
        mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { inner().unkeyedContainer() }
        mutating func superEncoder() -> any Encoder { inner() }
    }

    private struct Single: SingleValueEncodingContainer {
        let encoder: SettingsEncoder
        var codingPath: [any CodingKey] { encoder.codingPath }

        mutating func encodeNil() throws { encoder.place.content = .value(.null) }
        mutating func encode(_ value: some Encodable) throws { try encoder.put(value) }
        mutating func encode(_ value: Int128) throws { try encoder.put(value) }
        mutating func encode(_ value: UInt128) throws { try encoder.put(value) }
    }

    private struct PlainKey: CodingKey {
        let stringValue: String
        let intValue: Int?

        init(stringValue: String) {
            self.stringValue = stringValue
            intValue = nil
        }

        init(intValue: Int) {
            stringValue = "\(intValue)"
            self.intValue = intValue
        }
    }
}
