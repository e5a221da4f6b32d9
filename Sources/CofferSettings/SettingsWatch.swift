import Dispatch
import Platform
import Synchronization

/// Watches the folder of a settings file on a thread of its own. If the kernel cannot watch it, every second is a notice.
final class SettingsWatch: Sendable {
    private struct State {
        var isStopped = false
        var watch: FolderWatch?
    }

    private let state = Mutex(State())
    /// A wait blocks a thread of this queue, never one that Swift's tasks need.
    private let queue = DispatchQueue(label: "coffer.settings")
    private let notice: @Sendable () -> Void
    private let folder: @Sendable () throws(SettingsError) -> String
    private let pause = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - notice: called when something may have changed, and first when this watches.
    ///   - folder: gives the folder. It is called again if the folder was removed.
    init(
        notice: @escaping @Sendable () -> Void, folder: @escaping @Sendable () throws(SettingsError) -> String
    ) {
        self.notice = notice
        self.folder = folder
    }

    func start() { queue.async { [self] in run() } }

    func stop() {
        state.withLock { state in
            state.isStopped = true
            state.watch?.stop()
        }
        pause.signal()
    }

    private func run() {
        while true {
            // `try?`: without inotify (no watches left, another file system), this looks at the file again and again.
            let watch = try? FolderWatch(folder())
            let isStopped = state.withLock { state in
                state.watch = watch
                return state.isStopped
            }
            if isStopped { return }
            notice()
            guard let watch else {
                if pause.wait(timeout: .now() + SettingsLimits.pollSeconds) == .success { return }
                continue
            }
            waiting: while true {
                // `try?`: if the wait fails, the outer loop makes another watch.
                switch try? watch.next(until: nil) {
                case .change: notice()
                case .stopped: return
                case .gone, .deadline, nil: break waiting
                }
            }
            // A folder that is removed again and again must not keep a processor busy.
            if pause.wait(timeout: .now() + .milliseconds(10)) == .success { return }
        }
    }
}
