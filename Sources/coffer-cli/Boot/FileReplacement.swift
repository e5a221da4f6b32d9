import ArgumentParser
import BrokerProtocol
import Coffer
import HelperProtocol

/// What an update replaces, as two files or two digests. The firmware's log shows which of a file's digests was measured.
struct FileReplacement {
    let pairs: [Keychain.Replacement]

    /// - Parameter text: `old=new`.
    init(parsing text: String) throws {
        let (old, new) = try BootApproveCommand.parts(text, of: "--replace")
        switch (Self.digest(old), Self.digest(new)) {
        case (let old?, let new?): pairs = [Keychain.Replacement(old: old, new: new)]
        case (nil, nil):
            let (old, new) = (try Self.measured(old), try Self.measured(new))
            var pairs = [Keychain.Replacement(old: old.content, new: new.content)]
            // The image digest counts only between two images, because the firmware starts nothing else.
            if let oldImage = old.image, let newImage = new.image {
                pairs.append(Keychain.Replacement(old: oldImage, new: newImage))
            }
            self.pairs = pairs
        default: throw ValidationError("--replace takes two files or two digests, not one of each")
        }
    }

    private static func digest(_ text: String) -> String? {
        text.count == 64 && text.allSatisfy(\.isHexDigit) ? text.lowercased() : nil
    }

    private static func measured(_ path: String) throws(KeychainError) -> (content: String, image: String?) {
        var helper = try HelperConversation([Helper.measure, "--", path])
        let found: FileMeasurement = try helper.receive(limit: HelperLimits.digests)
        guard let content = found.content else {
            throw KeychainError(
                .failed, "\(VisibleText.line(path)) cannot be read",
                advice: "give digests instead (root can compute them), or run coffer where you can read the file")
        }
        return (content, found.image)
    }
}
