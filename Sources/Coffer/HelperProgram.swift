import Foundation

/// A program that asks for us, run with pipes.
struct HelperProgram {
    private let process: Process
    private let input = Pipe()
    private let output = Pipe()

    /// How often a program is started that cannot be: one that was only just written may be held open by somebody for a moment yet (ETXTBSY).
    private static let attempts = 4

    init(path: String, arguments: [String]) throws(KeychainError) {
        var attempt = 1
        while true {
            do {
                process = try Self.start(path, arguments, input, output)
                return
            } catch {
                guard attempt < Self.attempts else {
                    throw KeychainError(
                        .authenticationNeeded, "\(path) cannot be run: \(Self.reason(path))",
                        advice: "see whether it is there and executable")
                }
                attempt += 1
                usleep(50_000)
            }
        }
    }

    /// Why a program does not start, in plain words.
    private static func reason(_ path: String) -> String {
        guard FileManager.default.fileExists(atPath: path) else { return "there is no such file" }
        guard FileManager.default.isExecutableFile(atPath: path) else { return "it is not executable" }
        return "the system does not start it"
    }

    private static func start(
        _ path: String, _ arguments: [String], _ input: Pipe, _ output: Pipe
    ) throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        // Whoever came here by su may not be able to enter the folder that the other user was in.
        process.currentDirectoryURL = URL(filePath: "/")
        try process.run()
        return process
    }

    func write(_ text: String) throws(KeychainError) {
        do {
            try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
        } catch {
            throw KeychainError(.cancelled, "\(name) ended before it was told what to ask")
        }
    }

    /// Reads to the end, or to the limit.
    func readAll(limit: Int) throws(KeychainError) -> [UInt8] {
        var bytes: [UInt8] = []
        while let more = try read(limit + 1 - bytes.count), !more.isEmpty { bytes += more }
        guard bytes.count <= limit else { throw tooLong(limit) }
        return bytes
    }

    /// Reads a line, without its end; nil when there is none any more.
    func readLine(limit: Int) throws(KeychainError) -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count <= limit {
            guard let next = try read(1)?.first else { return nil }
            if next == UInt8(ascii: "\n") { return bytes }
            bytes.append(next)
        }
        throw tooLong(limit)
    }

    /// Closes its input and waits for its end.
    /// - Returns: its exit status; -1 when a signal ended it.
    func finish() -> Int32 {
        // It may have closed its end already, which is as good.
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
        return process.terminationReason == .exit ? process.terminationStatus : -1
    }

    private var name: String { process.executableURL?.lastPathComponent ?? "the program" }

    private func read(_ count: Int) throws(KeychainError) -> Data? {
        guard count > 0 else { return nil }
        do {
            return try output.fileHandleForReading.read(upToCount: count)
        } catch {
            throw KeychainError(.cancelled, "the answer of \(name) cannot be read")
        }
    }

    private func tooLong(_ limit: Int) -> KeychainError {
        KeychainError(.invalidArgument, "the answer of \(name) is longer than \(limit) bytes")
    }
}
