/// One opening of the TPM. The commands are in extensions, by chapter of the TPM specification.
public struct TPMContext: ~Copyable {
    let engine: Engine
}
