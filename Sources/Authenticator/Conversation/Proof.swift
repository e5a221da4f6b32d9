/// How it came that a person counts as having been there.
enum Proof: String {
    /// PAM asked, for this request.
    case asked
    /// An answer that the person let this terminal's programs use again.
    case reused = "reuse"
    /// The prompt of another request of the same process, which named this one.
    case shared

    /// Nobody was asked: the client is root, and the vault a service's.
    case root

    /// As the broker is told, for the access log; nil for the rule.
    var means: String? { self == .asked ? nil : rawValue }
}
