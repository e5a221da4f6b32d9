import BrokerProtocol
import Circle
import Coffer
import Platform

/// The two files of a machine that joins, as the broker has named them.
struct JoiningFiles {
    let request: StorePath
    let content: [UInt8]
    let answer: StorePath

    /// - Throws: `.protocolViolation` unless both belong to one joining.
    init(_ reply: Sync.Request.Reply) throws(KeychainError) {
        guard let request = StorePath(reply.request.path), let answer = StorePath(reply.answer),
            case .request(let place) = request, answer == .answer(place),
            let content = Base64.decode(reply.request.content)
        else { throw Sharing.misunderstood("a request to join has no place in the folder") }
        (self.request, self.content, self.answer) = (request, content, answer)
    }
}
