/// How a person's presence was proved.
enum Proof: String {
    /// PAM asked the person for this request.
    case asked
    /// An earlier answer that the person let this terminal's programs use again.
    case reused = "reuse"
    /// The person answered the prompt of another request of the same process, and that prompt named this request.
    case shared

    /// Nobody was asked, because the client is root and the vault is a service's.
    case root

    /// The name that the broker writes to the access log; nil for the normal case, `asked`.
    var means: String? { self == .asked ? nil : rawValue }
}
