/// A change of one place in a file.
struct Mistake: Encodable {
    enum Kind: String, Encodable {
        case negated = "condition negated"
        case unguarded = "guard dropped"
        case shifted = "comparison moved by one"
        case halved = "constant halved"
        case doubled = "constant doubled"
        case dropped = "statement dropped"
        case uncared = "wipe, sync, close or check dropped"
        case swallowed = "error swallowed"
        case swapped = "two statements swapped"
    }

    let kind: Kind
    let file: String
    /// Bytes of the file.
    let start: Int
    let end: Int
    let instead: String
}
