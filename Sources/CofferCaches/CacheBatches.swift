/// Splits what a cache reads or stores into parts, so that each fits into one message.
///
/// A message has 2 MiB. A byte of a value takes 4/3 bytes in it, and a byte of a name up to 6.
enum CacheBatches {
    /// The items that one request reads.
    static let reads = 32
    /// The bytes of one part. A value that is larger with its name is a part of its own.
    static let bytes = 1 << 20
    /// What an item takes besides its value and its names.
    private static let frame = 512

    /// - Parameters:
    ///   - account: its name, which is sent with the value.
    ///   - name: the cache's, which is sent as an attribute.
    static func size(value: Int, account: String, name: String) -> Int {
        value + frame + 6 * (account.utf8.count + name.utf8.count)
    }

    /// - Parameters:
    ///   - count: the most elements of a part.
    ///   - size: of an element, in bytes.
    static func split<Element>(
        _ elements: [Element], count: Int, size: (Element) -> Int
    ) -> [[Element]] {
        var parts: [[Element]] = []
        var room = 0
        for element in elements {
            let size = size(element)
            if let last = parts.last, last.count < count, size <= room {
                parts[parts.count - 1].append(element)
                room -= size
            } else {
                parts.append([element])
                room = bytes - size
            }
        }
        return parts
    }
}
