import Authorization
import BrokerProtocol

@testable import Authenticator

extension ItemUse {
    static let reading = ItemUse(item: .init(service: "github", account: "me"), deed: .read)
}

extension PersonRequest {
    /// Every request there is, by the purposes that a broker names for it.
    static var samples: [Set<Keychain.Purpose>: PersonRequest] {
        get throws {
            let item = ItemUse.reading.item
            let change = ItemUse(item: item, deed: .change)
            let rename = ItemUse(item: item, deed: .rename(to: .init(service: "gitlab", account: "you")))
            var samples: [Set<Keychain.Purpose>: PersonRequest] = [
                [.create]: .vault(.create), [.unlock]: .vault(.unlock), [.recovery]: .vault(.recovery),
                [.bind]: .vault(.bind), [.unbind]: .vault(.unbind), [.tieToBoot]: .vault(.tieToBoot),
                [.releaseFromBoot]: .vault(.releaseFromBoot), [.approveBoot]: .vault(.approveBoot),
                [.accept]: .vault(.accept), [.rotate]: .rotate([item], telling: nil),
                [.enrolment]: .enrolment([.biometryAny]),
                [.read]: .use(.reading, unlocks: false), [.unlock, .read]: .use(.reading, unlocks: true),
                [.change]: .use(change, unlocks: false), [.unlock, .change]: .use(change, unlocks: true),
                [.lease]: .lease(LeaseRequest(items: [item], seconds: 60, command: nil)),
                [.rename]: .use(rename, unlocks: false), [.unlock, .rename]: .use(rename, unlocks: true),
            ]
            samples[[.releaseToCircle]] = .release(
                try ReleaseRequest(
                    BrokerInterface.Describe.Reply(
                        owner: "user:0", purposes: [.releaseToCircle], authorizations: [], alternatives: [],
                        items: [item], machines: ["laptop"])))
            for (purpose, kind) in [
                (Keychain.Purpose.foundCircle, RequestKind.foundCircle), (.addToCircle, .addToCircle),
                (.paperToCircle, .paperToCircle), (.joinCircle, .joinCircle), (.removeFromCircle, .removeFromCircle),
            ] {
                var facts = BrokerInterface.Describe.Reply(
                    owner: "user:0", purposes: [purpose], authorizations: [], alternatives: [])
                facts.ask(purpose, try CircleSample.one.get())
                samples[[purpose]] = .circle(try CircleRequest(kind, facts))
            }
            return samples
        }
    }
}
