import Authorization
import BrokerProtocol
import Circle
import Coffer
import Cryptography
import Platform

/// A machine that joins by an invitation: it shows that it is invited, and enters no other circle.
struct InvitedJoining {
    let invitation: Invitation

    /// Writes the file by which an admin finds this machine's request.
    func knock(_ joining: JoiningFiles, code text: String, in folder: SharedFolder) throws {
        let (path, bytes): (StorePath, [UInt8])
        do {
            let code = try JoinCode(reading: SecretBytes(copying: Array(text.utf8)))
            (path, bytes) = try invitation.knock(code.openRequest(joining.content), code: code)
        } catch { throw Sharing.misunderstood("its request does not open: \(error)") }
        // Once is enough. Each change of the folder has all members look.
        guard try folder.read(path) == nil else { return }
        try folder.write(bytes, to: path)
        try folder.ring(invitation.circle)
    }

    /// What the authenticator is told in root's place.
    var answer: InvitationAnswer { InvitationAnswer(Hex.encode(invitation.circle.bytes)) }

    /// Checks what the folder has before the broker is asked, for a better message. The authenticator decides.
    func check(_ answer: [UInt8], code text: String) throws {
        let circle: StatementName
        do {
            let code = try JoinCode(reading: SecretBytes(copying: Array(text.utf8)))
            circle = try code.openAnswer(answer).circle
        } catch { return }  // The broker says what is wrong with it.
        guard circle == invitation.circle else {
            throw KeychainError(
                .notPermitted, "somebody has answered who is not in the circle of the invitation",
                advice: "see who can write to the folder; begin again with: coffer sync join FOLDER --new")
        }
    }
}
