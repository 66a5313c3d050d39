import Testing

@testable import RTCDevices

@Suite("Which microphone to use")
struct MicrophoneChoiceTests {
    private let builtIn = MediaDevice(id: "built-in", media: .microphone, name: "Internal", kind: .builtIn)
    private let headset = MediaDevice(id: "headset", instance: 2, media: .microphone, name: "Headset", kind: .external)
    private let webcam = MediaDevice(
        id: "webcam", instance: 3, media: .microphone, name: "Webcam", kind: .external, group: "display")
    private let filter = MediaDevice(
        id: "echo-cancel", instance: 4, media: .microphone, name: "Without echo", kind: .virtual)

    private func choice(_ microphones: [MediaDevice]) -> MicrophoneChoice {
        var choice = MicrophoneChoice()
        choice.update(microphones)
        return choice
    }

    @Test("The microphone that was connected last is used, and the one before it when that goes")
    func lastConnected() {
        var choice = choice([builtIn])
        #expect(choice.current == builtIn)
        choice.update([builtIn, headset])
        #expect(choice.current == headset)
        choice.update([builtIn, headset, webcam])
        #expect(choice.current == webcam)
        choice.update([builtIn, headset])
        #expect(choice.current == headset)
        choice.update([builtIn])
        #expect(choice.current == builtIn)
    }

    @Test("A person's choice holds until another microphone is connected")
    func chosen() {
        var choice = choice([builtIn, headset])
        choice.choose(headset.id)
        #expect(choice.current == headset)
        choice.choose("unknown")
        #expect(choice.current == headset)
        choice.choose(builtIn.id)
        #expect(choice.current == builtIn)
        choice.update([builtIn, headset, webcam])
        #expect(choice.current == webcam)
    }

    @Test("What is back with the system's service was connected by nobody: what was used before is used again")
    func returned() {
        var choice = choice([builtIn, headset])
        choice.update([builtIn, headset, webcam])
        choice.choose(headset.id)
        choice.update([])
        choice.update([webcam.returned(10)])
        choice.update([webcam.returned(10), headset.returned(11), builtIn.returned(12)])
        #expect(choice.current?.instance == 11)
        choice.choose(builtIn.id)
        choice.update([])
        choice.update([webcam.returned(20), headset.returned(21), builtIn.returned(22)])
        #expect(choice.current?.instance == 22)
        choice.update([builtIn.returned(22), headset.again(30)])
        #expect(choice.current?.instance == 30)
    }

    @Test("What a program makes was connected by nobody, and is used when there is nothing else")
    func virtual() {
        var choice = choice([builtIn])
        choice.update([filter, builtIn])
        #expect(choice.current == builtIn)
        choice.update([filter])
        #expect(choice.current == filter)
    }

    @Test("An external camera's microphone is offered with it")
    func ofCamera() {
        let choice = choice([builtIn, webcam])
        #expect(choice.microphone(of: Cameras.display) == webcam)
        #expect(choice.microphone(of: Cameras.webcam) == nil)
        #expect(choice.microphone(of: Cameras.front) == nil)
    }

    @Test("The list begins with the microphone of the camera in use")
    func list() {
        var choice = choice([builtIn, headset, webcam])
        #expect(choice.list == [builtIn, headset, webcam])
        choice.camera = Cameras.display
        #expect(choice.list == [webcam, builtIn, headset])
        #expect(choice.current == builtIn)
        choice.camera = Cameras.front
        #expect(choice.list == [builtIn, headset, webcam])
    }

    @Test("Where the system shows a single microphone, its name follows the route")
    func route() {
        var choice = choice([builtIn])
        var renamed = builtIn
        renamed.name = "Studio Display Microphone"
        choice.update([renamed])
        #expect(choice.current?.name == "Studio Display Microphone")
        #expect(choice.current?.isSameInstance(as: builtIn) == true)
    }
}
