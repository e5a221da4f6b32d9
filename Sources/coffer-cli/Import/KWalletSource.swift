import Coffer
import FoundationEssentials
import HelperProtocol
import Import
import Platform

/// The wallets of KDE, which kwalletd5 or kwalletd6 serves on the user's session bus.
struct KWalletSource {
    let session: CommandSession
    /// How many fields an item can have.
    let mostFields: Int

    func read() throws(KeychainError) -> ImportMaterial {
        var helper = try HelperConversation([Helper.kwallet, "--", session.sessionBusAddress])
        var reading = ImportReading()
        var progress = ProgressLine(total: 0, verb: "Read")
        defer { progress.clear() }
        var (number, total) = (0, 0)
        while true {
            let answer: KWalletAnswer = try helper.receive(limit: HelperLimits.value)
            if let problem = answer.problem {
                throw KeychainError(
                    .failed, "KWallet cannot be read: \(VisibleText.sentence(problem))",
                    advice: "run it in the session of KDE, with the wallets open; nothing was imported")
            }
            if let wallet = answer.opening {
                progress.clear()
                Output.note("KWallet asks you to open the wallet \(VisibleText.line(wallet))")
            }
            if let left = answer.leftOut { reading.leaveOut(ImportPlace(file: "kwallet"), left) }
            if let count = answer.count {
                total += max(0, min(count, ImportLimits.entries))
                progress = ProgressLine(total: total, verb: "Read")
            }
            if let entry = answer.entry {
                number += 1
                guard number <= ImportLimits.entries else {
                    throw KeychainError(.limitExceeded, "the wallets have more than \(ImportLimits.entries) entries")
                }
                add(entry, &reading)
                progress.show(number)
            }
            if answer.isEnd == true { return ImportMaterial(reading, mostFields: mostFields) }
        }
    }

    private func add(_ entry: KWalletAnswer.Item, _ reading: inout ImportReading) {
        let place = ImportPlace(file: [entry.wallet, entry.folder, entry.name].joined(separator: "/"))
        if let problem = entry.problem { return reading.addProblem(place, problem) }
        guard let kind = KWalletEntry.Kind(rawValue: entry.type),
            let value = entry.value.flatMap({ Data(base64Encoded: $0) })
        else { return reading.addProblem(place, "its value cannot be read") }
        do throws(UnreadableFile) {
            reading.entries.append(
                try KWalletEntry.read(
                    place, wallet: entry.wallet, folder: entry.folder, name: entry.name, kind: kind, value: Array(value)
                ))
        } catch { reading.addProblem(place, error.reason) }
    }
}

extension CommandSession {
    /// As libraries for D-Bus find it.
    var sessionBusAddress: String {
        variable("DBUS_SESSION_BUS_ADDRESS")
            ?? "unix:path=\(variable("XDG_RUNTIME_DIR") ?? "/run/user/\(OwnProcess.effectiveUser)")/bus"
    }
}
