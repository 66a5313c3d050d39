/// How a link loses datagrams.
public enum LossModel: Sendable, Hashable {
    case none
    /// Each datagram is lost with this probability, whatever happened to the one before.
    case random(Double)
    /// A link that is at times good and at times bad (Gilbert, 1960; Elliott, 1963), so that losses come in bursts.
    ///
    /// Before each datagram a good link turns bad with the probability `toBad`, and a bad one turns good with `toGood`.
    case gilbertElliott(toBad: Double, toGood: Double, lossWhenGood: Double, lossWhenBad: Double)

    /// Bursts of losses with a given long-term `rate`, in `0 ..< 1`, and a mean length of `meanLength` datagrams, at
    /// least 1: the Gilbert model, whose bad state loses everything and whose good state nothing.
    public static func bursts(rate: Double, meanLength: Double) -> LossModel {
        let toGood = 1 / max(1, meanLength)
        let rate = min(max(rate, 0), 0.999)
        return .gilbertElliott(
            toBad: min(1, toGood * rate / (1 - rate)), toGood: toGood, lossWhenGood: 0, lossWhenBad: 1)
    }

    /// The part of the datagrams that is lost in the long run.
    package var expectedRate: Double {
        switch self {
        case .none: return 0
        case .random(let probability): return probability
        case .gilbertElliott(let toBad, let toGood, let whenGood, let whenBad):
            guard toBad + toGood > 0 else { return whenGood }
            let bad = toBad / (toBad + toGood)
            return bad * whenBad + (1 - bad) * whenGood
        }
    }
}

/// The state of a loss model on one link.
struct LossProcess: Sendable {
    private var isBad = false

    /// Decides whether the next datagram is lost.
    mutating func loses(_ model: LossModel, _ random: inout SimulationRandom) -> Bool {
        switch model {
        case .none: return false
        case .random(let probability): return random.chance(probability)
        case .gilbertElliott(let toBad, let toGood, let whenGood, let whenBad):
            if random.chance(isBad ? toGood : toBad) { isBad.toggle() }
            return random.chance(isBad ? whenBad : whenGood)
        }
    }
}
