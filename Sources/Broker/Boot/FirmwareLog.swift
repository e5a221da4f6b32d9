import Cryptography
import Firmware
import Platform
import RootConfiguration
import TPM
import Vault

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
        OwnProcess.environment["CREDENTIALS_DIRECTORY"].flatMap { $0.isEmpty ? nil : $0 }
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

/// The files of this boot that the firmware's log names, as they are on disk now. The next boot will measure their
/// present content.
struct BootFiles {
    struct Changed: Equatable {
        let path: String
        let old: [UInt8]
        let new: [UInt8]
    }

    private(set) var changed: [Changed] = []
    /// How many files have not changed.
    private(set) var unchanged = 0
    /// The files that were not found, or that the broker cannot read.
    private(set) var unseen: [String] = []

    /// - Parameters:
    ///   - registers: only files measured into these registers count.
    ///   - folders: the folders that the log's paths may be relative to.
    init(_ log: MeasurementLog, registers: [Int], folders: [String]) {
        var seen: Set<String> = []
        for event in log.events where registers.contains(event.register) {
            guard let name = event.fileName, seen.insert(name).inserted else { continue }
            guard seen.count <= BootLimits.files, let (path, file) = Self.find(name, folders) else {
                unseen.append(name)
                continue
            }
            if file.content == event.digest || file.image == event.digest {
                unchanged += 1
            } else {
                // A measurement in register 9 covers the bytes of a file; one in another register covers the image of
                // a program.
                let new = event.register == 9 ? file.content : file.image ?? file.content
                changed.append(Changed(path: path, old: event.digest, new: new))
            }
        }
    }

    private static func find(_ name: String, _ folders: [String]) -> (String, MeasuredFile)? {
        for folder in folders {
            // `try?`: a missing or unreadable file is skipped, because the next folder may have it.
            guard let bytes = try? DurableFile.read(folder + name, limit: BootLimits.file),
                let file = try? MeasuredFile(bytes)
            else { continue }
            return (folder + name, file)
        }
        return nil
    }
}
