import JSON
import Platform

/// The answers of one user that wait to be judged, and the programs whose answers were judged lately.
///
/// The next answer is that of the program that has guessed the least; among equals it is the one that came first. So a
/// program that guesses without end does not keep a person's first answer waiting.
struct GuessQueue: JSONValue, Equatable {
    /// An answer that waits.
    struct Waiting: JSONValue, Equatable {
        /// The authenticator's process that has the answer.
        let server: SharedPrompt.Server
        /// The program's process.
        let pid: Int32
        let startTime: UInt64
        /// When the answer came, in milliseconds of the boot clock.
        let arrival: Int64
    }

    /// A program whose answers were judged, none of them right since.
    struct Guesser: JSONValue, Equatable {
        let pid: Int32
        let startTime: UInt64
        var count: Int
        /// When the last answer was judged, in milliseconds of the boot clock.
        var last: Int64

        fileprivate func isProgram(of answer: Waiting) -> Bool { isProcess(answer.pid, answer.startTime) }

        fileprivate func isProcess(_ pid: Int32, _ startTime: UInt64) -> Bool {
            self.pid == pid && self.startTime == startTime
        }

        fileprivate func counts(at now: Int64) -> Bool { last <= now && now - max(last, 0) < AttemptLimits.memory }
    }

    /// The boot ID. Process IDs of another boot are other processes'.
    let boot: String
    var waiting: [Waiting] = []
    var guessers: [Guesser] = []

    init(boot: String) { self.boot = boot }

    /// Whether an answer is the next one.
    /// - Parameters:
    ///   - joins: whether it waits from now on, so that others take it into account.
    ///   - isAlive: whether a process of the authenticator still lives. The answer of one that has ended waits no longer.
    mutating func isNext(
        _ own: Waiting, joins: Bool, at now: Int64, isAlive: (SharedPrompt.Server) -> Bool
    ) -> Bool {
        if !waiting.contains(own) {
            if joins { waiting.removeAll { !isAlive($0.server) } }
            waiting.append(own)
        }
        defer { if !joins { leave(own) } }
        while let first = first(at: now), first != own {
            if isAlive(first.server) { return false }
            leave(first)
        }
        return true
    }

    /// An answer no longer waits.
    mutating func leave(_ own: Waiting) { waiting.removeAll { $0 == own } }

    /// An answer is judged now. It counts as wrong until ``forgive(_:)``.
    mutating func judge(_ own: Waiting, at now: Int64) {
        leave(own)
        let count = count(of: own, at: now)
        guessers.removeAll { $0.isProgram(of: own) || !$0.counts(at: now) }
        guessers = Array(guessers.suffix(AttemptLimits.programs - 1))
        guessers.append(Guesser(pid: own.pid, startTime: own.startTime, count: count + 1, last: now))
    }

    /// The process has given the right answer.
    mutating func forgive(_ process: ProcessIdentity) {
        guessers.removeAll { $0.isProcess(process.pid, process.startTime) }
    }

    /// Whether answers of other programs were judged lately.
    func hasOthers(than own: Waiting, at now: Int64) -> Bool {
        guessers.contains { !$0.isProgram(of: own) && $0.counts(at: now) }
    }

    private func first(at now: Int64) -> Waiting? {
        waiting.min { rank($0, at: now) < rank($1, at: now) }
    }

    private func rank(_ answer: Waiting, at now: Int64) -> (Int, Int64, Int32) {
        (count(of: answer, at: now), answer.arrival, answer.server.pid)
    }

    private func count(of answer: Waiting, at now: Int64) -> Int {
        let known = guessers.first { $0.isProgram(of: answer) && $0.counts(at: now) }
        // The file may hold any number.
        return min(max(known?.count ?? 0, 0), AttemptLimits.failures)
    }
}
