import BrokerProtocol
import Platform
import RootConfiguration

/// The places for conversations that run at the same time, for one user and for all. Each conversation's process takes its own place before it reads
/// anything, so it does not matter who started it. Places are locks. The kernel returns them when the process ends in any way.
struct ConversationPlaces {
    /// The most conversations of one user.
    let ofUser: Int
    /// The most programs of one user that may be in a conversation.
    private let programs: Int
    private let path: String

    init(_ configuration: Configuration) {
        programs = configuration.authenticationsPerUser
        ofUser = max(ConversationLimits.leastOfUser, programs)
        path = configuration.conversationTable
    }

    /// The refusal for a user who has too many conversations.
    static let tooMany = ConversationError.Refusal.limitExceeded(
        "too many requests are waiting for your answer", advice: "answer or cancel one of them")

    /// Takes a place for one more conversation and holds it until the value ends.
    ///
    /// - Throws: ``ConversationError`` if the user, or all users together, have too many, or if the name service does not know the user.
    func admit(_ peer: PeerCredentials) throws(ConversationError) -> PlaceLocks {
        let places = try checked { () throws(SystemError) in try PlaceLocks(path: path) }
        let area = Area(uid: peer.uid)
        // The user's own limit comes first. A user who has reached it takes no place from others and causes no call to the name service.
        let own = try checked { () throws(SystemError) in try places.takeFirst(of: area.conversations(ofUser)) }
        guard let own else { throw .refused(Self.tooMany) }
        let account: Account?
        do throws(SystemError) { account = try Account.withUID(peer.uid) } catch {
            throw .refused(.denied("the caller cannot be identified: \(error)"))
        }
        guard account != nil else {
            throw .refused(.denied("the caller cannot be identified, because no account has uid \(peer.uid)"))
        }
        guard try checked({ () throws(SystemError) in try join(peer.pid, in: area, places) }) else {
            throw .refused(Self.tooMany)
        }
        let isFirst = own < area.conversations(ofUser).lowerBound + ConversationLimits.first
        let open = 0..<(isFirst ? ConversationLimits.total : ConversationLimits.total - ConversationLimits.kept)
        guard try checked({ () throws(SystemError) in try places.takeFirst(of: open) }) != nil else {
            throw .refused(
                .limitExceeded("all users together have too many open requests", advice: "try again in a moment"))
        }
        return places
    }

    /// Counts all conversations of a program as one.
    /// - Returns: false if the user has reached the limit with other programs.
    private func join(_ pid: Int32, in area: Area, _ places: borrowing PlaceLocks) throws(SystemError) -> Bool {
        // Without this lock, two programs that come at the same moment could each count the other and both be refused.
        try places.wait(for: area.gate)
        let found = try find(pid, in: area, places)
        try places.giveUp(area.gate)
        return found
    }

    private func find(_ pid: Int32, in area: Area, _ places: borrowing PlaceLocks) throws(SystemError) -> Bool {
        var free: Int64?
        for number in 0..<programs {
            let program = area.program(number)
            let own = program.lowerBound + Int64(pid)
            if try places.isHeld(own..<own + 1) { return try places.share(own) }
            if free == nil, try !places.isHeld(program) { free = own }
        }
        guard let free else { return false }
        return try places.share(free)
    }

    private func checked<Value: ~Copyable>(
        _ body: () throws(SystemError) -> Value
    ) throws(ConversationError) -> Value {
        do throws(SystemError) { return try body() } catch {
            throw .refused(.misconfigured(error))
        }
    }

    /// The places of one user. The places of all users together come before the first area.
    private struct Area {
        /// The places of one program, more than there are process IDs (PID_MAX_LIMIT).
        private static let program: Int64 = 1 << 23
        /// More than 64 programs take; 64 is the most that can be configured.
        private static let size: Int64 = 1 << 30

        private let start: Int64

        init(uid: UInt32) { start = (Int64(uid) + 1) * Self.size }

        /// Held while a program's place is searched for.
        var gate: Int64 { start }

        func conversations(_ limit: Int) -> Range<Int64> { start + 1..<start + 1 + Int64(limit) }

        /// One place for each process ID.
        func program(_ number: Int) -> Range<Int64> {
            let first = start + (Int64(number) + 1) * Self.program
            return first..<first + Self.program
        }
    }
}
