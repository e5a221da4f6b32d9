import BrokerProtocol
import Varlink

/// All items of a vault in as many answers as the broker makes of them, and a search through their texts that finds none.
struct Listing: ~Copyable {
    private var connection: VarlinkConnection

    init(_ socket: String) throws { connection = try VarlinkConnection(path: socket, until: nil) }

    consuming func measure(rounds: Int) throws -> [(String, Double)] {
        var count = 0
        var (whole, first, searches): ([Duration], [Duration], [Duration]) = ([], [], [])
        for _ in 0..<rounds {
            let list = try take(Keychain.List())
            count = list.count
            whole.append(list.whole)
            first.append(list.first)
            searches.append(try take(Keychain.Search(text: "nothing has this text")).whole)
        }
        let each = Double(max(count, 1))
        return [
            ("list-us-an-item", Sample.median(whole) / each), ("list-first-us", Sample.median(first)),
            ("search-us-an-item", Sample.median(searches) / each),
        ]
    }

    private mutating func take<Method: VarlinkMethod>(
        _ call: Method
    ) throws -> (count: Int, first: Duration, whole: Duration) where Method.Reply == Keychain.ItemsReply {
        let began = ContinuousClock.now
        try connection.send(call, more: true, until: nil)
        var (count, first) = (0, Duration?.none)
        while true {
            switch try connection.receive(Method.Reply.self, until: nil) {
            case .fault(let fault): throw fault
            case .reply(let reply, let continues):
                first = first ?? (ContinuousClock.now - began)
                count += reply.items.count
                if !continues { return (count, first ?? .zero, ContinuousClock.now - began) }
            }
        }
    }
}
