import Circle
import Coffer
import Platform

/// Waits for a file that another machine writes into the folder.
struct FileWait {
    let folder: SharedFolder
    let path: StorePath
    /// Told once, if the file is not there yet.
    let notice: String
    /// Told once if it takes long.
    var later: (after: Duration, notice: String)?
    /// nil: until the person presses Ctrl-C.
    let limit: Duration?
    /// Whether it is the file that is waited for.
    var accepts: ([UInt8]) -> Bool = { _ in true }
    /// Tells the person.
    var tell: (String) -> Void = { Output.note($0) }

    /// Looks each second. A folder on a network tells nobody what another machine writes.
    private static let pause = Duration.seconds(1)
    /// Each look at a remote is a connection.
    private static let remotePause = Duration.seconds(5)

    /// - Returns: nil if the time is over.
    /// - Parameter look: called before each look.
    func file(_ look: () throws -> Void = {}) throws -> [UInt8]? {
        let begin = ContinuousClock.now
        let end = limit.map { begin + $0 }
        var (isTold, later) = (false, later)
        var told: CommandFailure?
        while true {
            // What keeps the remote away can end while the person waits.
            let failure = try folder.refresh()
            try look()
            if let bytes = try folder.read(path), accepts(bytes) { return bytes }
            if let failure, failure != told {
                tell("coffer: \(VisibleText.sentence("\(failure.message); \(failure.advice)"))")
            }
            told = failure
            if !isTold { tell(notice) }
            isTold = true
            if let (after, notice) = later, ContinuousClock.now >= begin + after {
                tell(notice)
                later = nil
            }
            if let end, ContinuousClock.now >= end { return nil }
            // `try?`: what is not waited for is looked at sooner.
            _ = try? Readiness.wait(for: [], until: .now + (folder.isFar ? Self.remotePause : Self.pause))
        }
    }
}
