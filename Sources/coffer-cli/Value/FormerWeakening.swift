import Coffer

/// What a new value lacks that a former value of the item had.
///
/// Any program of the user can replace a guarded secret by one that is not, without asking. The next secret must not silently be as open as
/// that one.
struct FormerWeakening {
    private let weakening: AccessWeakening

    /// - Parameters:
    ///   - wanted: the access control of the new value.
    ///   - named: applies what the person has named to a former access control.
    /// - Returns: nil if no former value was harder to read.
    static func find(
        of name: FullName, to wanted: AccessControl, _ session: CommandSession,
        named: (AccessControl) throws(KeychainError) -> AccessControl
    ) throws(KeychainError) -> FormerWeakening? {
        let versions: [ItemVersion]
        do throws(KeychainError) {
            versions = try session.client.call(ItemCall.history(of: name.partial)).versions
        } catch {
            // A secret that has expired, or is gone by now, has no former values.
            guard error.code == .notFound else { throw error }
            return nil
        }
        for version in versions {
            if let weakening = AccessWeakening(from: try named(version.access), to: wanted) {
                return FormerWeakening(weakening: weakening)
            }
        }
        return nil
    }

    func text(_ shownName: String) -> String {
        "\(shownName) was harder to read before: \(weakening.formerText)"
    }

    /// The options that bring back what would be missing.
    var remedy: String { weakening.remedy }
}
