import Platform

/// Writes JSON into one buffer: without blanks, and with nothing escaped that need not be. Who writes an object gives
/// its members in the order of their names' bytes.
public struct JSONWriter: ~Copyable {
    /// What is written so far.
    public private(set) var bytes: [UInt8] = []
    private var needsComma = false
    /// Members that the next object gets beside its own.
    private var besides: [(name: String, value: String)] = []
    private var besidesDepth = 0
    private var depth = 0
    private var isPretty = false

    public init(room: Int = 256) { bytes.reserveCapacity(room) }

    /// The bytes of one value.
    /// - Parameter isPretty: each member on a line of its own, for files that people read.
    public static func bytes(of value: some JSONWritable, isPretty: Bool = false) -> [UInt8] {
        var writer = JSONWriter()
        writer.isPretty = isPretty
        value.write(to: &writer)
        return writer.bytes
    }

    /// Ends a message with a zero byte, and hands it over.
    public consuming func message() -> [UInt8] {
        put(0)
        return bytes
    }

    public mutating func beginObject() { begin(UInt8(ascii: "{")) }

    public mutating func endObject() {
        if depth == besidesDepth { for _ in besides { putBeside() } }
        end(UInt8(ascii: "}"))
    }

    public mutating func emptyObject() {
        beginObject()
        endObject()
    }

    mutating func beginArray() { begin(UInt8(ascii: "[")) }
    mutating func endArray() { end(UInt8(ascii: "]")) }

    private mutating func begin(_ byte: UInt8) {
        put(byte)
        depth += 1
        needsComma = false
    }

    private mutating func end(_ byte: UInt8) {
        depth -= 1
        startLine()
        put(byte)
        needsComma = true
    }

    /// Gives the next object these members too, each among its own in the order of names.
    public mutating func beside(_ members: [(name: String, value: String?)]) {
        besides = members.compactMap { member in member.value.map { (member.name, $0) } }
        besidesDepth = depth + 1
    }

    private mutating func putBeside() {
        let member = besides.removeFirst()
        name(member.name)
        string(member.value)
        needsComma = true
    }

    /// - Parameter name: plain ASCII, without anything that JSON escapes.
    @inlinable public mutating func member(_ name: String, _ value: some JSONWritable) {
        start(name)
        value.write(to: &self)
        finish()
    }

    /// A member that is left out if it is nil.
    @inlinable public mutating func member(_ name: String, _ value: (some JSONWritable)?) {
        if let value { member(name, value) }
    }

    @usableFromInline mutating func start(_ name: String) {
        while depth == besidesDepth, let first = besides.first, first.name < name { putBeside() }
        self.name(name)
    }

    @usableFromInline mutating func finish() { needsComma = true }

    private mutating func startLine() {
        if isPretty { plain("\n" + String(repeating: "  ", count: depth)) }
    }

    /// Goes on after the value before.
    private mutating func separate() {
        if needsComma { put(UInt8(ascii: ",")) }
        needsComma = false
        startLine()
    }

    private mutating func name(_ name: String) {
        separate()
        put(UInt8(ascii: "\""))
        plain(name)
        plain(isPretty ? "\" : " : "\":")
    }

    /// A member of any name.
    mutating func member(named name: String, _ value: some JSONWritable) {
        separate()
        string(name)
        plain(isPretty ? " : " : ":")
        value.write(to: &self)
        needsComma = true
    }

    mutating func element(_ value: some JSONWritable) {
        separate()
        value.write(to: &self)
        needsComma = true
    }

    mutating func string(_ text: String) {
        makeRoom(text.utf8.count + 2)
        put(UInt8(ascii: "\""))
        if text.utf8.contains(where: Self.isEscaped) {
            for byte in text.utf8 { if Self.isEscaped(byte) { escape(byte) } else { put(byte) } }
        } else {
            bytes.append(contentsOf: text.utf8)
        }
        put(UInt8(ascii: "\""))
    }

    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func escape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): plain("\\\"")
        case UInt8(ascii: "\\"): plain("\\\\")
        case 0x08: plain("\\b")
        case 0x0C: plain("\\f")
        case 0x0A: plain("\\n")
        case 0x0D: plain("\\r")
        case 0x09: plain("\\t")
        default: plain("\\u00" + (byte < 0x10 ? "0" : "") + String(byte, radix: 16))
        }
    }

    /// Text that stands for itself.
    mutating func plain(_ text: String) {
        makeRoom(text.utf8.count)
        bytes.append(contentsOf: text.utf8)
    }

    private mutating func put(_ byte: UInt8) {
        makeRoom(1)
        bytes.append(byte)
    }

    /// Moves to a larger buffer when this one is full, and leaves nothing in the old one: it may hold a secret.
    private mutating func makeRoom(_ count: Int) {
        guard bytes.capacity - bytes.count < count else { return }
        var larger: [UInt8] = []
        larger.reserveCapacity(max(bytes.count + count, bytes.capacity * 2))
        larger.append(contentsOf: bytes)
        Wipe.storage(of: bytes)
        bytes = larger
    }
}
