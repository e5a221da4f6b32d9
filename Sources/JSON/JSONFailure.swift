/// Bytes that cannot be read as a value.
public enum JSONFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// The bytes are no JSON, or more of it than is accepted. The reason quotes nothing from them.
    case malformed(String)
    /// The value at this byte is of another type, or the type takes no such value, for this reason.
    case mismatch(at: Int, String = "it is of another type")
    /// Every member is of its type, and together they mean nothing, for this reason.
    case contradiction(String)
    /// An object lacks a member of this name, or has null in its place.
    case missing(String)

    public var description: String {
        switch self {
        case .malformed(let reason): reason
        case .mismatch(let place, let reason): "the value at byte \(place) does not fit: \(reason)"
        case .contradiction(let reason): reason
        case .missing(let name): "“\(name)” is missing"
        }
    }

    /// Why the bytes are no JSON, as the end of a sentence; nil if they are.
    public var malformation: String? { if case .malformed(let reason) = self { reason } else { nil } }
}
