import ArgumentParser
import Coffer

/// Whether a command starts the service that carries changes by itself.
struct SharingUnitOptions: ParsableArguments {
    @Flag(help: "Do not start the service that carries changes by itself.")
    var noService = false

    /// Starts it where it can run, and says so. Elsewhere, says what to run.
    func start(_ session: CommandSession, for folder: SharedFolder) throws(KeychainError) {
        let isWanted = try noService ? false : !SharingUnit.isForAnother(session)
        let unit = session.unit(for: folder.setting())
        let isStarted = isWanted && unit.start()
        Output.note(
            isStarted
                ? "Changes travel by themselves from now on (\(unit.shown))."
                : session.naming("To have changes travel by themselves, keep this running: coffer sync watch"))
    }
}
