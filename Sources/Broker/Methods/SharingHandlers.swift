import Authorization
import BrokerProtocol
import Circle
import Cryptography
import Platform
import Varlink
import Vault

/// `Found`: begins a circle. The person is asked each time.
enum FoundHandler: MethodHandler {
    static func answer(_ method: Sync.Found, _ request: Request) async throws(Fault) -> MethodAnswer {
        let name = try SharingWire.name(method.name)
        try await SharingPrecondition.checkMade(request)
        // Consent to making the vault is none to sharing it.
        guard let granted = try request.redeem(method.challenge), granted.request.kind != .create else {
            let plan = try await request.vaultActor.sharing.founding(in: request.vaultActor, name)
            throw try request.ask(for: .circle(plan), vault: await request.vaultActor.vaultID())
        }
        guard case .circle(let plan) = granted.request, let signature = granted.grant.key else {
            throw Faults.challengeRefused
        }
        let circle = try await request.vaultActor.sharing.found(in: request.vaultActor, plan, signature)
        await request.vaultActor.note(
            AccessRecord(.share, by: request.program(granted), detail: "a circle was begun"), .anchored)
        return .reply(Sync.Found.Reply(circle: Hex.encode(circle.bytes)))
    }

    static func logged(_ method: Sync.Found) -> LoggedCall? { LoggedCall(event: .share) }
}

/// `Request`: the request to join, and its code. Nobody is asked, because nothing is shared yet.
enum RequestHandler: MethodHandler {
    static func answer(_ method: Sync.Request, _ request: Request) async throws(Fault) -> MethodAnswer {
        let name = try SharingWire.name(method.name)
        try await SharingPrecondition.checkMade(request)
        let made = try await request.vaultActor.sharing.request(
            in: request.vaultActor, name, renewing: method.renew ?? false)
        let code = try SharingWire.form { () throws(CircleFormError) in try JoinCode(of: made) }
        let (place, sealed, text) = try SharingWire.cryptography { () throws(CryptographyError) in
            let place = try code.place
            return (
                place,
                try AESGCM.seal(
                    SecretBytes(copying: made.bytes), key: code.requestKey, associatedData: place.bytes),
                try code.text
            )
        }
        return .reply(
            Sync.Request.Reply(
                code: text.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) },
                request: Sync.File(path: StorePath.request(place).text, content: Base64.encode(sealed)),
                answer: StorePath.answer(place).text))
    }
}

/// `Add`: adds the machine of a request. The person is asked, and the authenticator compares the code.
enum AddHandler: MethodHandler {
    static func answer(_ method: Sync.Add, _ request: Request) async throws(Fault) -> MethodAnswer {
        try SharingPrecondition.checkUnlocked(request)
        let code = try SharingWire.code(method.code)
        let place = try SharingWire.cryptography { () throws(CryptographyError) in try code.place }
        guard let text = method.request else {
            return .reply(Sync.Add.Reply(path: StorePath.request(place).text))
        }
        let wanted = try opened(text, code, place)
        if let granted = try request.redeem(method.challenge) {
            guard case .circle(let plan) = granted.request, case .add(_, _, wanted) = plan.deed,
                let signature = granted.grant.key
            else { throw Faults.challengeRefused }
            try await request.vaultActor.sharing.add(in: request.vaultActor, plan, signature)
            await request.vaultActor.note(
                AccessRecord(.share, by: request.program(granted), detail: "\(wanted.name.text) was added"), .anchored)
        } else if let plan = try await request.vaultActor.sharing.addition(in: request.vaultActor, of: wanted) {
            throw try request.ask(for: .circle(plan), vault: await request.vaultActor.vaultID())
        }
        let answer = try await request.vaultActor.sharing.answer(in: request.vaultActor, to: wanted)
        let sealed = try SharingWire.cryptography { () throws(CryptographyError) in
            try AESGCM.seal(SecretBytes(copying: answer.bytes), key: code.answerKey, associatedData: place.bytes)
        }
        return .reply(
            Sync.Add.Reply(
                path: StorePath.request(place).text,
                answer: Sync.File(path: StorePath.answer(place).text, content: Base64.encode(sealed)),
                name: wanted.name.text, words: try SharingWire.words(answer.circle, wanted)))
    }

    static func logged(_ method: Sync.Add) -> LoggedCall? { LoggedCall(event: .share) }

    private static func opened(_ text: String, _ code: JoinCode, _ place: JoinPlace) throws(Fault) -> JoinRequest {
        let refusal = Fault(
            .invalidArgument, "that is not the request of this code", advice: "have the new machine make another one")
        guard let sealed = Base64.decode(text) else { throw refusal }
        let bytes: SecretBytes
        do throws(CryptographyError) {
            bytes = try AESGCM.open(sealed, key: code.requestKey, associatedData: place.bytes)
        } catch { throw refusal }
        do throws(CircleFormError) {
            return try JoinRequest(decoding: bytes.withBytes { bytes in bytes.indices.map { bytes[$0] } })
        } catch { throw refusal }
    }
}

/// `Enter`: enters the circle of an answer. The person compares the check words first.
enum EnterHandler: MethodHandler {
    static func answer(_ method: Sync.Enter, _ request: Request) async throws(Fault) -> MethodAnswer {
        try SharingPrecondition.checkUnlocked(request)
        let answer = try await opened(method.answer, request)
        let (plan, membership) = try await request.vaultActor.sharing.entrance(in: request.vaultActor, answer)
        guard let own = plan.request else { throw Faults.challengeRefused }
        guard let granted = try request.redeem(method.challenge) else {
            throw try request.ask(for: .circle(plan), vault: await request.vaultActor.vaultID())
        }
        guard case .circle(let agreed) = granted.request, agreed.repeats(plan) else { throw Faults.challengeRefused }
        try await request.vaultActor.sharing.enter(in: request.vaultActor, answer, own.name)
        await request.vaultActor.note(
            AccessRecord(.share, by: request.program(granted), detail: "a circle was entered"), .anchored)
        return .reply(
            Sync.Enter.Reply(
                circle: Hex.encode(answer.circle.bytes), words: try SharingWire.words(answer.circle, own),
                machines: membership.members.map { member in
                    let profile = answer.profiles.first { $0.device == member.keys.device }?.profile
                    return Sync.Machine(
                        device: Hex.encode(member.keys.device.bytes), name: profile?.name.text, role: member.role.text,
                        protection: profile?.protection.text, own: member.keys == own.keys)
                }))
    }

    static func logged(_ method: Sync.Enter) -> LoggedCall? { LoggedCall(event: .share) }

    private static func opened(_ text: String, _ request: Request) async throws(Fault) -> JoinAnswer {
        let (hasCircle, own) = try await request.vaultActor.use { (try $0.vault.hasCircle, try $0.vault.joinRequest) }
        // Before anybody is asked, because the answer would be in vain.
        guard !hasCircle else { throw Faults.hasCircle }
        guard let own else {
            throw Fault(
                .notFound, "this machine has made no request to join", advice: "make one with: coffer sync join FOLDER")
        }
        let refusal = Fault(
            .invalidArgument, "that is no answer to the request of this machine",
            advice: "add this machine again at the other one, with: coffer sync add")
        guard let sealed = Base64.decode(text) else { throw refusal }
        let code = try SharingWire.form { () throws(CircleFormError) in try JoinCode(of: own) }
        let bytes: SecretBytes
        do throws(CryptographyError) {
            bytes = try AESGCM.open(sealed, key: code.answerKey, associatedData: code.place.bytes)
        } catch { throw refusal }
        do throws(CircleFormError) {
            return try JoinAnswer(decoding: bytes.withBytes { bytes in bytes.indices.map { bytes[$0] } })
        } catch { throw refusal }
    }
}

/// `Remove`: removes machines from the circle. The person is asked each time.
enum RemoveHandler: MethodHandler {
    static func answer(_ method: Sync.Remove, _ request: Request) async throws(Fault) -> MethodAnswer {
        try SharingPrecondition.checkUnlocked(request)
        let devices = try SharingWire.devices(method.devices)
        guard let granted = try request.redeem(method.challenge) else {
            let plan = try await request.vaultActor.sharing.removal(in: request.vaultActor, of: devices)
            throw try request.ask(for: .circle(plan), vault: await request.vaultActor.vaultID())
        }
        guard case .circle(let plan) = granted.request, case .remove(let statement, _, let machines) = plan.deed,
            case .removal(devices) = statement.content, let signature = granted.grant.key
        else { throw Faults.challengeRefused }
        try await request.vaultActor.sharing.remove(in: request.vaultActor, plan, signature)
        let names = machines.map(\.text).joined(separator: ", ")
        await request.vaultActor.note(
            AccessRecord(.share, by: request.program(granted), detail: "removed: \(names)"), .anchored)
        return .reply(Nothing())
    }

    static func logged(_ method: Sync.Remove) -> LoggedCall? { LoggedCall(event: .share) }
}

/// `Forget`: forgets a circle that this vault is no member of. Nobody is asked, because nothing is shared or lost by it.
enum ForgetHandler: MethodHandler {
    static func answer(_ method: Sync.Forget, _ request: Request) async throws(Fault) -> MethodAnswer {
        try SharingPrecondition.checkUnlocked(request)
        try await request.vaultActor.sharing.forget(in: request.vaultActor)
        await request.vaultActor.note(
            AccessRecord(.share, by: request.program(), detail: "the circle was forgotten"), .anchored)
        return .reply(Nothing())
    }

    static func logged(_ method: Sync.Forget) -> LoggedCall? { LoggedCall(event: .share) }
}

/// `Look`: which files of the store hold something new.
enum LookHandler: MethodHandler {
    static func answer(_ method: Sync.Look, _ request: Request) async throws(Fault) -> MethodAnswer {
        try SharingPrecondition.checkUnlocked(request)
        let (heads, names) = (try SharingWire.bytes(method.heads), SharingWire.paths(method.names))
        let wanted = try await request.vaultActor.use { try $0.vault.wanted(names, heads: heads, $0.keys) }
        return .reply(Sync.Look.Reply(wanted: wanted.map(\.text)))
    }
}

/// `Take`: takes in what others gave out, and finds what was changed here.
enum TakeHandler: MethodHandler {
    static func answer(_ method: Sync.Take, _ request: Request) async throws(Fault) -> MethodAnswer {
        try SharingPrecondition.checkUnlocked(request)
        let (heads, segments) = (try SharingWire.bytes(method.heads), try SharingWire.bytes(method.segments))
        let taken = try await request.vaultActor.use {
            try $0.vault.takeIn(heads: heads, segments: segments, $0.keys)
        }
        if taken.added + taken.updated + taken.deleted > 0 {
            await request.vaultActor.note(
                AccessRecord(
                    .share, by: request.program(),
                    detail: "\(taken.added) new, \(taken.updated) changed, \(taken.deleted) deleted by other machines"))
        }
        return .reply(
            Sync.Take.Reply(
                added: Int64(taken.added), updated: Int64(taken.updated), deleted: Int64(taken.deleted),
                waiting: Int64(taken.waiting),
                obstacles: taken.obstacles.sorted { $0.key < $1.key }.map {
                    Sync.Obstacle(reason: $0.key, items: Int64($0.value))
                }))
    }
}

/// `Give`: gives out what was changed here, and returns the files that the store lacks.
enum GiveHandler: MethodHandler {
    static func answer(_ method: Sync.Give, _ request: Request) async throws(Fault) -> MethodAnswer {
        try SharingPrecondition.checkUnlocked(request)
        let (heads, names) = (try SharingWire.bytes(method.heads), Set(SharingWire.paths(method.names)))
        try await request.vaultActor.sharing.giveOut(in: request.vaultActor, heads: heads)
        let (files, hasMore) = try await request.vaultActor.use {
            try $0.vault.files(lacking: names, heads: heads, room: SharingCallLimits.answer)
        }
        return .reply(
            Sync.Give.Reply(
                files: files.map { Sync.File(path: $0.path.text, content: Base64.encode($0.content)) }, more: hasMore))
    }
}

/// `State`: with which machines the vault shares its items.
enum StateHandler: MethodHandler {
    static func answer(_ method: Sync.State, _ request: Request) async throws(Fault) -> MethodAnswer {
        try SharingPrecondition.check(request)
        guard request.condition != .none else { return .reply(Sync.State.Reply()) }
        let (state, requested) = try await request.vaultActor.use {
            (try $0.vault.circleState($0.keys), try $0.vault.joinRequest != nil)
        }
        guard let state else { return .reply(Sync.State.Reply(requested: requested)) }
        return .reply(
            Sync.State.Reply(
                circle: Hex.encode(state.circle.bytes),
                machines: state.machines.map { machine in
                    Sync.Machine(
                        device: Hex.encode(machine.device.bytes), name: machine.profile?.name.text,
                        role: machine.role.text, protection: machine.profile?.protection.text, own: machine.isOwn,
                        heard: machine.heard.map { Int64(clamping: $0) }, forked: machine.isForked)
                }, digest: Hex.encode(state.digest), joined: state.isMember, pending: Int64(state.pending),
                waiting: Int64(state.waiting),
                requested: requested))
    }
}

/// The words and bytes of the wire.
enum SharingWire {
    static func name(_ text: String) throws(Fault) -> MachineName {
        guard let name = MachineName(text) else {
            throw Fault(
                .invalidArgument,
                "a machine's name has 1 to \(CircleLimits.name) letters, digits, dots and dashes, and begins with a letter or digit"
            )
        }
        return name
    }

    static func code(_ text: String) throws(Fault) -> JoinCode {
        guard text.utf8.count <= SharingCallLimits.code else {
            throw Fault(.invalidArgument, "that is not the code of a machine")
        }
        do {
            return try JoinCode(reading: SecretBytes(copying: Array(text.utf8)))
        } catch {
            throw Fault(.invalidArgument, words(for: error), advice: "type it as the new machine shows it")
        }
    }

    private static func words(for error: any Error) -> String {
        switch error as? JoinCodeError {
        case .prefix: "the code of a machine begins with JOIN"
        case .wrongLength(let count, let expected): "the code has \(count) characters behind JOIN, and not \(expected)"
        case .strangeCharacter: "the code has a character that no code has"
        case .mistyped: "the code is mistyped"
        case .noMemory, nil: "there is no memory for the code"
        }
    }

    /// The ids of devices, sorted, each once.
    static func devices(_ texts: [String]) throws(Fault) -> [WriterID] {
        guard (1...SharingCallLimits.removals).contains(texts.count) else {
            throw Fault(
                .invalidArgument, "a call removes 1 to \(SharingCallLimits.removals) machines",
                advice: "remove the others with another call")
        }
        let devices = texts.compactMap { Hex.decode($0).flatMap(WriterID.init) }
        guard devices.count == texts.count else {
            throw Fault(
                .invalidArgument, "that is not the id of a machine", advice: "see them with: coffer sync status")
        }
        return Set(devices).sorted()
    }

    static func bytes(_ texts: [String]) throws(Fault) -> [[UInt8]] {
        guard texts.count <= SharingCallLimits.files else { throw Fault(.limitExceeded, "a call has too many files") }
        var all: [[UInt8]] = []
        for text in texts {
            guard let bytes = Base64.decode(text) else { throw Fault(.invalidArgument, "a file is not base64") }
            all.append(bytes)
        }
        return all
    }

    /// Names that no member writes are left out.
    static func paths(_ names: [String]) -> [StorePath] { names.compactMap { StorePath($0) } }

    static func words(_ circle: StatementName, _ request: JoinRequest) throws(Fault) -> [String] {
        try form { () throws(CircleFormError) in
            try CheckWords.text(circle: circle, request: request)
        }.split(separator: " ").map(String.init)
    }

    static func form<Value>(_ body: () throws(CircleFormError) -> Value) throws(Fault) -> Value {
        do throws(CircleFormError) { return try body() } catch { throw Fault(.failed, "the records cannot be made") }
    }

    static func cryptography<Value>(_ body: () throws(CryptographyError) -> Value) throws(Fault) -> Value {
        do throws(CryptographyError) { return try body() } catch {
            throw Fault(.failed, "there is no memory for keys just now", advice: "try again in a moment")
        }
    }
}

extension MemberRole {
    /// The wire's word.
    var text: String {
        switch self {
        case .reader: "reader"
        case .writer: "writer"
        case .admin: "admin"
        }
    }
}

extension KeyProtection {
    /// The wire's word.
    var text: String {
        switch self {
        case .tpm: "tpm"
        case .software: "software"
        }
    }
}
