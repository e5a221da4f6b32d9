import Configuration
import Foundation
import Platform
import TPM

/// Where the firmware's log of this boot is: never for a caller to say.
struct FirmwareLog: Sendable {
    /// What systemd has read as root for the broker's unit (`LoadCredential=`): the kernel's file is root's alone.
    private static let credential = "boot-log"
    private static let longest = 4 << 20

    private let path: String

    /// - Parameter credentials: systemd's folder for this unit; nil where it made none.
    init(_ configuration: Configuration, credentials: String? = Self.unitsCredentials) {
        if configuration.bootLog == Configuration().bootLog, let folder = credentials {
            path = "\(folder)/\(Self.credential)"
        } else {
            path = configuration.bootLog
        }
    }

    static var unitsCredentials: String? {
        ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// - Returns: why there is none that can be used, in words.
    func read() -> Result<MeasurementLog, FirmwareLogError> {
        let bytes: [UInt8]
        do throws(SystemError) { bytes = try DurableFile.read(path, limit: Self.longest) } catch {
            return .failure(FirmwareLogError(reason: "the firmware's log cannot be read (\(path): \(error.reason))"))
        }
        // The unit's word for it.
        guard !bytes.isEmpty, bytes != Array("none".utf8) else {
            return .failure(FirmwareLogError(reason: "the firmware keeps no log here"))
        }
        do throws(TPMError) { return .success(try MeasurementLog(parsing: bytes)) } catch {
            return .failure(FirmwareLogError(reason: error.reason))
        }
    }
}

struct FirmwareLogError: Error, Equatable {
    let reason: String
}
