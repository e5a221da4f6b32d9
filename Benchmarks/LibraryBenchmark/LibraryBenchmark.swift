import BrokerProtocol
import Coffer
import Varlink

/// What the library adds to a read. Started by `make bench`.
///
/// `coffer-library-benchmark SERVICE ACCOUNT` reads the item once and ends, as the smallest application does. With a number and the broker's socket
/// after them, it reads so often by the library and by a bare call in turn, and prints the medians in microseconds.
@main
struct LibraryBenchmark {
    static func main() async throws {
        let arguments = CommandLine.arguments
        let keychain = Coffer.Keychain(service: arguments[1], prompts: .never)
        let account = arguments[2]
        _ = try await keychain.bytes(for: account)
        guard arguments.count == 5, let count = Int(arguments[3]) else { return }
        let connection = try await AsyncVarlinkConnection.connect(path: arguments[4], until: nil)
        let get = BrokerProtocol.Keychain.Get(service: arguments[1], account: account)
        var times: (library: [Duration], bare: [Duration]) = ([], [])
        for _ in 0..<max(1, count) {
            times.library.append(try await ContinuousClock().measure { _ = try await keychain.bytes(for: account) })
            times.bare.append(try await ContinuousClock().measure { _ = try await connection.call(get) })
        }
        print("load-p50-us", median(times.library))
        print("call-p50-us", median(times.bare))
    }

    private static func median(_ times: [Duration]) -> Double {
        (times.sorted()[times.count / 2] / .nanoseconds(1)).rounded() / 1000
    }
}
