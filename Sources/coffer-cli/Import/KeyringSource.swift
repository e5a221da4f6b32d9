import Coffer
import FoundationEssentials
import HelperProtocol
import Import

/// The keyring that serves org.freedesktop.secrets on the user's session bus.
struct KeyringSource {
    let session: CommandSession
    /// How many fields an item can have.
    let mostFields: Int

    func read() throws(KeychainError) -> ImportMaterial {
        var helper = try HelperConversation([Helper.keyring, "--", session.sessionBusAddress])
        var reading = ImportReading()
        var number = 0
        while true {
            let answer: KeyringAnswer = try helper.receive(limit: HelperLimits.value)
            if let problem = answer.problem {
                throw KeychainError(
                    .failed, "the keyring cannot be read: \(VisibleText.sentence(problem))",
                    advice: "nothing was imported; the keyring must serve org.freedesktop.secrets in this session")
            }
            if let left = answer.leftOut { reading.leaveOut(ImportPlace(), left) }
            if answer.item != nil || answer.unreadable != nil {
                number += 1
                guard number <= ImportLimits.entries else {
                    throw KeychainError(.limitExceeded, "the keyring has more than \(ImportLimits.entries) items")
                }
            }
            if let item = answer.item { add(item, ImportPlace(item: number), &reading) }
            if let item = answer.unreadable {
                reading.addProblem(
                    ImportPlace(item: number), "“\(item.label)” of the keyring “\(item.collection)”: \(item.reason)")
            }
            if answer.isEnd == true { return ImportMaterial(reading, mostFields: mostFields) }
        }
    }

    private func add(_ item: KeyringAnswer.Item, _ place: ImportPlace, _ reading: inout ImportReading) {
        guard let secret = Data(base64Encoded: item.secret) else {
            return reading.addProblem(place, "its secret cannot be read")
        }
        guard item.attributes.count <= ItemLimits.attributes else {
            return reading.addProblem(
                place,
                "“\(item.label)” of the keyring “\(item.collection)”: it has more than \(ItemLimits.attributes) attributes"
            )
        }
        reading.entries.append(
            KeyringEntry.read(
                place, label: item.label, collection: item.collection, attributes: item.attributes,
                created: item.created, changed: item.modified, secret: Array(secret)))
    }
}
