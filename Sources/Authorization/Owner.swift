import JSON

/// The owner of a vault, written `user:1000` or `group:27`.
public enum Owner: Hashable, JSONValue, CustomStringConvertible {
    case user(UInt32)
    case group(UInt32)

    /// - Returns: nil for any text that `text` would not produce.
    public init?(text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let number = UInt32(parts[1]) else { return nil }
        switch parts[0] {
        case "user": self = .user(number)
        case "group": self = .group(number)
        default: return nil
        }
        guard self.text == text else { return nil }
    }

    public var text: String {
        switch self {
        case .user(let uid): "user:\(uid)"
        case .group(let gid): "group:\(gid)"
        }
    }

    /// The stem of file names, such as `user-1000`.
    public var fileStem: String {
        switch self {
        case .user(let uid): "user-\(uid)"
        case .group(let gid): "group-\(gid)"
        }
    }

    public var description: String { text }

    public init(from reader: inout JSONReader) throws(JSONFailure) {
        let start = reader.at
        guard let owner = Owner(text: try reader.string()) else {
            throw .mismatch(at: start, "an owner is user:UID or group:GID")
        }
        self = owner
    }

    public func write(to writer: inout JSONWriter) { text.write(to: &writer) }
}
