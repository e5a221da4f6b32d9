import Foundation
import Glibc
import Platform

@testable import Coffer
@testable import CofferSettings

/// A folder with settings files, removed with this value.
final class SettingsFixture: Sendable {
    /// Private, as ``FileSettings`` demands.
    let folder: String

    init() throws {
        folder = FileManager.default.temporaryDirectory.path + "/coffer-settings-\(UUID().uuidString.prefix(13))"
        try Folder.make(folder, mode: 0o700)
    }

    deinit {
        // If the folder cannot be removed, a test that has ended can do nothing about it.
        try? FileManager.default.removeItem(atPath: folder)
    }

    var file: String { folder + "/app.json" }

    func removeFolder() throws { try FileManager.default.removeItem(atPath: folder) }

    /// Settings as another process would have them: with a memory of their own.
    /// - Parameter batch: an hour, so that only a test's own `flush()` writes.
    func settings(batch: Duration = .seconds(3600)) -> Settings {
        Settings(memory: SettingsMemory(backend()), batch: batch)
    }

    func backend(patience: Duration = SettingsLimits.lock) -> FileSettings {
        FileSettings(suite: "app", at: .user(folder: folder), patience: patience)
    }

    func write(_ text: String) throws { try DurableFile.write(Array(text.utf8), to: file, mode: 0o600) }

    func text() throws -> String {
        String(decoding: try DurableFile.read(file, limit: SettingsLimits.file), as: UTF8.self)
    }

    /// Starts another process that writes, and returns when it is ready. It begins with ``Subprocess/begin()``.
    func writer(_ verb: String, _ name: String, _ count: Int) throws -> Subprocess {
        let bundle = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let program = URL(fileURLWithPath: bundle).deletingLastPathComponent().path + "/settings-writer"
        let process = try Subprocess(program, [verb, folder, "app", name, "\(count)"]) {
            $0.input = .pipe
            $0.output = .pipe
            $0.errors = .inherited
        }
        // The pipe is read as it is filled: its first line comes whole.
        guard try process.read(limit: 64) == Array("ready\n".utf8) else { throw WriterFailure() }
        return process
    }

    struct WriterFailure: Error {}
}

extension Subprocess {
    func begin() throws { try write(Array("go\n".utf8)) }

    /// Waits for a success.
    func succeed() throws {
        guard try wait(until: .now + .seconds(600)) == 0 else { throw SettingsFixture.WriterFailure() }
    }
}

/// The code of the error that this throws; nil for none.
func code(_ body: () throws -> Void) -> SettingsError.Code? {
    do { try body() } catch { return (error as? SettingsError)?.code }
    return nil
}

/// The code of the error that this throws; nil for none.
func asyncCode(_ body: () async throws -> Void) async -> SettingsError.Code? {
    do { try await body() } catch { return (error as? SettingsError)?.code }
    return nil
}
