import BrokerProtocol

/// What a person was asked for during a call. Nobody is asked twice for one purpose: a broker that was taken over could
/// wear a person out by asking again and again.
struct AskedPurposes: Sendable {
    typealias Purpose = BrokerProtocol.Keychain.Purpose

    /// How often a person may be asked for a purpose, if not once.
    private let repeats: [Purpose: Int]
    /// How often a person was asked for each purpose.
    private var asked: [Purpose: Int] = [:]

    init(repeats: [Purpose: Int]) { self.repeats = repeats }

    /// Counts the question that the broker wants asked.
    /// - Throws: `.requestOutdated` if it is for nothing, or if a person has been asked for one of these as often as may be.
    mutating func add(_ wanted: [Purpose]) throws(KeychainError) {
        guard !wanted.isEmpty, wanted.allSatisfy({ asked[$0, default: 0] < repeats[$0, default: 1] }) else {
            let often = repeats.isEmpty ? "a second time" : "more often than there are secrets to name"
            throw KeychainError(
                .requestOutdated, "the broker asks for authentication \(often)", advice: "run the command again")
        }
        for purpose in Set(wanted) { asked[purpose, default: 0] += 1 }
    }

    /// Whether a person was asked for this.
    func contains(_ purpose: Purpose) -> Bool { asked[purpose] != nil }

    /// The call begins anew, and so does the count.
    mutating func forget() { asked = [:] }
}
