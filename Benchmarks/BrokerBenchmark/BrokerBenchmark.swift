import ArgumentParser
import BrokerProtocol
import Dispatch
import Platform
import Synchronization
import Varlink

/// What calls of one broker cost, beside the floor under them. Prints a name and a number a line; `make bench` makes ratios of them.
@main struct BrokerBenchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "coffer-benchmark", abstract: "Measure calls of a broker. Started by \"make bench\".")

    @Argument(help: "The broker's socket.") var socket: String
    @Argument(help: "An item that is read without a person.") var service: String
    @Argument var account: String
    @Option(help: "Reads of one client.") var reads = 2000
    @Option(help: "Clients that read at the same time.") var clients = 16
    @Option(help: "Items that are made, and then listed.") var items = 2000
    @Option(help: "A folder on the disk of the vault.") var folder: String

    func run() throws {
        var reader = try Reader(socket, service, account)
        print("read-p50-us", try Sample.median(of: reads) { try reader.read() })
        let floor = try Floor()
        let parts = [
            ("echo", try floor.echo(reads)), ("selects", try floor.selects(reads)),
            ("agreement", try floor.agreement(reads)), ("decryption", try floor.decryption(reads)),
        ]
        for (name, microseconds) in parts { print("floor-\(name)-p50-us", microseconds) }
        print("floor-p50-us", parts.map(\.1).reduce(0, +))
        print("reads-per-second", try rate())
        for (name, microseconds) in try Writing(socket, folder).measure(count: items) { print(name, microseconds) }
        for (name, microseconds) in try Listing(socket).measure(rounds: 20) { print(name, microseconds) }
    }

    /// All clients together.
    private func rate() throws -> Int {
        let failure = Mutex<(any Error)?>(nil)
        let began = ContinuousClock.now
        let each = max(1, reads / 4)
        DispatchQueue.concurrentPerform(iterations: clients) { _ in
            do {
                var reader = try Reader(socket, service, account)
                for _ in 0..<each { try reader.read() }
            } catch {
                failure.withLock { $0 = error }
            }
        }
        if let failure = failure.withLock({ $0 }) { throw failure }
        return Int(Double(each * clients) / ((ContinuousClock.now - began) / .seconds(1)))
    }
}

/// A connection that reads one item again and again.
struct Reader: ~Copyable {
    private var socket: UnixSocket
    private let call: [UInt8]

    init(_ path: String, _ service: String, _ account: String) throws {
        let call = Varlink.encode(VarlinkCall(Keychain.Get(service: service, account: account)))
        var socket = try UnixSocket(connectingTo: path)
        let reply = try Self.answer(to: call, &socket)
        let answer = try Varlink.decode(VarlinkAnswer<Keychain.Get.Reply>.self, from: reply)
        if case .fault(let fault) = answer { throw fault }
        self.call = call
        self.socket = socket
    }

    private static func answer(to call: [UInt8], _ socket: inout UnixSocket) throws -> [UInt8] {
        try socket.send(call)
        guard let reply = try socket.receiveMessage(limit: Varlink.longestMessage) else {
            throw SystemError("read", reason: "the broker hung up")
        }
        return reply
    }

    mutating func read() throws {
        try socket.send(call)
        guard try socket.receiveMessage(limit: Varlink.longestMessage) != nil else {
            throw SystemError("read", reason: "the broker hung up")
        }
    }
}

enum Sample {
    /// - Returns: microseconds.
    static func median(of count: Int, _ body: () throws -> Void) rethrows -> Double {
        var times: [Duration] = []
        for _ in 0..<max(1, count) { times.append(try ContinuousClock().measure { try body() }) }
        return median(times)
    }

    /// - Returns: microseconds.
    static func median(_ times: [Duration]) -> Double {
        (times.sorted()[times.count / 2] / .nanoseconds(1)).rounded() / 1000
    }
}
