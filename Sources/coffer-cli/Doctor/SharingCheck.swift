import BrokerProtocol
import Circle
import Coffer
import Courier
import Platform

/// What `coffer doctor` knows of the machines that share the secrets. Nobody is asked for it.
struct SharingFacts {
    enum Folder {
        /// In words: how it gets to the others, too.
        case usable(String)
        /// It lacks what this machine gave out last.
        case behind(String)
        /// Only an unlocked vault tells where it is.
        case locked
        case unknown
        /// It has nothing of these machines.
        case empty(String)
        case unusable(CommandFailure)
    }

    var state: Sync.State.Reply
    var folder: Folder
    /// This machine's clock, in milliseconds since 1970-01-01 UTC.
    var now: Int64
    /// How many secrets a removed machine could read, by its id. A machine is missing if a locked vault cannot tell.
    var exposed: [String: Int] = [:]

    /// Removed machines whose secrets are counted. Each takes a call.
    private static let mostCounted = 8

    /// - Returns: nil for a vault that shares its secrets with nobody, and if the broker does not tell. Another check says
    ///   so then.
    init?(asking session: CommandSession) {
        // `try?`: the check of the broker or of the vault says what keeps it from telling.
        guard let state = try? Sharing.presentState(session), state.circle != nil else { return nil }
        self.init(state: state, folder: Self.folder(of: state, session), now: Moment.now.milliseconds)
        guard state.joined else { return }
        for machine in state.former.prefix(Self.mostCounted) {
            // `try?`: a locked vault does not tell.
            exposed[machine.device] = try? session.client.call(Sync.Exposed(device: machine.device)).items.count
        }
    }

    init(state: Sync.State.Reply, folder: Folder, now: Int64) {
        (self.state, self.folder, self.now) = (state, folder, now)
    }

    private static func folder(of state: Sync.State.Reply, _ session: CommandSession) -> Folder {
        let (circle, content): (StatementName, SharingSetting.Content?)
        do throws(KeychainError) {
            circle = try Sharing.name(of: state)
            content = try SharingSetting(of: circle, session).content(asks: false)
        } catch { return error.code == .locked ? .locked : .unknown }
        guard let content else { return .unknown }
        do {
            if content.remote != nil { return try remote(content, session) }
            let folder = try StoreOpening(session: session).folder(content.folder, FolderCarriage(content.branch))
            // Whether a remote answers is for `coffer sync now` to say. A check waits for no network.
            if content.branch == nil { try folder.checkUsable() }
            let words = SharingText.folder(content)
            guard try folder.circles().contains(circle) else { return .empty(words) }
            return try OwnHead.isMissing(in: folder, of: circle, state) ?? false ? .behind(words) : .usable(words)
        } catch let failure as CommandFailure {
            return .unusable(failure)
        } catch { return .unknown }
    }
}

extension SharingFacts {
    /// Whether a server answers is for `coffer sync now` to say. A check waits for no network.
    private static func remote(_ content: SharingSetting.Content, _ session: CommandSession) throws -> Folder {
        if let problem = RemoteStore.missingLibrary(for: content.folder) {
            return .unusable(SharedFolder.failure(problem))
        }
        _ = try StoreOpening(session: session).known(content, asks: false)
        return .usable(SharingText.folder(content))
    }
}

/// Checks the machines that share the secrets, and the folder through which they do.
enum SharingCheck: DoctorCheck {
    private static let check = Keychain.Check.sharing

    static func findings(_ facts: DoctorFacts) -> [DoctorFinding] {
        guard let sharing = facts.sharing else { return [] }
        guard sharing.state.joined else {
            return [
                problem(
                    "this machine was removed from those that share the secrets",
                    "end sharing here with: coffer sync leave")
            ]
        }
        let choice = MachineChoice(machines: sharing.state.machines)
        let machines = zip(choice.machines, choice.shown).filter { !$0.0.own }.flatMap {
            findings(of: $0.0, called: $0.1)
        }
        let silences = Silence.all(of: sharing.state.machines, now: sharing.now).flatMap(findings)
        return folder(sharing) + machines + silences + waiting(sharing.state) + former(sharing)
    }

    private static func folder(_ sharing: SharingFacts) -> [DoctorFinding] {
        let count = sharing.state.machines.count
        let shared = count == 1 ? "no other machine shares the secrets yet" : "\(count) machines share the secrets"
        switch sharing.folder {
        case .usable(let path):
            return [DoctorFinding(check: check, verdict: .ok, message: "\(shared), through \(path)")]
        case .behind(let path):
            return [
                problem(
                    "what this machine gave out last is not in \(path), so the other machines do not get it",
                    "run: coffer sync now")
            ]
        case .locked:
            return [
                DoctorFinding(
                    check: check, verdict: .ok, message: "\(shared); the folder is checked once the vault is unlocked")
            ]
        case .unknown:
            return [
                problem(
                    "this machine does not know the folder that your machines share",
                    "name it with: coffer sync now --folder FOLDER")
            ]
        case .empty(let path):
            return [
                problem(
                    "\(path) has nothing of what your machines share",
                    "if it lies on a disk, connect that; if it was emptied, run: coffer sync now")
            ]
        case .unusable(let failure):
            return [problem("the folder that your machines share cannot be used: \(failure.message)", failure.advice)]
        }
    }

    private static func findings(
        of machine: Sync.Machine, called name: String
    ) -> [DoctorFinding] {
        var findings: [DoctorFinding] = []
        if machine.forked {
            findings.append(
                problem(
                    "two copies of the vault of \(name) write at the same time",
                    "stop using one of them; there run: coffer sync leave"))
        }
        if machine.agrees == false {
            findings.append(
                problem(
                    SharingText.disagreement(with: name),
                    "install the same version of Coffer on both, and run on both: coffer sync now; if that does not help, "
                        + "report it, and keep both machines"))
        }
        if let missing = machine.missing, missing > 0 {
            findings.append(
                note(
                    SharingText.missing(missing, of: name),
                    "run there, and here after that: coffer sync now; if it stays so, see who can write to the folder"))
        }
        guard machine.heard == nil else { return findings }
        return findings + [note("nothing was heard of \(name) yet", "run there: coffer sync now")]
    }

    private static func findings(_ silence: Silence) -> [DoctorFinding] {
        guard silence.days >= 0 else {
            return [
                problem(
                    "the clock of \(silence.name) is \(Silence.text(days: -silence.days)) ahead of this one, so its "
                        + "changes win over later ones", "set the clocks of both")
            ]
        }
        let words = "nothing was heard of \(silence.name) for \(Silence.text(days: silence.days))"
        if silence.days >= Silence.long {
            let why = "If a machine was removed there, this one does not know, and that machine reads on"
            return [
                problem(
                    silence.mayRemove ? "\(words). \(why)" : words,
                    "run there: coffer sync now; if it is gone, run here: coffer sync remove \(silence.word)")
            ]
        }
        return silence.isNoted ? [note(words, "run there: coffer sync now")] : []
    }

    private static func waiting(_ state: Sync.State.Reply) -> [DoctorFinding] {
        guard state.waiting > 0 else { return [] }
        return [note(SharingText.waiting(Int(clamping: state.waiting)), "run on the other machines: coffer sync now")]
    }

    private static func former(_ sharing: SharingFacts) -> [DoctorFinding] {
        let machines = sharing.state.machines + sharing.state.former.map(Sync.Machine.init)
        let choice = MachineChoice(machines: machines)
        return zip(choice.machines, choice.shown).compactMap { machine, name in
            guard let count = sharing.exposed[machine.device], count > 0 else { return nil }
            return note(
                "\(name) was removed, and could read \(SharingText.secrets(count)) as \(count == 1 ? "it is" : "they are") now",
                "see what to change: coffer sync exposed \(choice.word(for: machine))")
        }
    }

    private static func problem(_ message: String, _ advice: String) -> DoctorFinding {
        DoctorFinding(check: check, verdict: .problem, message: VisibleText.sentence(message), advice: advice)
    }

    private static func note(_ message: String, _ advice: String) -> DoctorFinding {
        DoctorFinding(check: check, verdict: .note, message: VisibleText.sentence(message), advice: advice)
    }
}
