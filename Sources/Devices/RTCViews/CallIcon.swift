/// The icons on the buttons of a call, drawn from shapes: an icon theme may be missing.
enum CallIcon: Sendable {
    case microphone, microphoneOff, camera, cameraOff, mirror, mirrorOff, hangUp, switchCamera, devices

    struct Color: Sendable {
        let red: Double
        let green: Double
        let blue: Double

        static let white = Color(red: 1, green: 1, blue: 1)
        static let dark = Color(red: 0.12, green: 0.13, blue: 0.15)
    }

    /// Premultiplied pixels of one byte each for blue, green, red and alpha; `side` rows of `side` pixels.
    func pixels(side: Int, color: Color) -> [UInt32] {
        var pixels: [UInt32] = []
        pixels.reserveCapacity(side * side)
        // Shapes are drawn in a square of 24 by 24; an edge is one pixel wide.
        let step = 24 / Double(side)
        for row in 0..<side {
            for column in 0..<side {
                let point = Point(x: (Double(column) + 0.5) * step, y: (Double(row) + 0.5) * step)
                let alpha = min(1, max(0, 0.5 - distance(to: point) / step))
                func byte(_ value: Double) -> UInt32 { UInt32((value * alpha * 255).rounded()) }
                pixels.append(byte(1) << 24 | byte(color.red) << 16 | byte(color.green) << 8 | byte(color.blue))
            }
        }
        return pixels
    }

    /// The distance of a point from the edge of the shape, negative inside.
    private func distance(to point: Point) -> Double {
        switch self {
        case .microphone: microphone(point)
        case .microphoneOff: crossedOut(microphone(point), point)
        case .camera: camera(point)
        case .cameraOff: crossedOut(camera(point), point)
        case .mirror: mirror(point)
        case .mirrorOff: crossedOut(mirror(point), point)
        case .hangUp: handset(point)
        case .switchCamera: turningArrows(point)
        case .devices: sliders(point)
        }
    }

    /// Two half rings, each with an arrowhead at its end.
    private func turningArrows(_ point: Point) -> Double {
        // The lower half is the upper one, rotated around the centre.
        let above = point.y < 12 ? point : Point(x: 24 - point.x, y: 24 - point.y)
        let ring = max(abs(above.distance(to: Point(x: 12, y: 12)) - 7.2) - 0.95, above.y - 10.2)
        let tip = Point(x: 19, y: 11.4)
        let head = min(
            above.distance(from: tip, to: Point(x: 19.6, y: 7.4)),
            above.distance(from: tip, to: Point(x: 15.2, y: 10)))
        return min(ring, head - 0.95)
    }

    /// Three lines with a knob on each.
    private func sliders(_ point: Point) -> Double {
        [(6.5, 15.5), (12.0, 8.5), (17.5, 14.0)].map { row, knob in
            min(
                point.distance(from: Point(x: 4, y: row), to: Point(x: 20, y: row)) - 0.9,
                point.distance(to: Point(x: knob, y: row)) - 2.5)
        }.min() ?? .infinity
    }

    private func microphone(_ point: Point) -> Double {
        let head = point.distance(from: Point(x: 12, y: 6.4), to: Point(x: 12, y: 11)) - 3.1
        // A half ring below the head, with round ends.
        let ring =
            point.y > 11
            ? abs(point.distance(to: Point(x: 12, y: 11)) - 6.1) - 0.95
            : min(point.distance(to: Point(x: 5.9, y: 11)), point.distance(to: Point(x: 18.1, y: 11))) - 0.95
        let stem = point.distance(from: Point(x: 12, y: 17.5), to: Point(x: 12, y: 20.6)) - 0.95
        let foot = point.distance(from: Point(x: 8.8, y: 20.8), to: Point(x: 15.2, y: 20.8)) - 0.95
        return min(head, ring, stem, foot)
    }

    private func camera(_ point: Point) -> Double {
        let body = point.distance(toBoxAt: Point(x: 9.2, y: 12), halfWidth: 6.7, halfHeight: 5.6, radius: 2)
        // The viewfinder: a trapezium that is widest at the right.
        let slope = abs(point.y - 12) - (1.4 + (point.x - 17.2) * 0.62)
        let finder = max(slope * 0.85, 17.2 - point.x, point.x - 21.6)
        return min(body, finder - 0.3)
    }

    /// A sail on either side of a pane, the right one only outlined.
    private func mirror(_ point: Point) -> Double {
        let pane = point.distance(from: Point(x: 12, y: 3.6), to: Point(x: 12, y: 20.4)) - 0.8
        let x = abs(point.x - 12)
        let slope = (11 * (x - 2.9) - 6 * (point.y - 6.5)) / 12.53
        let sail = max(2.9 - x, point.y - 17.5, slope)
        return min(pane, point.x < 12 ? sail - 0.4 : abs(sail + 0.4) - 0.8)
    }

    private func handset(_ point: Point) -> Double {
        // An arch, cut off on both sides, with one end hanging down on each.
        let center = Point(x: 12, y: 20)
        let x = abs(point.x - 12)
        let arch = max(abs(point.distance(to: center) - 9.2) - 1.9, (x * 0.72 + (point.y - 20) * 0.69) - 0.6)
        let end = Point(x: x, y: point.y)
            .distance(toBoxAt: Point(x: 8.4, y: 14.6), halfWidth: 2.7, halfHeight: 2.2, radius: 1.1)
        return min(arch, end)
    }

    private func crossedOut(_ shape: Double, _ point: Point) -> Double {
        let line = point.distance(from: Point(x: 4, y: 3.6), to: Point(x: 20, y: 20.6))
        return min(max(shape, 2.1 - line), line - 0.95)
    }

    private struct Point {
        var x: Double
        var y: Double

        func distance(to other: Point) -> Double {
            let (dx, dy) = (x - other.x, y - other.y)
            return (dx * dx + dy * dy).squareRoot()
        }

        /// The distance to the line from one point to another.
        func distance(from start: Point, to end: Point) -> Double {
            let (dx, dy) = (end.x - start.x, end.y - start.y)
            let share = ((x - start.x) * dx + (y - start.y) * dy) / (dx * dx + dy * dy)
            let part = min(1, max(0, share))
            return distance(to: Point(x: start.x + part * dx, y: start.y + part * dy))
        }

        func distance(toBoxAt center: Point, halfWidth: Double, halfHeight: Double, radius: Double) -> Double {
            let dx = abs(x - center.x) - halfWidth + radius
            let dy = abs(y - center.y) - halfHeight + radius
            let (outerX, outerY) = (max(dx, 0), max(dy, 0))
            return (outerX * outerX + outerY * outerY).squareRoot() + min(max(dx, dy), 0) - radius
        }
    }
}
