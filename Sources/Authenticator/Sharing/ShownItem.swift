import Authorization
import BrokerProtocol
import Cryptography

/// An item in a prompt, with the one challenge that it is shown for.
struct ShownItem: Equatable {
    /// SHA-256 of the challenge, hex.
    let challenge: String
    let service: String?
    let account: String?
    /// In the program's own words.
    let reason: String?

    /// - Throws: ``ConversationError`` where there is no digest to be had.
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

    /// Stands for everything that the person saw: another name under the same challenge is another item.
    func token() throws(ConversationError) -> String {
        let parts = [challenge, service ?? "", account ?? "", reason ?? ""].map { Array($0.utf8) }
        do throws(CryptographyError) { return Hex.encode(try SHA256.digest(LengthPrefixed.encode(parts))) } catch {
            throw .refused(.misconfigured("The item cannot be digested: \(error.reason)."))
        }
    }
}
