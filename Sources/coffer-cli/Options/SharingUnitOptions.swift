import ArgumentParser
import Coffer

/// Whether a command starts the service that carries changes by itself.
struct SharingUnitOptions: ParsableArguments {
    @Flag(help: "Do not start the service that carries changes by itself.")
    var noService = false

    /// Starts it where it can run, and says so. Elsewhere, says what to run.
    func start(_ session: CommandSession, for folder: SharedFolder) throws(KeychainError) {
        let unit = session.unit(for: folder.setting())
        tell(try isStarted(unit, session), "Changes travel by themselves from now on (\(unit.shown)).", session)
    }

    /// Starts it although the first exchange has failed. The vault shares all the same, and no later command starts it.
    func startAnyway(_ session: CommandSession, for folder: SharedFolder) {
        let unit = session.unit(for: folder.setting())
        // `try?`: why the exchange has failed is what the person must know.
        let isStarted = (try? isStarted(unit, session)) ?? false
        tell(isStarted, "Changes travel by themselves after that (\(unit.shown)).", session)
    }

    private func isStarted(_ unit: SharingUnit, _ session: CommandSession) throws(KeychainError) -> Bool {
        guard !noService, try !SharingUnit.isForAnother(session) else { return false }
        return unit.start()
    }

    private func tell(_ isStarted: Bool, _ words: String, _ session: CommandSession) {
        Output.note(
            isStarted
                ? words : session.naming("To have changes travel by themselves, keep this running: coffer sync watch"))
    }
}
