import JSON
import Platform

/// Counts the failures of one user in a file of that user's own. So one user's guesses slow down nobody else, and no account is ever locked.
struct AttemptLog {
    let directory: String
    let uid: UInt32

    /// - Throws: ``ConversationError`` if the folder cannot be written. Without the count, no answer is tried.
    init(registryDirectory: String, uid: UInt32) throws(ConversationError) {
        directory = "\(registryDirectory)/attempts"
        self.uid = uid
        do throws(SystemError) {
            try Folder.make(directory, mode: 0o700)
        } catch {
            throw .refused(.misconfigured(error))
        }
    }

    /// How long the next guess has to wait.
    func wait() throws(ConversationError) -> Duration {
        var wait: Int64 = 0
        try update { wait = $0.wait(at: Self.now()) }
        return .milliseconds(wait)
    }

    /// The result of asking for a guess's turn.
    enum Turn: ~Copyable {
        /// The guess is counted and may be judged. No other guess is judged until this value or this process ends.
        case taken(FileLock)
        /// Another process's guess is being judged.
        case busy
        /// Too little time has passed since the last guess.
        case delayed(Duration)
    }

    /// Asks for a guess to be judged; see ``AttemptRecord/begin(at:)``.
    func begin() throws(ConversationError) -> Turn {
        let lock: FileLock?
        do throws(SystemError) { lock = try FileLock(unlessHeld: "\(directory)/\(uid).guess") } catch {
            throw .refused(.misconfigured("the authenticator cannot count tries: \(error.message)", because: error))
        }
        guard let lock else { return .busy }
        var wait: Int64 = 0
        try update { wait = $0.begin(at: Self.now()) }
        return wait == 0 ? .taken(lock) : .delayed(.milliseconds(wait))
    }

    /// Counts a failure that no typed answer caused, such as a rejected finger.
    func fail() throws(ConversationError) { try update { $0.add(at: Self.now()) } }

    func succeed() throws(ConversationError) { try update { $0 = AttemptRecord() } }

    private func update(_ change: (inout AttemptRecord) -> Void) throws(ConversationError) {
        do throws(SystemError) {
            let lock = try FileLock(path: "\(directory)/\(uid).lock")
            defer { lock.keep() }
            let path = "\(directory)/\(uid).json"
            var record = AttemptRecord()
            var before: AttemptRecord?
            if try FileStatus.of(path) != nil {
                let bytes = try DurableFile.read(path, limit: AttemptLimits.file)
                // `try?`: an unreadable file counts as failures, so that nobody can clear the count by damaging it.
                before = try? JSONReader.read(AttemptRecord.self, from: bytes)
                record = before ?? AttemptRecord(failures: AttemptLimits.free, last: Self.now())
            }
            change(&record)
            // An answer that waits looks here often.
            guard record != before else { return }
            try DurableFile.write(JSONWriter.bytes(of: record), to: path, mode: 0o600)
        } catch {
            throw .refused(.misconfigured("the authenticator cannot count tries: \(error.message)", because: error))
        }
    }

    private static func now() -> Int64 { WallTime.milliseconds }
}

/// A user's recent failures. Times are in milliseconds since 1970-01-01 UTC.
struct AttemptRecord: JSONValue, Equatable {
    /// Guesses since the last success, including the one that is being judged.
    var failures = 0
    /// When the last guess began.
    var last: Int64 = 0

    /// How long the next guess has to wait. One delay lies between two guesses, no matter how many processes make them.
    /// - Returns: milliseconds.
    mutating func wait(at now: Int64) -> Int64 {
        // The file may hold any number. A clock that was set back must neither lock a person out nor cancel a delay.
        last = min(max(last, 0), now)
        failures = min(max(failures, 0), AttemptLimits.failures)
        if now - last >= AttemptLimits.memory { self = AttemptRecord() }
        return max(0, last + Self.delay(after: failures) - now)
    }

    /// Counts a guess before its outcome is known. So ending this process early does not give a free guess.
    /// - Returns: milliseconds to wait; 0 if the guess was counted and may be judged.
    mutating func begin(at now: Int64) -> Int64 {
        let wait = wait(at: now)
        if wait == 0 { add(at: now) }
        return wait
    }

    /// Counts a failure that no typed answer caused.
    mutating func add(at now: Int64) {
        _ = wait(at: now)
        failures += 1
        last = now
    }

    /// 0 for the first three, then 1, 2, 4, 8, 16, 30 seconds.
    static func delay(after failures: Int) -> Int64 {
        guard failures >= AttemptLimits.free else { return 0 }
        return min(1000 << Int64(min(failures - AttemptLimits.free, 10)), AttemptLimits.longestDelay)
    }
}

extension AttemptRecord {
    init(from reader: inout JSONReader) throws(JSONFailure) {
        var failures: Int?
        var last: Int64?
        var members = try reader.members()
        while let member = try reader.next(&members, of: ["failures", "last"]) {
            if member == 0 { failures = try reader.read() } else { last = try reader.read() }
        }
        self.failures = try members.required(failures, "failures")
        self.last = try members.required(last, "last")
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("failures", failures)
        writer.member("last", last)
        writer.endObject()
    }
}
