/// The sine of `turns` whole turns, within 1e-9. The standard library has none, and this one is the same on every
/// machine.
func sine(turns: Double) -> Double {
    // Reduces to −1/4 … 1/4 of a turn, where the series is short.
    var turn = turns - turns.rounded()
    if turn > 0.25 { turn = 0.5 - turn } else if turn < -0.25 { turn = -0.5 - turn }
    let x = turn * 2 * Double.pi
    let square = x * x
    var term = x
    var sum = x
    for index in stride(from: 2.0, through: 16, by: 2) {
        term *= -square / (index * (index + 1))
        sum += term
    }
    return sum
}

/// The cosine of `turns` whole turns.
func cosine(turns: Double) -> Double { sine(turns: turns + 0.25) }
