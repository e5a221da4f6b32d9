import Configuration
import Foundation
import Platform
import TPM

/// Finds and reads the firmware's log of this boot. A caller cannot choose its place.
struct FirmwareLog: Sendable {
    /// The credential that systemd reads as root for the broker's unit (`LoadCredential=`). Only root may read the
    /// kernel's file.
    private static let credential = "boot-log"

    private let path: String

    /// - Parameter credentials: systemd's credentials folder for this unit; nil if there is none.
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

    /// - Returns: the log, or the reason why it cannot be used.
    func read() -> Result<MeasurementLog, FirmwareLogError> {
        let bytes: [UInt8]
        do throws(SystemError) { bytes = try DurableFile.read(path, limit: BootLimits.log) } catch {
            return .failure(FirmwareLogError(reason: "the firmware's log cannot be read (\(path): \(error.reason))"))
        }
        // The unit sets the credential to "none" if there is no log.
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
