/// A `TSS2_RC`, split into the layer that reported it and its code without the numbers of parameter, session and
/// handle. TPM 2.0 Library, Part 2, "TPM_RC"; TSS 2.0 Overview, "Response codes".
public struct ResponseCode: Sendable, Hashable {
    /// What a format-one code points at. Numbers start at 1; 0 means that the TPM did not tell.
    public enum Subject: Sendable, Hashable {
        case none
        case parameter(Int)
        case session(Int)
        case handle(Int)
    }

    public let raw: UInt32

    public init(_ raw: UInt32) { self.raw = raw }

    /// Bits 16–23. 0 is the TPM, 11 a resource manager that passes on the TPM's code, 7 ESYS, 10 the TCTI.
    public var layer: UInt32 { (raw >> 16) & 0xFF }
    public var isFromTPM: Bool { layer == 0 || layer == 11 }
    /// Bit 7. The code points at a parameter, session or handle.
    public var isFormatOne: Bool { raw & 0x080 != 0 }

    /// The code without its layer and without what it points at.
    public var base: UInt32 { isFormatOne ? raw & 0x0BF : raw & 0x97F }

    /// Whether the TPM refused the command as such or cannot do it. False if it only lacked room, time or power at that
    /// moment.
    public var isRefusal: Bool {
        guard raw != 0, isFromTPM else { return false }
        // Bit 11 of a format-zero code marks a warning, which concerns the moment and not the command.
        let isWarning = !isFormatOne && raw & 0x800 != 0
        return !isWarning && ![Self.noSpaceInStorage, Self.initialize, Self.failure].contains(base)
    }

    public var subject: Subject {
        guard isFromTPM, isFormatOne else { return .none }
        let number = Int((raw >> 8) & 0xF)
        if raw & 0x040 != 0 { return .parameter(number) }
        return number & 0x8 != 0 ? .session(number & 0x7) : .handle(number)
    }
}

extension ResponseCode {
    /// Format-zero codes, in the form of `base`.
    static let initialize: UInt32 = 0x100
    static let failure: UInt32 = 0x101
    static let authorizationUnavailable: UInt32 = 0x12F
    static let authorizationType: UInt32 = 0x124
    static let policy: UInt32 = 0x126
    static let stateChanged: UInt32 = 0x128
    static let noSpaceInStorage: UInt32 = 0x14B
    static let parameterHash: UInt32 = 0x151
    static let lockout: UInt32 = 0x921
    static let commandCode: UInt32 = 0x143
    static let alreadyDefined: UInt32 = 0x14C
    static let unwritten: UInt32 = 0x14A
    static let notAuthorizedForNV: UInt32 = 0x149
    /// NV_RATE, YIELDED, TESTING and RETRY.
    static let later: Set<UInt32> = [0x908, 0x90A, 0x920, 0x922]
    /// Context gap; memory for objects and for sessions; memory in general; handles for sessions and for objects.
    static let exhaustion: ClosedRange<UInt32> = 0x901...0x906
    static let references: ClosedRange<UInt32> = 0x910...0x916

    /// Format-one codes, in the form of `base`.
    static let attributes: UInt32 = 0x082
    static let asymmetric: UInt32 = 0x081
    static let value: UInt32 = 0x084
    static let keySize: UInt32 = 0x087
    static let type: UInt32 = 0x08A
    static let handle: UInt32 = 0x08B
    static let authorizationFailed: UInt32 = 0x08E
    static let nonce: UInt32 = 0x08F
    static let signature: UInt32 = 0x09B
    static let policyFailed: UInt32 = 0x09D
    static let integrity: UInt32 = 0x09F
    static let badAuthorization: UInt32 = 0x0A2
    static let expired: UInt32 = 0x0A3
    static let policyCommand: UInt32 = 0x0A4
    static let binding: UInt32 = 0x0A5
}
