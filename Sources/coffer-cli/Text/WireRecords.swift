import BrokerProtocol
import Coffer

// What `--json` prints as the broker has said it.
extension Keychain.Finding.Verdict: Encodable {}
extension Keychain.BootCoverage.Part: Encodable {}

extension Keychain.Sealer: Encodable {
    private enum Keys: String, CodingKey { case kind, manufacturer, model, identity }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(kind, forKey: .kind)
        try container.encodeIfPresent(manufacturer, forKey: .manufacturer)
        try container.encodeIfPresent(model, forKey: .model)
        try container.encodeIfPresent(identity, forKey: .identity)
    }
}

extension Keychain.VerifyLog.Reply: Encodable {
    private enum Keys: String, CodingKey { case whole, problem, records, first, last }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(whole, forKey: .whole)
        try container.encodeIfPresent(problem, forKey: .problem)
        try container.encode(records, forKey: .records)
        try container.encodeIfPresent(first, forKey: .first)
        try container.encodeIfPresent(last, forKey: .last)
    }
}
