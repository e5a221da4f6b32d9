import BrokerProtocol
import Circle
import Coffer
import Platform

/// The files of a machine that joins, as the broker has named them.
struct JoiningFiles {
    let request: StorePath
    let content: [UInt8]
    let answer: StorePath
    let place: JoinPlace
    /// The identity of the machine's TPM; nil without one.
    let identity: [UInt8]?

    /// All files of this request in the folder. Both machines put some there.
    var all: [StorePath] {
        [request, answer] + ProofStep.allCases.map { StorePath.proof($0, place) }
    }

    /// - Throws: `.protocolViolation` unless all belong to one joining.
    init(_ reply: Sync.Request.Reply) throws(KeychainError) {
        guard let request = StorePath(reply.request.path), let answer = StorePath(reply.answer),
            case .request(let place) = request, answer == .answer(place),
            let content = Base64.decode(reply.request.content)
        else { throw Sharing.misunderstood("a request to join has no place in the folder") }
        (self.request, self.content, self.answer, self.place) = (request, content, answer, place)
        identity = try reply.identity.map { (file) throws(KeychainError) in
            guard file.path == StorePath.proof(.identity, place).text, let content = Base64.decode(file.content) else {
                throw Sharing.misunderstood("the identity of a TPM has no place in the folder")
            }
            return content
        }
    }
}
