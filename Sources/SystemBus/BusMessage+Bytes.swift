import CSystemd
import Cryptography
import Glibc

/// Arrays of bytes. Bytes have no order, but the bus library lends them only if the message has this machine's byte
/// order. D-Bus allows both orders, so the bytes of another message are read one by one.
extension BusMessage {
    private static let operation = "read bytes from the bus"

    /// Reads an array of bytes. Any of them can be a secret.
    /// - Returns: nil if there are more than `most`.
    func secretBytes(upTo most: Int) throws(BusError) -> SecretBytes? {
        var start: UnsafeRawPointer?
        var count = 0
        do throws(BusError) {
            try checked(Self.operation) {
                unsafe sd_bus_message_read_array(pointer, Self.code("y"), &start, &count)
            }
        } catch {
            guard error.code == -EOPNOTSUPP else { throw error }
            return try bytesOneByOne(upTo: most)
        }
        guard count <= most else { return nil }
        do throws(CryptographyError) {
            return try unsafe SecretBytes(unsafeCapacity: count) { (buffer) throws(CryptographyError) in
                if count > 0, let start = unsafe start {
                    unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(start: start, count: count))
                }
                return count
            }
        } catch { throw BusError(Self.operation, reason: error.reason) }
    }

    private func bytesOneByOne(upTo most: Int) throws(BusError) -> SecretBytes? {
        guard let count = try enterBytes(upTo: most) else { return nil }
        let bytes: SecretBytes
        do throws(CryptographyError) {
            // Each byte goes from the message into secret memory, and nowhere else.
            bytes = try unsafe SecretBytes(unsafeCapacity: count) { (buffer) throws(CryptographyError) in
                var done = 0
                while done < count,
                    unsafe sd_bus_message_read_basic(pointer, Self.code("y"), buffer.baseAddress! + done) > 0
                { done += 1 }
                return done
            }
        } catch { throw BusError(Self.operation, reason: error.reason) }
        guard bytes.count == count else { throw Self.ended }
        try leave()
        return bytes
    }

    /// Enters an array of bytes, counts them, and goes back to the first one.
    /// - Returns: nil if there are more than `most`.
    private func enterBytes(upTo most: Int) throws(BusError) -> Int? {
        guard try enter("a", "y") else { throw Self.ended }
        var count = 0
        while try skipByte() {
            count += 1
            guard count <= most else { return nil }
        }
        try checked(Self.operation) { unsafe sd_bus_message_rewind(pointer, 0) }
        return count
    }

    /// - Returns: false at the end of the array.
    private func skipByte() throws(BusError) -> Bool {
        try checked(Self.operation) { unsafe sd_bus_message_read_basic(pointer, Self.code("y"), nil) } > 0
    }

    /// Reads an array of bytes, and copies them into ordinary memory.
    /// - Throws: ``BusError``, also if there are more than `most`.
    func byteArray(most: Int) throws(BusError) -> [UInt8] {
        guard let bytes = try byteArray(upTo: most) else {
            throw BusError(Self.operation, reason: "there are more than \(most)")
        }
        return bytes
    }

    /// Reads an array of bytes, and copies them into ordinary memory.
    /// - Returns: nil if there are more than `most`.
    func byteArray(upTo most: Int) throws(BusError) -> [UInt8]? { try secretBytes(upTo: most)?.copied() }
}
