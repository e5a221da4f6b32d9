/// A failure that has nothing to do with secrets.
struct CommandFailure: Error, Equatable {
    /// The kind of failure. It is part of the machine-readable output and never changes.
    let code: String
    let message: String
    let advice: String
    let status: ExitStatus
}
