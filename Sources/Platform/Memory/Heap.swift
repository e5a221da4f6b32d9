import CLinux

/// The process's heap.
public enum Heap {
    /// Gives memory that was freed back to the kernel. Without this, the C library keeps most of it.
    public static func trim() { _ = malloc_trim(0) }
}
