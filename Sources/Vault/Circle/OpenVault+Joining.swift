import Authorization
import Circle
import Cryptography
import Item

/// Begins a circle, and brings machines into it.
extension OpenVault {
    /// The founding statement's records, once a person has agreed to it.
    ///
    /// - Parameters:
    ///   - signed: by the keys that it names.
    ///   - signingKeys: those that the sealer has made for it.
    /// - Throws: `.alreadyExists` if the vault has a circle; `.invalidArgument` for another statement or signature;
    ///   `.damaged`, `.storage`.
    package func found(
        _ signed: SignedStatement, _ signingKeys: CircleSigningKeys, _ profile: DeviceProfile
    ) throws(VaultError) -> PreparedRecords {
        guard try !hasCircle else { throw .hasCircle }
        let name = signed.statement.name
        guard case .founding(let own) = signed.statement.content,
            try CircleView.membership(of: name, [signed]).members.map(\.keys) == [own]
        else { throw VaultError(.invalidArgument, "this is no signed statement that begins a circle") }
        let device = CircleDevice(circle: name, keys: own, signingKeys: signingKeys, profile: profile)
        let founding = try CircleView.membership(of: name, [signed])
        let (generation, halves) = try newGeneration(of: name, by: own.device, for: founding)
        var writer = try RecordWriter(device, after: nil, in: run(), before: nil)
        // There is no key before these two, and they hold public keys and sealed halves only.
        try writer.add(.statement(signed), nil)
        try writer.add(.generation(generation), nil)
        try writer.add(.profile(profile), (generation.name, halves.metadata))
        let (keys, vault) = (keys, format.vault)
        return try writer.finish(
            seen: [], stateDigest: try merging { () throws(MergingError) in try SharedState().digest.bytes },
            time: now(), given: [],
            streamPassword: try cryptography { () throws(CryptographyError) in
                try CirclePasswords.stream(keys, vault: vault, own.random)
            })
    }

    func newGeneration(
        of circle: StatementName, by maker: WriterID, for membership: Membership
    ) throws(VaultError) -> (KeyGeneration, GenerationHalves) {
        let halves = try cryptography { () throws(CryptographyError) in try GenerationHalves.generate() }
        var receivers: [KeyGeneration.Receiver] = []
        for member in membership.members {
            receivers.append(try halves.sealed(to: member.keys, in: circle))
        }
        do throws(CircleFormError) {
            return (
                try KeyGeneration(
                    circle: circle, maker: maker, removals: membership.removalsDigest,
                    publicHalves: halves.publicHalves, receivers: receivers), halves
            )
        } catch { throw .impossible(error) }
    }

    /// Keeps a request to join. An earlier one is forgotten.
    ///
    /// - Throws: `.alreadyExists` if the vault has a circle; `.locked`, `.damaged`, `.storage`.
    package func request(
        _ keys: MemberKeys, _ signingKeys: CircleSigningKeys, _ profile: DeviceProfile, _ classKeys: ClassKeys
    ) throws(VaultError) -> JoinRequest {
        let oneTime = try CirclePasswords.oneTimeKey(classKeys, vault: format.vault, keys.random)
        let request: JoinRequest
        do throws(CircleFormError) {
            request = try JoinRequest(
                keys: keys, oneTimeKey: oneTime.publicKey, protection: profile.protection, name: profile.name,
                time: now())
        } catch { throw .impossible(error) }
        try write { (change) throws(VaultError) in
            guard try change.circle(.device) == nil else { throw .hasCircle }
            try change.put(.joining, CircleJoining(request: request, signingKeys: signingKeys).encoded)
        }
        return request
    }

    /// The statement that adds a new device, for a person to agree to.
    ///
    /// - Parameter role: what the machine may do; nil for the usual role of its keys.
    /// - Returns: nil if the person has agreed to this request already.
    /// - Throws: `.notFound` without a circle; `.invalidArgument` if this device may add nobody, or if the device is a
    ///   member by another request; `.damaged`, `.storage`.
    package func addition(
        of request: JoinRequest, as role: MemberRole? = nil, _ classKeys: ClassKeys
    ) throws(VaultError) -> Statement? {
        try read { (snapshot) throws(VaultError) in
            let (material, view) = try view(snapshot, classKeys)
            guard view.role == .admin else {
                throw VaultError(
                    .invalidArgument, "this machine may not add others", advice: "add it at another machine")
            }
            if view.membership.members.contains(where: { $0.keys == request.keys }) {
                try Self.checkAgreed(to: request, material)
                return nil
            }
            guard view.keys[request.keys.device] == nil else {
                throw VaultError(
                    .invalidArgument, "that machine was removed",
                    advice: "have it make another request: coffer sync join")
            }
            // What software keeps can be copied, so it brings nobody in, unless somebody decides so.
            let usual: MemberRole = request.protection == .tpm ? .admin : .writer
            do throws(CircleFormError) {
                return try Statement(
                    circle: view.device.circle, signer: view.device.id, past: view.newestStatements,
                    .addition(request.keys, role ?? usual, given: view.presentThatOpens?.name))
            } catch { throw .impossible(error) }
        }
    }

    /// The records that bring a new device in, once a person has agreed: the statement, and the keys for all.
    ///
    /// - Parameter request: the one that the person has agreed to. Its answer may be asked for again.
    /// - Throws: `.changed` if the members are others by now; `.damaged`, `.storage`.
    package func add(
        _ signed: SignedStatement, of request: JoinRequest, _ classKeys: ClassKeys
    ) throws(VaultError) -> PreparedRecords {
        try read { (snapshot) throws(VaultError) in
            let (material, before) = try view(snapshot, classKeys)
            var after = material
            after.statements.append(signed)
            let view = try CircleView(after, classKeys, in: snapshot)
            guard case .addition(request.keys, _, _) = signed.statement.content,
                view.membership.members.contains(where: { $0.keys == request.keys })
            else {
                throw VaultError(.changed, "the members were changed meanwhile", advice: "try again")
            }
            var prepared = try prepared(view, [.statement(signed)], given: [], from: before)
            prepared.besides = [
                (.answered(request.keys.device), request.digest), (.receivers, GuardReceivers(view).encoded),
            ]
            return prepared
        }
    }

    /// A device's keys are no secret. Somebody can put a one-time key of their own beside them, and would be given the keys
    /// of the circle. That is another request, to which no person has agreed.
    private static func checkAgreed(to request: JoinRequest, _ material: CircleMaterial) throws(VaultError) {
        guard material.answered[request.keys.device] == request.digest else {
            throw VaultError(
                .invalidArgument, "that machine was added by another request, or at another machine",
                advice: "take the answer from there, or have it make another request: coffer sync join FOLDER --new")
        }
    }

    /// What the store keeps for the new device, in the clear: seal it under the code.
    ///
    /// - Throws: `.locked`; `.invalidArgument` if the device is no member, or if the person has agreed to another request;
    ///   `.limitExceeded` for too large a circle.
    package func answer(_ request: JoinRequest, _ classKeys: ClassKeys) throws(VaultError) -> JoinAnswer {
        try read { (snapshot) throws(VaultError) in
            let (material, view) = try view(snapshot, classKeys)
            try Self.checkAgreed(to: request, material)
            let adders = view.signedStatements.filter { signed in
                if case .addition(request.keys, _, _) = signed.statement.content { true } else { false }
            }.map(\.statement.signer)
            guard let adder = adders.contains(view.device.id) ? view.device.id : adders.min(),
                view.membership.members.contains(where: { $0.keys == request.keys })
            else { throw VaultError(.invalidArgument, "that machine is no member") }
            let generations = view.generationsToTell
            var halves: [SecretBytes] = []
            for generation in generations {
                if let own = view.halves[generation.name] { halves.append(try own.whole()) }
            }
            let heads = view.streams.keys.sorted().compactMap(view.headToShow)
            let profiles = view.membership.members.compactMap { member in
                view.profiles[member.keys.device].map { (device: member.keys.device, profile: $0) }
            }
            let ephemeral = try cryptography { () throws(CryptographyError) in try X25519.PrivateKey.generate() }
            let info = JoinAnswer.keyInfo(
                circle: view.device.circle, request: request.digest, ephemeral: ephemeral.publicKey)
            let sealed = try cryptography { () throws(CryptographyError) in
                try AESGCM.seal(
                    .concatenating(halves), key: Agreement.key(ephemeral, request.oneTimeKey, info),
                    associatedData: info)
            }
            do throws(CircleFormError) {
                return try JoinAnswer(
                    request: request.digest, circle: view.device.circle, adder: adder,
                    statements: view.signedStatements,
                    generations: generations.map(\.name),
                    present: view.usable, heads: heads, profiles: profiles, ephemeral: ephemeral.publicKey,
                    sealedKeys: sealed)
            } catch {
                throw VaultError(.limitExceeded, "the circle is too large for an answer", cause: error)
            }
        }
    }

    /// Who is in the circle by an answer, before a person has agreed to it.
    ///
    /// - Throws: `.notFound` without a request; `.invalidArgument` for an answer to another request.
    package func members(by answer: JoinAnswer) throws(VaultError) -> (request: JoinRequest, membership: Membership) {
        guard let request = try joinRequest else { throw .noRequest }
        let found: Membership?
        do throws(CircleFormError) { found = try answer.membership(for: request) } catch { throw .impossible(error) }
        guard let membership = found else {
            throw VaultError(
                .invalidArgument, "the answer is not to the request of this machine",
                advice: "begin again with: coffer sync join FOLDER")
        }
        return (request, membership)
    }

    /// Enters the circle of an answer, which a person has agreed to. Nothing is given out before.
    ///
    /// - Throws: as ``members(by:)``; `.locked`; `.damaged`, `.storage`.
    package func enter(_ answer: JoinAnswer, _ profile: DeviceProfile, _ classKeys: ClassKeys) throws(VaultError) {
        let (request, membership) = try members(by: answer)
        let oneTime = try CirclePasswords.oneTimeKey(classKeys, vault: format.vault, request.keys.random)
        let opened: SecretBytes
        do throws(CryptographyError) {
            let info = answer.keyInfo
            opened = try AESGCM.open(
                answer.sealedKeys, key: Agreement.key(oneTime, answer.ephemeral, info), associatedData: info)
        } catch {
            guard error.code == .authenticationFailed || error.code == .invalidKey else { throw VaultError(error) }
            throw .strangeAnswer
        }
        var rows: [(CircleRow, [UInt8])] = []
        for (place, generation) in answer.generations.enumerated() {
            let start = place * KeyGeneration.publicCount
            let halves = try cryptography { () throws(CryptographyError) in
                try GenerationHalves(whole: opened.slice(start..<start + KeyGeneration.publicCount))
            }
            guard let halves else { throw .strangeAnswer }
            // From now on they are opened as every other generation's are.
            let own = try halves.sealed(to: request.keys, in: answer.circle)
            let isPresent = answer.present?.name == generation
            guard !isPresent || halves.publicHalves == answer.present?.publicHalves else { throw .strangeAnswer }
            rows.append(
                (.halves(generation), LengthPrefixed.encode(isPresent ? answer.present?.bytes ?? [] : []) + own.sealed))
        }
        for signed in answer.statements { rows.append((.statement(signed.statement.name), signed.bytes)) }
        rows.append((.receivers, GuardReceivers(circle: answer.circle, membership.members.map(\.keys)).encoded))
        for head in answer.heads {
            rows.append((.head(head.head.device, head.head.end.run, head.head.end.chain), head.bytes))
        }
        try write { (change) throws(VaultError) in
            guard try change.circle(.device) == nil else { throw .hasCircle }
            guard let bytes = try change.circle(.joining) else { throw .noRequest }
            let joining = try CircleJoining(decoding: bytes)
            guard joining.request == request else { throw .noRequest }
            try change.put(.joining, [])
            for (row, content) in rows { try change.put(row, content) }
            try change.put(
                device: CircleDevice(
                    circle: answer.circle, keys: request.keys, signingKeys: joining.signingKeys, profile: profile))
        }
    }

    /// Records with these bodies. If the members have no generation, one is made.
    ///
    /// - Parameter envelopes: what the circle's paper gets, and keys that members lack.
    func prepared(
        _ view: CircleView, _ bodies: [RecordBody], given: [UInt64], from before: CircleView,
        _ envelopes: [PaperEnvelope] = []
    ) throws(VaultError) -> PreparedRecords {
        guard let former = before.usable, let key = before.halves[former.name] else {
            throw VaultError(.storage, "this machine has no key of the circle yet", advice: "wait for another machine")
        }
        let run = try run(for: view)
        var writer = try RecordWriter(view.device, after: view.ownEnd, in: run, before: before.device)
        for body in view.beginning(of: run) + bodies { try writer.add(body, (former.name, key.metadata)) }
        if view.present == nil, view.role?.mayWrite == true {
            let (generation, _) = try newGeneration(
                of: view.device.circle, by: view.device.id, for: view.membership)
            try writer.add(.generation(generation), (former.name, key.metadata))
        }
        for envelope in envelopes { try writer.add(.paper(envelope), nil) }
        return try finish(&writer, view, given: given)
    }

    /// - Parameters:
    ///   - seen: what the head names; nil for all that was taken in.
    ///   - time: of a head at the same end. Of two, the later one counts, also if the clock was set back.
    func finish(
        _ writer: inout RecordWriter, _ view: CircleView, seen: [SeenEnd]? = nil, given: [UInt64],
        after time: UInt64 = 0
    ) throws(VaultError) -> PreparedRecords {
        let (keys, vault) = (keys, format.vault)
        return try writer.finish(
            seen: seen ?? view.seen, stateDigest: view.stateDigest(given: given), time: max(now(), time + 1),
            given: given,
            streamPassword: try cryptography { () throws(CryptographyError) in
                try CirclePasswords.stream(keys, vault: vault, view.device.keys.random)
            })
    }
}

extension VaultError {
    static func closedKeys(by maker: WriterID) -> VaultError {
        VaultError(
            .invalidArgument, "another machine has made keys that do not open here, so nothing can be given out",
            advice: "remove that machine; it can join again: coffer sync remove \(Hex.encode(maker.bytes))")
    }

    static let hasCircle = VaultError(
        .alreadyExists, "this vault shares its secrets with other machines already",
        advice: "see with which: coffer sync status")
    static let noRequest = VaultError(
        .notFound, "this machine has made no request to join", advice: "make one with: coffer sync join FOLDER")
    static let strangeAnswer = VaultError(
        .invalidArgument, "the answer does not open, so it is not for this machine",
        advice: "begin again with: coffer sync join FOLDER")
}
