/// What can be read from JSON.
public protocol JSONReadable: Sendable {
    /// Reads the value at which the reader stands, and leaves the reader behind it.
    init(from reader: inout JSONReader) throws(JSONFailure)
}

/// What can be written as JSON.
public protocol JSONWritable: Sendable {
    func write(to writer: inout JSONWriter)
}

public typealias JSONValue = JSONReadable & JSONWritable

extension String: JSONValue {
    public init(from reader: inout JSONReader) throws(JSONFailure) { self = try reader.string() }
    public func write(to writer: inout JSONWriter) { writer.string(self) }
}

extension Bool: JSONValue {
    public init(from reader: inout JSONReader) throws(JSONFailure) { self = try reader.flag() }
    public func write(to writer: inout JSONWriter) { writer.plain(self ? "true" : "false") }
}

extension JSONReadable where Self: FixedWidthInteger {
    public init(from reader: inout JSONReader) throws(JSONFailure) { self = try reader.integer() }
}

extension JSONWritable where Self: FixedWidthInteger {
    public func write(to writer: inout JSONWriter) { writer.plain(String(self)) }
}

extension Int: JSONValue {}
extension Int32: JSONValue {}
extension Int64: JSONValue {}
extension UInt32: JSONValue {}
extension UInt64: JSONValue {}

extension JSONReadable where Self: RawRepresentable, RawValue == String {
    public init(from reader: inout JSONReader) throws(JSONFailure) {
        let start = reader.at
        guard let value = Self(rawValue: try reader.string()) else { throw .mismatch(at: start) }
        self = value
    }
}

extension JSONWritable where Self: RawRepresentable, RawValue == String {
    public func write(to writer: inout JSONWriter) { writer.string(rawValue) }
}

extension Array: JSONReadable where Element: JSONReadable {
    public init(from reader: inout JSONReader) throws(JSONFailure) {
        self = []
        try reader.beginArray()
        while try reader.nextElement(isFirst: isEmpty) { append(try Element(from: &reader)) }
    }
}

extension Array: JSONWritable where Element: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        writer.beginArray()
        for element in self { writer.element(element) }
        writer.endArray()
    }
}

extension Dictionary: JSONReadable where Key == String, Value: JSONReadable {
    public init(from reader: inout JSONReader) throws(JSONFailure) {
        self = [:]
        try reader.beginObject()
        while let name = try reader.nextName(isFirst: isEmpty) {
            guard self[name] == nil else { throw JSONReader.nameTwice }
            try reader.takeColon()
            self[name] = try Value(from: &reader)
        }
    }
}

extension Dictionary: JSONWritable where Key == String, Value: JSONWritable {
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        for (name, value) in sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            writer.member(named: name, value)
        }
        writer.endObject()
    }
}
