/// What became of one secret, for programs. What is nil is left out.
struct OutcomeRecord: Encodable {
    /// As the line for people has it.
    let outcome: String
    let service: String?
    let account: String?
    let kind: String?
    var field: String?
    var place: String?
    let reason: String?
}
