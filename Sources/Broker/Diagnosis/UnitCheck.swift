import BrokerProtocol

/// Does the broker run with the protections of its unit file?
enum UnitCheck: DiagnosisCheck {
    static func findings(_ facts: DiagnosisFacts) -> [Keychain.Finding] {
        let missing = missing(in: facts.process)
        guard facts.process.isUnit else {
            let what = missing.isEmpty ? "" : "; not in force: \(missing.joined(separator: ", "))"
            return [
                Keychain.Finding(
                    .unit, facts.configuration.sandbox ? .note : .problem,
                    "systemd did not start the broker, so nothing ensures its unit's protections\(what)",
                    advice: facts.configuration.sandbox ? nil : "start it with: systemctl start cofferd.socket")
            ]
        }
        guard missing.isEmpty else {
            return [
                Keychain.Finding(
                    .unit, .problem, "the broker runs without: \(missing.joined(separator: ", "))",
                    advice: "undo what a drop-in changed; see: systemctl cat cofferd.service")
            ]
        }
        return [Keychain.Finding(.unit, .ok, "the broker runs as its unit says: no core file, no swap, no privileges")]
    }

    /// The lines of the unit that are not in force, as they stand in the unit file.
    static func missing(in process: BrokerProcess) -> [String] {
        var missing: [String] = []
        func demand(_ line: String, _ holds: Bool) { if !holds { missing.append(line) } }
        demand("LimitCORE=0", process.coreLimit == ["0", "0"])
        demand("MemorySwapMax=0", process.swapLimit == "0")
        demand("NoNewPrivileges=yes", process.status["NoNewPrivs"] == "1")
        demand("CapabilityBoundingSet=", isZero(process.status["CapBnd"]) && isZero(process.status["CapEff"]))
        demand("SystemCallFilter=@system-service", process.status["Seccomp"] == "2")
        demand(
            "Environment=GLIBC_TUNABLES=glibc.malloc.perturb=165", process.tunables.contains("glibc.malloc.perturb="))
        demand("Environment=SWIFT_BACKTRACE=enable=no", process.backtrace.contains("enable=no"))
        // Either setting would hide the callers' uids or start times, which every check of a caller needs.
        demand("PrivateUsers=no", process.users == "0 0 4294967295")
        demand("ProtectProc=default", process.seesOtherProcesses)
        return missing
    }

    private static func isZero(_ mask: String?) -> Bool { mask?.allSatisfy { $0 == "0" } ?? false }
}
