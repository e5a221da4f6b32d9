import ArgumentParser
import FoundationEssentials
import HelperProtocol
import SystemBus

/// Reads the user's wallets for `coffer import kwallet`.
struct KWalletCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: Helper.kwallet, abstract: "Read the user's wallets of KDE, for \"coffer import\".")

    @Argument(help: "The address of the user's session bus.") var address: String

    func run() throws {
        do throws(BusError) {
            let reader = try KWalletReader.connected(to: address)
            for wallet in try reader.wallets() { try read(wallet, reader) }
        } catch {
            return try HelperAnswer.say(KWalletAnswer(problem: error.description))
        }
        try HelperAnswer.say(KWalletAnswer(isEnd: true))
    }

    private func read(_ wallet: String, _ reader: borrowing KWalletReader) throws(BusError) {
        if try !reader.isOpen(wallet) { try say(KWalletAnswer(opening: wallet)) }
        guard let handle = try reader.open(wallet) else {
            return try say(KWalletAnswer(leftOut: "the wallet “\(wallet)”, which was not opened"))
        }
        let entries = try reader.entries(of: handle)
        try say(KWalletAnswer(count: entries.count))
        for entry in entries {
            var answer = KWalletAnswer.Item(wallet: wallet, folder: entry.folder, name: entry.name, type: 0)
            switch try reader.content(of: entry, handle) {
            case .value(let kind, let value):
                answer.type = kind.rawValue
                answer.value = Data(value).base64EncodedString()
            case .unreadable(let type, let reason):
                answer.type = type
                answer.problem = reason
            }
            try say(KWalletAnswer(entry: answer))
        }
        try reader.close(handle)
    }

    private func say(_ answer: KWalletAnswer) throws(BusError) {
        do { try HelperAnswer.say(answer) } catch {
            throw BusError("answer coffer", reason: "coffer does not listen any longer")
        }
    }
}
