import Authorization
import Circle
import FoundationEssentials
import Platform

/// What an admin host keeps of an invitation: its limits, and the machines that came. It holds no secret.
struct IssuedInvitation: Codable, Equatable {
    /// A machine that came in.
    struct Guest: Codable, Equatable {
        /// Its device, in hexadecimal digits.
        let device: String
        let name: String
        /// Milliseconds since 1970-01-01 UTC.
        let time: Int64
    }

    let circle: String
    let key: String
    /// What its machines may do: reader or writer.
    let role: String
    /// Milliseconds since 1970-01-01 UTC.
    let until: Int64
    /// How many machines may come; nil for any number, which the list of machines limits.
    let count: Int?
    /// Whether each must prove that its keys are in a TPM of root's list.
    let attested: Bool
    var guests: [Guest] = []

    /// - Returns: nil if it is not as `coffer sync invite` writes it.
    var publicKey: InvitationKey? {
        guard let name = Hex.decode(circle).flatMap(StatementName.init), let point = Hex.decode(key) else { return nil }
        return InvitationKey(circle: name, point: point)
    }

    /// - Parameter now: milliseconds since 1970-01-01 UTC.
    func isOpen(at now: Int64) -> Bool { now < until && count.map { guests.count < $0 } ?? true }

    /// Whether a machine may come in, or came in before.
    func admits(_ device: String, at now: Int64) -> Bool {
        now < until && (guests.contains { $0.device == device } || isOpen(at: now))
    }

    /// "3 of 20 machines came"
    var shownGuests: String {
        let came = "\(guests.count)" + (count.map { " of \($0)" } ?? "")
        return "\(came) \(count ?? guests.count == 1 ? "machine" : "machines") came"
    }
}
