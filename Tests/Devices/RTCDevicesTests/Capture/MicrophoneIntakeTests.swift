import Dispatch
import RTCFrames
import Testing

@testable import RTCDevices

@Suite("Sound from the sound card's thread", .timeLimit(.minutes(2)))
struct MicrophoneIntakeTests {
    @Test("What is written is taken once, in order; what does not fit is left out as a whole")
    func ring() {
        let ring = SampleRing(capacity: 8)
        func write(_ samples: [Float]) -> Bool { samples.withUnsafeBufferPointer { ring.write($0) } }
        #expect(write([0, 1, -1, 2, -2, .nan]))
        #expect(!write([0.5, 0.5, 0.5]))
        #expect(ring.take() == [0, 32_767, -32_767, 32_767, -32_767, 0])
        #expect(ring.take() == [])
        for _ in 0..<5 {
            #expect(write([0.5, 0.25, 0, 0.5, 0.25, 0]))
            #expect(ring.take() == [16_383, 8_191, 0, 16_383, 8_191, 0])
        }
    }

    @Test("Two threads at once lose nothing and mix nothing up")
    func threads() async {
        let ring = SampleRing(capacity: 100)
        let count = 30_000
        DispatchQueue.global().async {
            var next = 0
            while next < count {
                let piece = (next..<min(next + 7, count)).map { Float($0 % 1_000) / 32_767 }
                if piece.withUnsafeBufferPointer({ ring.write($0) }) { next += piece.count }
            }
        }
        var taken: [Int16] = []
        while taken.count < count {
            let new = ring.take()
            taken += new
            if new.isEmpty { await Task.yield() }
        }
        // A number is made of a fraction and back.
        let isRight = taken.enumerated().allSatisfy { index, sample in abs(Int(sample) - index % 1_000) <= 1 }
        #expect(isRight)
    }

    @Test(
        "It comes in pieces of 10 ms at 48 kHz, whatever the rate; a connection that has ended brings nothing",
        arguments: [16_000, 44_100, 48_000])
    func pieces(_ rate: Int) async {
        let (intake, sound) = (MicrophoneIntake(), SoundBox())
        let old = intake.connect(sampleRate: 8_000)
        let connection = intake.connect(sampleRate: rate)
        intake.set(sound)
        let second = [Float](repeating: 0.25, count: rate)
        var begin = 0
        while begin < rate {
            let end = min(begin + rate / 100, rate)
            second[begin..<end].withUnsafeBufferPointer { piece in
                connection.take(piece)
                old.take(piece)
            }
            begin = end
            // Faster than a sound card, and never so fast that something is left out; what is resampled comes a little later.
            while sound.all.count < end * 100 / rate - 3 { await Task.yield() }
        }
        #expect(sound.all.count <= 100)
        #expect(sound.all.allSatisfy { $0.sampleRate == 48_000 && $0.samples.count == 480 })
        intake.set(nil)
    }
}
