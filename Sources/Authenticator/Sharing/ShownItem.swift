import Authorization
import BrokerProtocol
import Cryptography

/// An item in a prompt, together with the one challenge that it is shown for.
struct ShownItem: Equatable {
    /// SHA-256 of the challenge, in hexadecimal.
    let challenge: String
    let service: String?
    let account: String?
    /// In the program's own words.
    let reason: String?

    /// - Throws: ``ConversationError`` if the digest cannot be computed.
    init(challenge: String, _ demand: Demand) throws(ConversationError) {
        do throws(CryptographyError) { self.challenge = Hex.encode(try SHA256.digest(Array(challenge.utf8))) } catch {
            throw .refused(.misconfigured("The challenge cannot be digested: \(error.reason)."))
        }
        service = demand.item?.service
        account = demand.item?.account
        reason = demand.reason
    }

    init(_ companion: BrokerInterface.Companion) {
        challenge = companion.digest
        service = companion.service
        account = companion.account
        reason = companion.reason
    }

    /// Identifies everything that the person saw. Another name under the same challenge gives another token.
    func token() throws(ConversationError) -> String {
        let parts = [challenge, service ?? "", account ?? "", reason ?? ""].map { Array($0.utf8) }
        do throws(CryptographyError) { return Hex.encode(try SHA256.digest(LengthPrefixed.encode(parts))) } catch {
            throw .refused(.misconfigured("The item cannot be digested: \(error.reason)."))
        }
    }
}
