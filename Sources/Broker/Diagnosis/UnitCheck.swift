import BrokerProtocol
import Platform

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
        guard facts.process.hasUnifiedGroups else {
            return [
                Keychain.Finding(
                    .unit, .note,
                    "the broker runs as its unit says, but this system has control groups of version 1, which cannot keep one service out of swap; keys are locked in memory in any case"
                )
            ]
        }
        return [Keychain.Finding(.unit, .ok, "the broker runs as its unit says: no core file, no swap, no privileges")]
    }

    /// The lines of the unit that are not in force, as they stand in the unit file.
    static func missing(in process: BrokerProcess) -> [String] {
        var missing: [String] = []
        func demand(_ line: String, _ holds: Bool) { if !holds { missing.append(line) } }
        demand("LimitCORE=0", process.coreLimit == ["0", "0"])
        // Only control groups of version 2 know this limit.
        demand("MemorySwapMax=0", process.swapLimit == "0" || !process.hasUnifiedGroups)
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

/// How the broker really runs, as the kernel reports it. The unit file is not consulted.
struct BrokerProcess: Sendable, Equatable {
    /// Whether systemd started it as a unit.
    var isUnit: Bool
    /// Lines of `/proc/self/status`.
    var status: [String: String]
    /// `Max core file size` of `/proc/self/limits`: soft and hard.
    var coreLimit: [String]
    /// `memory.swap.max` of the control group; nil if there is none.
    var swapLimit: String?
    /// `/proc/self/uid_map`, one line.
    var users: String
    var seesOtherProcesses: Bool
    var tunables: String
    var backtrace: String
    /// Whether the system has control groups of version 2.
    var hasUnifiedGroups = true

    /// Reads how this process runs.
    static func current() -> BrokerProcess {
        let environment = OwnProcess.environment
        let status = lines("/proc/self/status").map { $0.split(separator: ":", maxSplits: 1).map(trimmed) }
        let core = lines("/proc/self/limits").first { $0.hasPrefix("Max core file size") }
        // `try?`: without a control group there is no limit to read.
        let group = (try? ProcessStat.controlGroup(pid: OwnProcess.number)) ?? nil
        return BrokerProcess(
            isUnit: environment["INVOCATION_ID"] != nil
                && isThere("/run/systemd/system"),
            status: Dictionary(status.filter { $0.count == 2 }.map { ($0[0], $0[1]) }) { $1 },
            coreLimit: core.map { $0.split(separator: " ").dropFirst(4).prefix(2).map(String.init) } ?? [],
            swapLimit: group.flatMap { lines("/sys/fs/cgroup\($0)/memory.swap.max").first }.map { trimmed($0[...]) },
            users: lines("/proc/self/uid_map").map { $0.split(separator: " ").joined(separator: " ") }.joined(),
            seesOtherProcesses: isThere("/proc/1"),
            tunables: environment["GLIBC_TUNABLES"] ?? "", backtrace: environment["SWIFT_BACKTRACE"] ?? "",
            hasUnifiedGroups: isThere("/sys/fs/cgroup/cgroup.controllers"))
    }

    private static func isThere(_ path: String) -> Bool {
        // `try?`: what cannot be looked at is not there for the broker.
        (try? FileStatus.of(path)) ?? nil != nil
    }

    /// - Returns: no lines if the file cannot be read. An unknown value counts as missing.
    private static func lines(_ path: String) -> [String] {
        // `try?`: without the file there are no lines.
        let content = (try? DurableFile.read(path, limit: DiagnosisLimits.kernelFile)) ?? []
        return String(decoding: content, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private static func trimmed(_ text: Substring) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
