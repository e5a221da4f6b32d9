import CSystemd
import Cryptography
import Glibc
import Platform

/// A value in a message on the bus.
public indirect enum BusValue: Sendable, Equatable {
    case text(String)
    case number(UInt32)
    case signedNumber(Int32)
    case longNumber(UInt64)
    case signedLongNumber(Int64)
    case flag(Bool)
    /// An object path.
    case path(String)
    /// An array of strings.
    case texts([String])
    /// A dictionary from names to variants.
    case options([String: BusValue])
    /// An array of bytes. Any of them can be a secret.
    case bytes(SecretBytes)
    case variant(BusValue)
    /// An array of other values. They all have the type that the signature says.
    case array(of: String, [BusValue])
    case structure([BusValue])
    /// An entry of a dictionary, which is an array of entries.
    case entry(BusValue, BusValue)
    /// A file descriptor. The message that it came with owns it. For a call, that is until its answer.
    case descriptor(Int32)
    /// A value of a type that no program here uses. It was skipped.
    case other(String)

    /// An array of object paths.
    public static func paths(_ paths: [String]) -> BusValue { .array(of: "o", paths.map { .path($0) }) }

    /// The type, as a signature.
    public var signature: String {
        switch self {
        case .text: "s"
        case .number: "u"
        case .signedNumber: "i"
        case .longNumber: "t"
        case .signedLongNumber: "x"
        case .flag: "b"
        case .path: "o"
        case .texts: "as"
        case .options: "a{sv}"
        case .bytes: "ay"
        case .variant: "v"
        case .array(let element, _): "a" + element
        case .structure(let values): "(" + values.map(\.signature).joined() + ")"
        case .entry(let key, let value): "{" + key.signature + value.signature + "}"
        case .descriptor: "h"
        case .other(let signature): signature
        }
    }
}

extension BusMessage {
    func append(_ value: BusValue) throws(BusError) {
        switch value {
        case .text(let text): try append(text, as: "s")
        case .path(let path): try append(path, as: "o")
        case .number(var number):
            try written { unsafe sd_bus_message_append_basic(pointer, Self.code("u"), &number) }
        case .signedNumber(var number):
            try written { unsafe sd_bus_message_append_basic(pointer, Self.code("i"), &number) }
        case .longNumber(var number):
            try written { unsafe sd_bus_message_append_basic(pointer, Self.code("t"), &number) }
        case .signedLongNumber(var number):
            try written { unsafe sd_bus_message_append_basic(pointer, Self.code("x"), &number) }
        case .flag(let flag):
            var number: Int32 = flag ? 1 : 0
            try written { unsafe sd_bus_message_append_basic(pointer, Self.code("b"), &number) }
        case .texts(let texts):
            try within("a", "s") { () throws(BusError) in
                for text in texts { try append(text, as: "s") }
            }
        case .options(let options):
            try within("a", "{sv}") { () throws(BusError) in
                for (name, value) in options { try append(.entry(.text(name), .variant(value))) }
            }
        case .bytes(let bytes):
            try written {
                unsafe bytes.withUnsafeBytes {
                    unsafe sd_bus_message_append_array(pointer, Self.code("y"), $0.baseAddress, $0.count)
                }
            }
        case .variant(let value):
            try within("v", value.signature) { () throws(BusError) in try append(value) }
        case .array(let element, let values):
            try within("a", element) { () throws(BusError) in
                for value in values { try append(value) }
            }
        case .structure(let values):
            try within("r", values.map(\.signature).joined()) { () throws(BusError) in
                for value in values { try append(value) }
            }
        case .entry(let key, let value):
            try within("e", key.signature + value.signature) { () throws(BusError) in
                try append(key)
                try append(value)
            }
        case .descriptor(var number):
            try written { unsafe sd_bus_message_append_basic(pointer, Self.code("h"), &number) }
        case .other(let signature):
            throw BusError("write a message for the bus", reason: "its type \(signature) is not supported")
        }
    }

    private func append(_ text: String, as type: Character) throws(BusError) {
        // The library would cut the text off at a zero byte, and tells nothing of other characters that it refuses.
        guard BusText.carries(text) else { throw .textNotCarried }
        try written { unsafe text.withCString { unsafe sd_bus_message_append_basic(pointer, Self.code(type), $0) } }
    }
}

/// How much of a message is read.
public struct BusMessageLimits: Sendable {
    /// Values of all kinds.
    public var values: Int
    /// Bytes of texts and arrays of bytes.
    public var bytes: Int
    /// Containers in containers.
    public var depth: Int

    public init(values: Int, bytes: Int, depth: Int) {
        self.values = values
        self.bytes = bytes
        self.depth = depth
    }
}

extension BusMessage {
    /// Reads the whole body.
    /// - Throws: ``BusError``, which says so if the body exceeds the limits.
    func values(limits: BusMessageLimits) throws(BusError) -> [BusValue] {
        var left = limits
        return try values(&left)
    }

    /// - Parameter left: what may still be read; afterwards what is left of it.
    func values(_ left: inout BusMessageLimits) throws(BusError) -> [BusValue] {
        var values: [BusValue] = []
        while let value = try nextValue(&left) { values.append(value) }
        return values
    }

    /// - Returns: nil at the end of the message or of a container.
    private func nextValue(_ left: inout BusMessageLimits) throws(BusError) -> BusValue? {
        var type: CChar = 0
        var contents: UnsafePointer<CChar>?
        let code = try checked("read a message from the bus") {
            unsafe sd_bus_message_peek_type(pointer, &type, &contents)
        }
        guard code > 0 else { return nil }
        left.values -= 1
        guard left.values >= 0, left.depth > 0 else { throw .messageTooLarge }
        let inner = unsafe Self.text(contents)
        switch Character(Unicode.Scalar(UInt8(bitPattern: type))) {
        case "s": return .text(try limited(try text("s"), &left))
        case "o": return .path(try limited(try text("o"), &left))
        case "u": return .number(try number())
        case "b": return .flag(try bool())
        case "i":
            var value: Int32 = 0
            try read("i", &value)
            return .signedNumber(value)
        case "h":
            var value: Int32 = -1
            try read("h", &value)
            return .descriptor(value)
        case "t":
            var value: UInt64 = 0
            try read("t", &value)
            return .longNumber(value)
        case "x":
            var value: Int64 = 0
            try read("x", &value)
            return .signedLongNumber(value)
        case "a" where inner == "y": return .bytes(try bytes(&left))
        case "a": return .array(of: inner, try contained("a", inner, &left))
        case "r": return .structure(try contained("r", inner, &left))
        case "v":
            let values = try contained("v", inner, &left)
            guard values.count == 1 else { throw Self.ended }
            return .variant(values[0])
        case "e":
            let values = try contained("e", inner, &left)
            guard values.count == 2 else { throw Self.ended }
            return .entry(values[0], values[1])
        case let other:
            try skip(String(other))
            return .other(String(other))
        }
    }

    private func contained(
        _ type: Character, _ contents: String, _ left: inout BusMessageLimits
    ) throws(BusError) -> [BusValue] {
        guard try enter(type, contents) else { throw Self.ended }
        left.depth -= 1
        var values: [BusValue] = []
        while let value = try nextValue(&left) { values.append(value) }
        left.depth += 1
        try leave()
        return values
    }

    private func limited(_ text: String, _ left: inout BusMessageLimits) throws(BusError) -> String {
        left.bytes -= text.utf8.count
        guard left.bytes >= 0, CombiningMarks.areFew(in: text) else { throw .messageTooLarge }
        return text
    }

    private func bytes(_ left: inout BusMessageLimits) throws(BusError) -> SecretBytes {
        guard let bytes = try secretBytes(upTo: left.bytes) else { throw .messageTooLarge }
        left.bytes -= bytes.count
        return bytes
    }
}

extension BusError {
    fileprivate static var messageTooLarge: BusError { BusError("read a message from the bus", code: -EMSGSIZE) }

    /// A text that the bus library would refuse, or cut off.
    static var textNotCarried: BusError {
        BusError("write a message for the bus", reason: "a text has characters that D-Bus cannot carry")
    }

    /// Whether a message had more than is read of one.
    var isTooLarge: Bool { code == -EMSGSIZE }
}

extension SecretBytes {
    /// Copies the bytes into ordinary memory, at once. The caller must wipe the copy if they are a secret.
    public func copied() -> [UInt8] { unsafe withUnsafeBytes { unsafe [UInt8]($0) } }
}
