import Foundation
import Platform

/// A reader of input from outside, and valid content for it.
protocol FuzzTarget {
    /// One case. The product's own errors count as answers.
    /// - Throws: `BrokenPromise`, and errors of the test's own tools.
    mutating func tryOne(_ mutator: inout Mutator) async throws

    /// A last check after all cases.
    func end() async throws
}

extension FuzzTarget {
    func end() async throws {}
}

/// The reader believed something that nobody has vouched for.
struct BrokenPromise: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Runs something that may be refused, which is the usual outcome.
/// - Returns: nil if it was refused.
func answer<Value>(_ body: () throws -> Value) rethrows -> Value? {
    do { return try body() } catch let broken as BrokenPromise { throw broken } catch { return nil }
}

func promise(_ isKept: Bool, _ what: @autoclosure () -> String) throws {
    guard isKept else { throw BrokenPromise(what()) }
}

/// How many cases, or for how long.
struct FuzzRun: Codable, Sendable {
    var seed: UInt64
    /// Only this one.
    var number: Int?
    /// nil for the number of each target in `make test`.
    var seconds: Int?

    /// `make fuzz` sets it in the environment.
    static func current() -> FuzzRun {
        let environment = ProcessInfo.processInfo.environment
        let seconds = environment["COFFER_FUZZ_SECONDS"].flatMap { Int($0) }
        let seed = environment["COFFER_FUZZ_SEED"].flatMap { UInt64($0) }
        return FuzzRun(
            seed: seed ?? (seconds == nil ? 1 : UInt64.random(in: 0 ... .max)),
            number: environment["COFFER_FUZZ_CASE"].flatMap { Int($0) }, seconds: seconds)
    }

    /// - Parameters:
    /// - cases: the number if no time is given.
    /// - place: the file that names the present case, in case this process dies.
    func run(_ make: () async throws -> any FuzzTarget, cases: Int, place: String) async throws {
        let words = Self.words(place)
        try Data().write(to: words)
        // If a test does not get what it expects, the failure shows the output of its process.
        let file = try FileHandle(forWritingTo: words)
        dup2(file.fileDescriptor, STDERR_FILENO)
        try file.close()
        do { try await tryAll(make, cases: cases, place: place) } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            throw error
        }
    }

    /// The place where a run says what ended it.
    static func words(_ place: String) -> URL { URL(fileURLWithPath: place + ".said") }

    private func tryAll(_ make: () async throws -> any FuzzTarget, cases: Int, place: String) async throws {
        var target = try await make()
        let end = ContinuousClock.now + .seconds(seconds ?? 0)
        var tried = number ?? 0
        while number != nil ? tried == number : seconds == nil ? tried < cases : ContinuousClock.now < end {
            try Data("\(tried)".utf8).write(to: URL(fileURLWithPath: place))
            var mutator = Mutator(seed: seed, number: tried)
            try await target.tryOne(&mutator)
            tried += 1
        }
        // To repeat a failure here takes all of them.
        try Data((number.map { "\($0)" } ?? "all").utf8).write(to: URL(fileURLWithPath: place))
        try await target.end()
    }
}
