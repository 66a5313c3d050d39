internal import NIOCore

/// A weak link from a pipeline's thread to the engine.
struct EngineLink: Sendable {
    private struct Reference {
        weak var engine: Engine?
    }

    private let loop: any EventLoop
    private let reference: NIOLoopBound<Reference>

    /// Call it on the engine's loop.
    init(_ engine: Engine) {
        loop = engine.loop
        reference = NIOLoopBound(Reference(engine: engine), eventLoop: engine.loop)
    }

    /// Performs `body` on the loop, unless the engine is closed by then.
    func perform(_ body: @escaping @Sendable (Engine) -> Void) {
        let reference = reference
        loop.execute {
            guard let engine = reference.value.engine, !engine.isClosed else { return }
            body(engine)
        }
    }
}
