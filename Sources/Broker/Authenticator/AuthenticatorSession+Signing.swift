import Authorization
import BrokerProtocol
import Cryptography
import Platform
import Varlink
import Vault

extension AuthenticatorSession {
    /// Begins the use of the sealer for one authorization. The sealer and the registry's record decide what is to be
    /// signed. The caller names an index only.
    func prepare(_ method: BrokerInterface.Prepare) async throws(Fault) -> MethodAnswer {
        let challenge = try permitted(.prepare, method.challenge)
        let place = Int(clamping: method.authorization)
        let authorization = try step { (challenges, connection) throws(ChallengeRefusal) in
            try challenges.begin(challenge.id, place, connection: connection)
        }
        do throws(Fault) {
            let material = try await core.vaultStore.vaultActor(of: challenge.owner).material(for: challenge.id)
            guard material.isSuccessor || material.record.vault == challenge.vault else { throw Self.refusal }
            let exchange: SigningExchange
            do throws(SealerError) {
                exchange = try await core.sealer.serving(.user(challenge.uid)).begin(
                    challenge.use(authorization), with: material, waiting: core.vaultStore.dependencies.signatureTime)
            } catch { throw Fault(error) }
            guard core.challenges.isOpen(challenge.id) else {
                // The TPM must not wait for a signature that cannot come.
                exchange.cancel()
                throw Self.refusal
            }
            exchanges.insert(exchange, challenge.id, place, connection: caller.connection)
            return .reply(
                BrokerInterface.Prepare.Reply(
                    nonce: Base64.encode(exchange.request.nonce),
                    parameterHash: Base64.encode(exchange.request.parameterHash)))
        } catch {
            core.challenges.end(challenge.id, OutcomeWord.of(error))
            throw error.forAuthenticator
        }
    }

    /// Takes the signature. After the last one, the process that asked has its vault open or its item's agreement
    /// ready.
    func complete(_ method: BrokerInterface.Complete) async throws(Fault) -> MethodAnswer {
        let challenge = try permitted(.complete, method.challenge)
        let place = Int(clamping: method.authorization)
        guard challenge.choice.authorizations.indices.contains(place),
            let exchange = exchanges.take(challenge.id, place, connection: caller.connection)
        else { throw Self.refusal }
        do throws(Fault) {
            guard let signature = Base64.decode(method.signature), signature.count == 64 else {
                exchange.cancel()
                throw Fault(.brokerInvalidArgument, "a signature has 64 bytes")
            }
            let pin: SecretBytes?
            do throws(Fault) { pin = try Self.pin(method.pin) } catch {
                exchange.cancel()
                throw error
            }
            do throws(Fault) { try checkLease(method, challenge) } catch {
                exchange.cancel()
                throw error
            }
            let released: SecretBytes?
            do throws(SealerError) { released = try await exchange.finish(signature: signature, pin: pin) } catch {
                throw Fault(error)
            }
            guard let secret = released else {
                throw Fault(.brokerChallengeRefused, "the signature came too late")
            }
            let authorization = challenge.choice.authorizations[place]
            if let answer = try await renewed(challenge, method, secret) { return answer }
            if authorization.role == .unlockRoot, method.reseals ?? false {
                try step { (challenges, connection) throws(ChallengeRefusal) in
                    try challenges.hold(secret, for: challenge.id, connection: connection)
                }
                return .reply(Nothing())
            }
            // A challenge that reseals roots must not open the vault.
            guard !challenge.request.resealsRoots || authorization.role == .recovery else { throw Self.refusal }
            if authorization.role == .unlockRoot {
                let vaultActor = core.vaultStore.vaultActor(of: challenge.owner)
                try await vaultActor.unlock(with: secret, for: challenge.id)
                await vaultActor.note(
                    AccessRecord(
                        .unlock, by: LoggedProgram.of(challenge),
                        detail: method.means.flatMap(Challenge.Means.init)?.detail), .anchored)
                if case .user(let uid) = challenge.owner {
                    core.locks.idle.unlocked(uid)
                } else {
                    await core.vaultStore.groupOpened()
                }
            }
            try step { (challenges, connection) throws(ChallengeRefusal) in
                try challenges.finish(
                    challenge.id, place, connection: connection,
                    agreement: authorization.role == .unlockRoot ? nil : secret,
                    means: method.means.flatMap(Challenge.Means.init))
            }
            return .reply(Nothing())
        } catch {
            // After a wrong password of a bound vault, the authenticator may try the previous password, once.
            let mayTryAgain =
                error.details.kind == BrokerInterface.wrongPassword
                && core.challenges.retry(challenge.id, place, connection: caller.connection)
            if !mayTryAgain { core.challenges.drop(challenge.id) }
            await noteRefusal(of: challenge, OutcomeWord.of(error))
            throw error.forAuthenticator
        }
    }

    /// The authenticator signs under a lease by its own record. The broker checks the caller by its own, too.
    private func checkLease(_ method: BrokerInterface.Complete, _ challenge: Challenge) throws(Fault) {
        guard method.means == Challenge.Means.lease.rawValue else { return }
        let authorization = challenge.choice.authorizations[Int(clamping: method.authorization)]
        guard core.leases.covers(authorization, of: challenge) else {
            throw Fault(.brokerNotPermitted, "the lease has ended", advice: "run the command again")
        }
    }

    /// Takes the secret that a signature released for a renewal of all keys.
    ///
    /// - Returns: nil if there is no renewal, or if the signature opens the vault itself.
    private func renewed(
        _ challenge: Challenge, _ method: BrokerInterface.Complete, _ secret: SecretBytes
    ) async throws(Fault) -> MethodAnswer? {
        guard case .rotate = challenge.request else { return nil }
        let place = Int(clamping: method.authorization)
        let vaultActor = core.vaultStore.vaultActor(of: challenge.owner)
        if challenge.choice.authorizations[place].item != nil {
            for item in try await vaultActor.renewal.agree(in: vaultActor, for: challenge, at: place, secret) {
                core.applicationPasswords.succeeded(at: item, by: challenge.uid)
            }
        } else if vaultActor.renewal.successorMaterial(for: challenge.id) != nil {
            try await vaultActor.renewal.proveSuccessor(in: vaultActor, secret, for: challenge.id)
        } else {
            return nil
        }
        try step { (challenges, connection) throws(ChallengeRefusal) in
            try challenges.finish(challenge.id, place, connection: connection, agreement: nil)
        }
        return .reply(Nothing())
    }

    /// The person failed to authenticate or gave up.
    func refuse(_ method: BrokerInterface.Refuse) async throws(Fault) -> MethodAnswer {
        let challenge = try permitted(.refuse, method.challenge)
        core.challenges.drop(challenge.id)
        exchanges.cancelAll(of: caller.connection)
        await noteRefusal(of: challenge, String(method.reason.unicodeScalars.prefix(32)))
        return .reply(Nothing())
    }

    /// Notes in the access log that the request was refused.
    private func noteRefusal(of challenge: Challenge, _ why: String) async {
        for record in AccessRecord.refusals(of: challenge, why) {
            await core.vaultStore.vaultActor(of: challenge.owner).noteRefusal(record)
        }
    }
}

extension Challenge {
    /// What the sealer does once the authenticator has signed.
    fileprivate func use(_ authorization: Authorization) -> SignedUse {
        if case .circle(let plan) = request, let signing = plan.signing { return signing }
        return authorization.point.map { .agree(authorization.role, point: $0) } ?? .open(authorization.role)
    }
}
