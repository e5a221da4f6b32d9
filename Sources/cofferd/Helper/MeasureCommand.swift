import ArgumentParser
import Authorization
import Firmware
import HelperProtocol
import Platform

/// Computes a boot file's digests for `coffer boot approve`.
struct MeasureCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: Helper.measure, abstract: "Compute the digests of a file, for \"coffer boot approve\".")

    /// The largest file that is read, in bytes. No kernel or boot loader is larger.
    private static let longest = 512 << 20

    @Argument(help: "The file.") var file: String

    func run() throws {
        let bytes: [UInt8]
        do throws(SystemError) { bytes = try DurableFile.read(file, limit: Self.longest) } catch {
            return try HelperAnswer.say(FileMeasurement())
        }
        let measured = try MeasuredFile(bytes)
        try HelperAnswer.say(
            FileMeasurement(content: Hex.encode(measured.content), image: measured.image.map(Hex.encode)))
    }
}
