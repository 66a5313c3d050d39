import CDuetOpus

/// libopus, by its functions.
typealias OpusLibrary = LoadedLibrary<COpusLibrary>

extension LoadedLibrary<COpusLibrary> {
    /// Returns the libopus that the program has provided (`copus_provide`), or that this package was built with.
    static func provided() -> Self {
        guard let library = copus_take() else { return .missing(reason: "the program provides no libopus") }
        return .loaded(library)
    }
}
