import CSystemd
import Glibc
import Platform

/// A message on the bus, read from beginning to end. It is freed with this value.
@safe public struct BusMessage: ~Copyable {
    let pointer: OpaquePointer

    /// Takes ownership of a reference.
    init(adopting pointer: OpaquePointer) { unsafe self.pointer = unsafe pointer }

    deinit { unsafe sd_bus_message_unref(pointer) }

    public var isSignal: Bool { unsafe sd_bus_message_is_signal(pointer, nil, nil) > 0 }
    /// Whether it is a method call.
    var isCall: Bool { unsafe sd_bus_message_is_method_call(pointer, nil, nil) > 0 }
    /// The sender, as the bus daemon names it: a unique name, or the daemon's own. Empty if there is none.
    public var sender: String { unsafe Self.text(sd_bus_message_get_sender(pointer)) }
    public var path: String { unsafe Self.text(sd_bus_message_get_path(pointer)) }
    public var interface: String { unsafe Self.text(sd_bus_message_get_interface(pointer)) }
    public var member: String { unsafe Self.text(sd_bus_message_get_member(pointer)) }

    /// Reads a string, an object path or a signature.
    /// - Parameter type: `s`, `o` or `g`.
    /// - Returns: nil at the end of an array.
    /// - Throws: ``BusError`` if the next value has another type.
    public func nextText(_ type: Character = "s") throws(BusError) -> String? {
        var value: UnsafePointer<CChar>?
        let code = try checked("read a text from the bus") {
            unsafe sd_bus_message_read_basic(pointer, Self.code(type), &value)
        }
        return code > 0 ? unsafe Self.text(value) : nil
    }

    public func text(_ type: Character = "s") throws(BusError) -> String {
        guard let value = try nextText(type) else { throw Self.ended }
        return value
    }

    public func bool() throws(BusError) -> Bool {
        var value: Int32 = 0
        try read("b", &value)
        return value != 0
    }

    public func number() throws(BusError) -> UInt32 {
        var value: UInt32 = 0
        try read("u", &value)
        return value
    }

    /// Reads a file descriptor. The caller owns a copy of it.
    public func descriptor() throws(BusError) -> Descriptor {
        var value: Int32 = -1
        try read("h", &value)
        let copy = fcntl(value, F_DUPFD_CLOEXEC, 3)
        guard copy >= 0 else { throw BusError("keep a descriptor", code: -Glibc.errno) }
        return Descriptor(adopting: copy)
    }

    /// Enters an array `a`, a structure `r`, a dictionary's entry `e` or a variant `v`.
    /// - Returns: false at the end of the array that holds it.
    public func enter(_ type: Character, _ contents: String) throws(BusError) -> Bool {
        try checked("read a message from the bus") {
            unsafe sd_bus_message_enter_container(pointer, Self.code(type), contents)
        } > 0
    }

    /// Leaves a container that was entered, at its end.
    public func leave() throws(BusError) {
        try checked("read a message from the bus") { unsafe sd_bus_message_exit_container(pointer) }
    }

    /// Reads a variant that holds a Boolean.
    /// - Returns: nil at the end of an array.
    /// - Throws: ``BusError`` if it holds another type.
    public func flag() throws(BusError) -> Bool? {
        guard try enter("v", "b") else { return nil }
        let value = try bool()
        try leave()
        return value
    }

    /// Reads a variant that holds a number and an object path, and skips the path.
    /// - Returns: nil at the end of an array.
    /// - Throws: ``BusError`` if it holds another type.
    public func numberWithPath() throws(BusError) -> UInt32? {
        guard try enter("v", "(uo)"), try enter("r", "uo") else { return nil }
        let value = try number()
        try skip("o")
        try leave()
        try leave()
        return value
    }

    /// Skips values of these types.
    public func skip(_ types: String) throws(BusError) {
        try checked("read a message from the bus") { unsafe sd_bus_message_skip(pointer, types) }
    }

    /// Opens a container, writes its content with `body`, and closes it.
    func within(
        _ type: Character, _ contents: String, _ body: () throws(BusError) -> Void
    ) throws(BusError) {
        try written { unsafe sd_bus_message_open_container(pointer, Self.code(type), contents) }
        try body()
        try written { unsafe sd_bus_message_close_container(pointer) }
    }

    func written(_ call: () -> Int32) throws(BusError) {
        try checked("write a message for the bus", call)
    }

    func withPointer<Value>(_ body: (OpaquePointer) -> Value) -> Value { unsafe body(pointer) }

    func read<Value: FixedWidthInteger>(_ type: Character, _ value: inout Value) throws(BusError) {
        var read = value
        let code = try checked("read a number from the bus") {
            unsafe sd_bus_message_read_basic(pointer, Self.code(type), &read)
        }
        guard code > 0 else { throw Self.ended }
        value = read
    }

    static let ended = BusError("read a message from the bus", reason: "it ended too early")

    static func code(_ type: Character) -> CChar { CChar(type.asciiValue ?? 0) }

    static func text(_ pointer: UnsafePointer<CChar>?) -> String {
        unsafe pointer.map { unsafe String(cString: $0) } ?? ""
    }
}
