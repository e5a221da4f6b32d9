import BrokerProtocol
import Coffer

/// How long nothing was heard of a machine. Each gives a sign of life, also if nothing changes (docs/sync-format.md,
/// “Heads”). Who keeps the folder can hide that an admin has removed another machine, which then reads on (attackers 10
/// and 11).
struct Silence {
    /// After so many days it is a note in `coffer doctor`. A reader gives signs of life less often.
    static let quiet: Int64 = 3
    /// After so many days there is something to do.
    static let long: Int64 = 30
    static let day: Int64 = 86_400_000

    /// As it is shown.
    let name: String
    /// What names the machine on a command line.
    let word: String
    let role: String
    let days: Int64

    /// Whether it can have removed another one.
    var mayRemove: Bool { role == AddedRole.admin.rawValue }

    /// Whether that is longer than a machine that is there is silent.
    var isNoted: Bool { days >= (role == AddedRole.reader.rawValue ? Self.long : Self.quiet) }

    /// - Parameter now: in milliseconds since 1970-01-01 UTC.
    /// - Returns: for each other machine that something was heard of, in the order of the machines. The days of one whose
    ///   clock is ahead are negative.
    static func all(of machines: [Sync.Machine], now: Int64) -> [Silence] {
        let choice = MachineChoice(machines: machines)
        return zip(choice.machines, choice.shown).compactMap { machine, name in
            guard let days = days(of: machine, now: now) else { return nil }
            return Silence(name: name, word: choice.word(for: machine), role: machine.role, days: days)
        }
    }

    /// - Returns: nil for this machine, and for one that nothing was heard of yet.
    private static func days(of machine: Sync.Machine, now: Int64) -> Int64? {
        guard !machine.own, let heard = machine.heard else { return nil }
        let (past, overflow) = now.subtractingReportingOverflow(heard)
        return overflow ? nil : past / day
    }

    /// The machines that nothing was heard of for so many days, to remove them. One that nothing was heard of yet may be new.
    ///
    /// - Throws: `.failed` if all others are silent. Then the folder, or this machine's clock, is rather to blame.
    static func machines(
        of machines: [Sync.Machine], for days: Int64, now: Int64 = Moment.now.milliseconds
    ) throws(KeychainError) -> [Sync.Machine] {
        let heard = machines.filter { Self.days(of: $0, now: now) != nil }
        let silent = heard.filter { Self.days(of: $0, now: now).map { $0 >= days } ?? false }
        guard silent.isEmpty || silent.count < heard.count else {
            throw KeychainError(
                .failed, "nothing was heard of any other machine for \(text(days: days)), so none was removed",
                advice:
                    "see whether the folder still brings what is new, and whether the clock is right: coffer doctor; "
                    + "if the machines are gone, name them")
        }
        return silent
    }

    static func text(days: Int64) -> String { days == 1 ? "1 day" : "\(days) days" }

    /// What a person should know who seals something to all machines.
    /// - Returns: nil if each that can remove others was heard of lately.
    static func warning(_ state: Sync.State.Reply, now: Int64 = Moment.now.milliseconds) -> String? {
        guard state.joined else { return nil }
        let silent = all(of: state.machines, now: now).filter { $0.mayRemove && $0.days >= long }
        guard let first = silent.first else { return nil }
        let others = silent.count == 1 ? "" : " and of \(silent.count - 1) more"
        return
            "coffer: warning: nothing was heard of \(first.name) for \(text(days: first.days))\(others). If a machine was "
            + "removed there, this one does not know, and that machine reads on. Run there: coffer sync now; "
            + "if it is gone, run here: coffer sync remove \(first.word)"
    }
}
