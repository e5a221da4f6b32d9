import HelperProtocol
import Platform
import ProgramOptions
import SystemBus

/// Reads the user's wallets for `coffer import kwallet`.
enum KWalletCommand: HelperTask {
    static let usage = ProgramUsage.Command(
        Helper.kwallet, abstract: "Read the user's wallets of KDE, for \"coffer import\".", words: ["bus"])

    static func run(_ words: [String]) throws {
        do throws(BusError) {
            let reader = try KWalletReader.connected(to: words[0])
            for wallet in try reader.wallets() { try read(wallet, reader) }
        } catch {
            return try HelperAnswer.say(KWalletAnswer(problem: error.description))
        }
        try HelperAnswer.say(KWalletAnswer(isEnd: true))
    }

    private static func read(_ wallet: String, _ reader: borrowing KWalletReader) throws(BusError) {
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
                answer.value = Base64.encode(value)
            case .unreadable(let type, let reason):
                answer.type = type
                answer.problem = reason
            }
            try say(KWalletAnswer(entry: answer))
        }
        try reader.close(handle)
    }

    private static func say(_ answer: KWalletAnswer) throws(BusError) {
        do { try HelperAnswer.say(answer) } catch {
            throw BusError("answer coffer", reason: "coffer does not listen any longer")
        }
    }
}
