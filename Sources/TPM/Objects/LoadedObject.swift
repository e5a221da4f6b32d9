import CTSS2

/// A transient object in the TPM, flushed when this value goes. `Role` keeps one kind from being used as another.
public struct LoadedObject<Role>: ~Copyable {
    let engine: Engine
    let reference: ESYS_TR
    let handle: UInt32

    init(_ engine: Engine, _ reference: ESYS_TR, _ command: CommandCode) throws(TPMError) {
        handle = try engine.adopt(reference, command)
        self.engine = engine
        self.reference = reference
    }

    deinit { engine.flush(handle) }

    /// Flushes the object now, not at the end of its scope.
    public consuming func flush() {}
}

/// The purposes of transient objects.
public enum HandleRole {
    public enum SealedData {}
    public enum AgreementKey {}
    public enum SigningKey {}
    public enum VerificationKey {}
    public enum PrimaryKey {}
}

public typealias SealedData = LoadedObject<HandleRole.SealedData>
public typealias AgreementKey = LoadedObject<HandleRole.AgreementKey>
public typealias SigningKey = LoadedObject<HandleRole.SigningKey>
public typealias VerificationKey = LoadedObject<HandleRole.VerificationKey>
typealias PrimaryKey = LoadedObject<HandleRole.PrimaryKey>
