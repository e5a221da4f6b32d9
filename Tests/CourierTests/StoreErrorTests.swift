import Circle
import Foundation
import Glibc
import Platform
import TestSupport
import Testing

@testable import Courier

/// What people are told when the folder cannot be used.
@Suite struct StoreErrorTests {
    @Test func eachErrorOfTheKernelHasItsMeaning() {
        let meanings: [(Int32, StoreError.Code)] = [
            (ENOENT, .missing), (EACCES, .notPermitted), (EPERM, .notPermitted), (EROFS, .readOnly), (ENOSPC, .full),
            (EDQUOT, .full), (ENOTDIR, .strange), (ELOOP, .strange), (EISDIR, .strange), (ENXIO, .strange),
            (EIO, .other), (ESTALE, .other), (0, .other),
        ]
        for (number, code) in meanings {
            let error = StoreError(SystemError("write it", errno: number), at: "/store")
            #expect(error.code == code && error.errno == number && error.path == "/store")
        }
    }

    @Test func eachSaysWhereAndWhatToDo() {
        let texts = StoreError.Code.allCases.map {
            StoreError($0, at: "/store/x", cause: SystemError("read it", errno: EIO)).description
        }
        #expect(Set(texts).count == texts.count)
        for text in texts { #expect(text.contains("/store/x") && text.hasSuffix(".") && text.contains(" ")) }
        #expect(texts.last?.contains("Input/output error") == true)
        #expect(StoreError(.other, at: "/store").description == "/store cannot be used. Look at its disk or network.")
    }

    /// A file system without syncing is used all the same. One whose disk fails is not.
    @Test func onlyAnUnknownSyncIsNone() throws {
        for number in [EINVAL, EOPNOTSUPP, ENOSYS] {
            try FolderStore.synced { () throws(SystemError) in throw SystemError("sync it", errno: number) }
        }
        for number in [EIO, ENOSPC, EDQUOT, EROFS] {
            #expect(throws: SystemError.self) {
                try FolderStore.synced { () throws(SystemError) in throw SystemError("sync it", errno: number) }
            }
        }
    }

    @Test(.enabled(if: geteuid() == 0, "mounting needs root"))
    func aFolderThatCanOnlyBeReadIsReadAndNamed() throws {
        let fixture = try StoreFixture()
        let path = try fixture.segment(1)
        try fixture.store().write([1], to: path)
        let mount = try Mount(["--bind", "-o", "ro", fixture.path], at: fixture.path)
        let store = try fixture.store()
        #expect(try store.segments(of: fixture.circle, device: fixture.device) == [path])
        #expect(try store.read(path) == [1])
        for body in [
            { try store.write([2], to: path) }, { try store.write([2], to: .beacon(circle: fixture.circle)) },
            { try store.write([2], to: .request(fixture.place)) }, { try store.remove(path) },
        ] {
            let error = #expect(throws: StoreError.self) { try body() }
            #expect(error?.code == .readOnly && error?.errno == EROFS)
        }
        #expect(try store.read(path) == [1])
        withExtendedLifetime(mount) {}
    }

    @Test(.enabled(if: geteuid() != 0, "root may do everything"))
    func aFolderOfSomebodyElseIsNamed() throws {
        let fixture = try StoreFixture()
        #expect(unsafe chmod(fixture.path, 0o500) == 0)
        defer { _ = unsafe chmod(fixture.path, 0o700) }
        let error = #expect(throws: StoreError.self) { try fixture.store().write([1], to: fixture.segment(1)) }
        #expect(error?.code == .notPermitted && error?.errno == EACCES)
    }

    @Test(.enabled(if: geteuid() == 0, "mounting needs root"))
    func aFullDiskKeepsWhatWasThere() throws {
        let fixture = try StoreFixture()
        let mount = try Mount(["-t", "tmpfs", "-o", "size=256k,mode=0700", "none"], at: fixture.path)
        let store = try fixture.store()
        let path = try fixture.segment(1)
        try store.write([1], to: path)
        for path in [path, try fixture.segment(2)] {
            let error = #expect(throws: StoreError.self) {
                try store.write([UInt8](repeating: 2, count: 1 << 20), to: path)
            }
            #expect(error?.code == .full && error?.errno == ENOSPC)
            #expect(error?.path == "\(fixture.path)/\(path.text)")
        }
        #expect(try store.read(path) == [1])
        #expect(try fixture.names(#require(StoreFixture.folders(of: path).last)).count == 1)
        // What did not fit takes no room.
        try store.write([UInt8](repeating: 3, count: 100_000), to: path)
        withExtendedLifetime(mount) {}
    }
}
