import Authorization
import Cryptography
import JSON
import Platform

/// Remembers the salt of a bound vault's successor, until that vault is in use (docs/rotation.md). With the same salt and the same password the broker
/// goes on with that successor. So a renewal that takes more prompts than one comes to its end.
struct RenewalSalt {
    fileprivate struct Content: JSONValue, Equatable {
        /// The mark of the successor's PIN, in hexadecimal: see ``LoginPassword/mark(of:key:)``.
        var mark: String?
        /// In hexadecimal.
        var salt: String?
    }

    /// A PIN and the salt from which it is derived.
    typealias Binding = (pin: SecretBytes, salt: [UInt8])

    private let file: StateFile<Content>

    init(registryDirectory: String, uid: UInt32) throws(ConversationError) {
        do throws(SystemError) {
            file = try StateFile(
                registryDirectory: registryDirectory, folder: "renewals", uid: uid, nothing: Content())
        } catch { throw Self.conversationError(error) }
    }

    /// The PIN for the successor of a bound vault. It is another one for another password, and then a new renewal begins.
    ///
    /// - Parameter key: for the mark; nil if nothing can be remembered.
    func binding(for password: SecretBytes, key: SecretBytes?) throws(ConversationError) -> Binding {
        let noted: Content
        do throws(SystemError) { noted = try file.update { $0 } } catch { throw Self.conversationError(error) }
        if let salt = noted.salt.flatMap(Hex.decode), salt.count == BindingPin.saltCount,
            let known = noted.mark.flatMap(Hex.decode)
        {
            let pin = try LoginPassword.pin(of: password, salt: salt, cost: BindingPin.standardCost)
            if let mark = try mark(of: pin, key), ConstantTime.equal(mark, known) { return (pin, salt) }
        }
        let salt = try LoginPassword.newSalt()
        let pin = try LoginPassword.pin(of: password, salt: salt, cost: BindingPin.standardCost)
        try note(try mark(of: pin, key).map { (salt: salt, mark: $0) })
        return (pin, salt)
    }

    /// The next renewal begins anew.
    func forget() throws(ConversationError) { try note(nil) }

    private func mark(of pin: SecretBytes, _ key: SecretBytes?) throws(ConversationError) -> [UInt8]? {
        try LoginPassword.mark(of: pin, key: key)?.withBytes { span in span.indices.map { span[$0] } }
    }

    private func note(_ content: (salt: [UInt8], mark: [UInt8])?) throws(ConversationError) {
        do throws(SystemError) {
            try file.update { noted in
                noted = Content(mark: content.map { Hex.encode($0.mark) }, salt: content.map { Hex.encode($0.salt) })
            }
        } catch { throw Self.conversationError(error) }
    }

    private static func conversationError(_ error: SystemError) -> ConversationError {
        .refused(
            .misconfigured("the authenticator cannot remember how far a renewal is: \(error.message)", because: error))
    }
}

extension RenewalSalt.Content {
    init(from reader: inout JSONReader) throws(JSONFailure) {
        var mark: String?
        var salt: String?
        var members = try reader.members()
        while let member = try reader.next(&members, of: ["mark", "salt"]) {
            if member == 0 { mark = try reader.read() } else { salt = try reader.read() }
        }
        self.mark = mark
        self.salt = salt
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("mark", mark)
        writer.member("salt", salt)
        writer.endObject()
    }
}
