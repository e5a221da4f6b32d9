/// Reads a firmware's log, which is little-endian. Checks every length before use.
struct LogReader {
    private var reader: MarshalledReader

    init(_ bytes: [UInt8]) { reader = MarshalledReader(bytes) }

    var isAtEnd: Bool { reader.isAtEnd }

    mutating func take(_ count: Int) throws(TPMError) -> [UInt8] { try reader.take(count) }

    mutating func number16() throws(TPMError) -> UInt16 { try reader.number16().byteSwapped }

    mutating func number32() throws(TPMError) -> UInt32 { try reader.number32().byteSwapped }

    /// The first event, in the old form. It lists the digest length of each algorithm.
    mutating func header() throws(TPMError) -> [UInt16: Int] {
        _ = try number32()
        guard try number32() == 3 else { throw TPMError(.unsupported, "the firmware's log is of an old form") }
        _ = try take(20)
        var content = LogReader(try take(Int(try number32())))
        guard try content.take(16) == Array("Spec ID Event03\0".utf8) else {
            throw TPMError(.unsupported, "the firmware's log is of an old form")
        }
        _ = try content.take(8)
        let count = try content.number32()
        guard count <= 16 else { throw TPMError(.damaged, "the firmware's log has too many algorithms") }
        var sizes: [UInt16: Int] = [:]
        for _ in 0..<count {
            let (algorithm, size) = (try content.number16(), Int(try content.number16()))
            guard size <= 64 else { throw TPMError(.damaged, "a digest in the firmware's log is too long") }
            sizes[algorithm] = size
        }
        return sizes
    }
}
