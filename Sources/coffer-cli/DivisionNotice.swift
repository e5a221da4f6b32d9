import Coffer

/// Says once that one request is not enough, because a person who is asked again wants to know why.
final class DivisionNotice {
    private var isTold = false

    /// - Parameter error: why the broker did not take all at once.
    func tell(_ error: KeychainError) {
        guard !isTold else { return }
        isTold = true
        let reason = VisibleText.sentence(error.message)
        Output.note("coffer: \(reason), so they are read in several requests, and each may ask you")
    }
}
