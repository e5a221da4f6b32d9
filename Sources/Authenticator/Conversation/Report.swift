import Logging
import Platform

/// The one line that the log gets for a conversation: who asked, for which purpose, and how it ended. It holds no item, no reason and no answer.
struct Report {
    var client: Client?
    var purpose = ""
    var proof = Proof.asked
    var outcome = ""

    var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = ["purpose": "\(purpose)", "outcome": "\(outcome)"]
        if let means = proof.means { metadata["proof"] = "\(means)" }
        if let client {
            metadata["uid"] = "\(client.account.uid)"
            metadata["pid"] = "\(client.process.pid)"
            metadata["program"] = "\(EscapedText.escaped(client.program, limit: PromptLimits.program))"
        }
        return metadata
    }
}
