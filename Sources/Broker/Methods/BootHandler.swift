import Authorization
import BrokerProtocol
import Varlink
import Vault

/// `Boot`: the registers that the caller's vault is tied to, and whether this boot is approved.
enum BootHandler: MethodHandler {
    static func answer(_ method: Keychain.Boot, _ request: Request) async throws(Fault) -> MethodAnswer {
        try BootPrecondition.check(request)
        return .reply(Keychain.Boot.Reply(boot: try await request.vaultActor.boots.state(in: request.vaultActor)))
    }
}

/// `TieCoverage`: what a tie would protect in this boot.
enum TieCoverageHandler: MethodHandler {
    static func answer(_ method: Keychain.TieCoverage, _ request: Request) async throws(Fault) -> MethodAnswer {
        try BootPrecondition.check(request)
        try BootPrecondition.check(await request.vaultActor.record())
        return .reply(
            Keychain.TieCoverage.Reply(
                coverage: try await BootPrecondition.coverage(of: method.registers, request)))
    }
}

/// `TieToBoot`: asks for a person. The signatures, not this call, release the roots to be sealed again.
enum TieToBootHandler: MethodHandler {
    static func answer(_ method: Keychain.TieToBoot, _ request: Request) async throws(Fault) -> MethodAnswer {
        try BootPrecondition.check(request)
        let granted = try request.redeem(method.challenge)
        let releases = method.release ?? false
        if let named = method.registers { _ = try BootPrecondition.registers(named) }
        let isGranted =
            switch granted?.request.kind {
            case .tieToBoot: !releases
            case .releaseFromBoot: releases
            default: false
            }
        let record = try await request.vaultActor.record()
        try BootPrecondition.check(record)
        if (record.boot == nil) == releases {
            guard releases || isGranted else {
                throw Fault(
                    .alreadyExists,
                    "your vault is tied to the boot already",
                    advice: "to choose other registers, release it first with: coffer boot release"
                )
            }
            return .reply(Keychain.Boot.Reply(boot: try await request.vaultActor.boots.state(in: request.vaultActor)))
        }
        // The challenge was granted for this, but the registry was changed again meanwhile.
        if isGranted { throw Faults.challengeRefused }
        guard !releases else { throw try request.ask(for: .vault(.releaseFromBoot), vault: record.vault) }
        try await request.vaultActor.roots.requireRecoveryCode(in: request.vaultActor)
        let coverage = try await BootPrecondition.coverage(of: method.registers, request)
        try BootPrecondition.check(coverage, isWeakMeant: method.weak ?? false)
        throw try request.ask(
            for: .tieToBoot(registers: coverage.registers.map { Int($0) }), vault: record.vault)
    }

    static func logged(_ method: Keychain.TieToBoot) -> LoggedCall? {
        LoggedCall(event: method.release ?? false ? .release : .tie)
    }
}

/// `ApproveBoot`: asks the person every time. The signature is valid for nothing else.
enum ApproveBootHandler: MethodHandler {
    static func answer(_ method: Keychain.ApproveBoot, _ request: Request) async throws(Fault) -> MethodAnswer {
        try BootPrecondition.check(request)
        let granted = try request.redeem(method.challenge)
        guard let (boot, standing) = try await request.vaultActor.boots.standing(in: request.vaultActor) else {
            throw Fault(.invalidArgument, "your vault is not tied to the boot", advice: "tie it with: coffer boot bind")
        }
        // An invalid call is refused before anybody is prompted.
        let next = try BootForecast(boot: boot, standing: standing)
            .digest(method, FirmwareLog(request.core.configuration))
        guard let granted else {
            let vault = try await request.vaultActor.vaultID()
            throw try request.ask(for: .vault(.approveBoot), vault: vault)
        }
        // Without the authenticator's signature nobody has the key, not even the broker.
        guard granted.request.kind == .approveBoot, let key = granted.grant.key else {
            throw Faults.challengeRefused
        }
        try await request.vaultActor.boots.approve(in: request.vaultActor, next, by: key)
        await request.vaultActor.note(
            AccessRecord(
                .approve, by: request.program(granted),
                detail: next.map { "boot \(Hex.encode(Array($0.prefix(8))))" } ?? "this boot alone"), .anchored)
        return .reply(Keychain.Boot.Reply(boot: try await request.vaultActor.boots.state(in: request.vaultActor)))
    }

    static func logged(_ method: Keychain.ApproveBoot) -> LoggedCall? { LoggedCall(event: .approve) }
}
