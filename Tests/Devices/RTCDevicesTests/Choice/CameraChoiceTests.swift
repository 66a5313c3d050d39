import Testing

@testable import RTCDevices

@Suite("Which camera to use")
struct CameraChoiceTests {
    private let front = Cameras.front
    private let back = Cameras.back
    private let display = Cameras.display
    private let webcam = Cameras.webcam

    /// An app that takes what the system prefers, and begins anywhere.
    private func choice(
        _ cameras: [MediaDevice] = Cameras.tablet, policy: CameraPolicy = CameraPolicy(),
        history: CameraHistory = CameraHistory()
    ) -> CameraChoice {
        var choice = CameraChoice(policy: policy, history: history)
        choice.update(cameras)
        return choice
    }

    // MARK: A service that is away

    @Test("What was plugged in, and what was chosen, is used again when the system's service is back")
    func returned() {
        var choice = choice(Cameras.tablet + [webcam])
        choice.choose(back.id)
        choice.update([])
        choice.update([webcam.returned(10)])
        choice.update([webcam.returned(10), front.returned(11), back.returned(12)])
        #expect(choice.current?.instance == 12)
        choice.update([webcam.returned(10), front.returned(11), back.returned(12), display])
        #expect(choice.current == display)
        choice.update([])
        choice.update([webcam.returned(20), back.returned(21), display.returned(22)])
        #expect(choice.current?.instance == 22)
    }

    @Test("A manual app goes back to what was chosen")
    func returnedToManual() {
        var choice = choice(policy: CameraPolicy(mode: .manual))
        choice.choose(back.id)
        choice.update([])
        choice.update([front.returned(10)])
        #expect(choice.current?.instance == 10)
        choice.update([front.returned(10), back.returned(11)])
        #expect(choice.current?.instance == 11)
    }

    @Test("The beginning of a call is not over when cameras come back one by one")
    func returnedAtBeginning() {
        var history = CameraHistory()
        history.noteChoice(back.id)
        var choice = choice(policy: .call, history: history)
        #expect(choice.current == front)
        choice.update([])
        choice.update([front.returned(10)])
        choice.update([front.returned(10), back.returned(11)])
        #expect(choice.current?.instance == 10)
    }

    // MARK: User-preferred

    @Test("Every choice by a person is remembered, from a list and by the button")
    func remembered() {
        var choice = choice(Cameras.tablet + [display])
        choice.choose(back.id)
        #expect(choice.userPreferred == back)
        choice.switchCamera()
        #expect(choice.userPreferred == display)
        choice.choose(front.id)
        #expect(choice.history.chosen == [front.id, display.id, back.id])
    }

    @Test("The history is short: the latest choice first, each camera once")
    func short() {
        var history = CameraHistory()
        for index in 0..<100 { history.noteChoice(DeviceID("\(index % 20)")) }
        #expect(history.chosen.count == CameraHistory.limit)
        #expect(history.chosen.first == "19")
        #expect(Set(history.chosen).count == CameraHistory.limit)
    }

    @Test("The history survives a restart")
    func restart() {
        var before = choice(Cameras.tablet + [display])
        before.choose(back.id)
        before.choose(display.id)
        before.noteStreaming()
        let after = choice(Cameras.tablet, history: CameraHistory(text: before.history.text))
        #expect(after.history == before.history)
        #expect(after.current == back)
    }

    @Test("If the preferred camera goes, the next connected one of the history is used")
    func nextOfHistory() {
        var choice = choice(Cameras.tablet + [display, webcam])
        choice.choose(webcam.id)
        choice.choose(back.id)
        choice.choose(display.id)
        choice.update(Cameras.tablet + [webcam])
        #expect(choice.userPreferred == back)
        choice.update([front, webcam])
        #expect(choice.userPreferred == webcam)
        #expect(choice.current == webcam)
    }

    @Test("If none of the history is connected, one that is ready is used, those that streamed before first")
    func readyOnes() {
        var history = CameraHistory()
        history.noteChoice("gone")
        history.noteStreaming(webcam.id)
        history.noteStreaming(display.id)
        #expect(choice(Cameras.tablet + [webcam, display], history: history).userPreferred == display)
        #expect(choice(Cameras.tablet + [webcam, display.notReady], history: history).userPreferred == webcam)
        #expect(choice([front.notReady, back], history: history).userPreferred == back)
        #expect(choice([front.notReady], history: history).userPreferred == front.notReady)
    }

    // MARK: System-preferred

    @Test("By default the system recommends the front camera")
    func frontByDefault() {
        #expect(choice([back, front]).systemPreferred == front)
        #expect(choice([Cameras.film, webcam, back]).systemPreferred == back)
        #expect(choice([Cameras.film, webcam]).systemPreferred == webcam)
        #expect(choice([Cameras.film]).systemPreferred == Cameras.film)
        #expect(choice([]).systemPreferred == nil)
    }

    @Test("The back camera, where the app said so once at its first launch")
    func backIfSaid() {
        let first = choice(policy: .camera)
        #expect(first.current == back)
        // Later launches say it in vain: the person has chosen since.
        var history = first.history
        history.noteChoice(front.id)
        #expect(choice(policy: .camera, history: history).current == front)
        history = CameraHistory()
        history.setFirstPosition(.back)
        history.setFirstPosition(.front)
        #expect(history.firstPosition == .back)
    }

    @Test("An external camera that was just plugged in wins, whatever was chosen before")
    func pluggedIn() {
        var choice = choice()
        choice.choose(back.id)
        choice.update(Cameras.tablet + [display])
        #expect(choice.systemPreferred == display)
        #expect(choice.current == display)
        #expect(choice.userPreferred == back)
        choice.update(Cameras.tablet + [display, webcam])
        #expect(choice.current == webcam)
        choice.update(Cameras.tablet + [display])
        #expect(choice.current == display)
        choice.update(Cameras.tablet)
        #expect(choice.current == back)
    }

    @Test("A choice by the person is later than the plugging in, and wins")
    func chosenSince() {
        var choice = choice()
        choice.update(Cameras.tablet + [display])
        choice.choose(front.id)
        #expect(choice.systemPreferred == front)
        choice.update(Cameras.tablet + [display])
        #expect(choice.current == front)
        // Plugged in once more, it is wanted once more.
        choice.update(Cameras.tablet)
        choice.update(Cameras.tablet + [display.again(9)])
        #expect(choice.current == display.again(9))
    }

    @Test("What was plugged in before the app began was not just plugged in")
    func pluggedBefore() {
        #expect(choice(Cameras.tablet + [display]).systemPreferred == front)
    }

    @Test("A built-in or virtual camera that appears was plugged in by nobody")
    func appears() {
        var choice = choice([front])
        choice.update([front, back, Cameras.film])
        #expect(choice.current == front)
    }

    @Test("Where the platform has an opinion of its own, that counts until the person chooses")
    func platform() {
        var choice = choice(Cameras.tablet + [display])
        choice.setPlatformPreferred(display.id)
        #expect(choice.current == display)
        choice.choose(back.id)
        #expect(choice.current == back)
        choice.setPlatformPreferred("unknown")
        #expect(choice.current == back)
    }

    // MARK: Modes

    @Test("Manual: stays with the camera in use, whatever is plugged in, until it goes or the person chooses")
    func manual() {
        var choice = choice(policy: CameraPolicy(mode: .manual))
        #expect(choice.current == front)
        choice.update(Cameras.tablet + [display])
        #expect(choice.current == front)
        choice.choose(display.id)
        #expect(choice.current == display)
        choice.update(Cameras.tablet)
        #expect(choice.current == front)
        choice.update(Cameras.tablet + [display.again(9)])
        #expect(choice.current == front)
    }

    // MARK: Recording

    @Test("No switch in the middle of a recording, but right after it", arguments: [false, true])
    func recording(_ isByPerson: Bool) {
        var choice = choice(Cameras.tablet + (isByPerson ? [display] : []))
        choice.beginRecording()
        if isByPerson { choice.choose(display.id) } else { choice.update(Cameras.tablet + [display]) }
        #expect(choice.current == front)
        #expect(choice.pending == display)
        choice.endRecording()
        #expect(choice.current == display)
        #expect(choice.pending == nil)
    }

    @Test("After a recording in which a camera came and went, nothing is switched")
    func recordingCameAndWent() {
        var choice = choice()
        choice.beginRecording()
        choice.update(Cameras.tablet + [display])
        choice.update(Cameras.tablet)
        #expect(choice.pending == nil)
        choice.endRecording()
        #expect(choice.current == front)
    }

    @Test("A camera that is unplugged in the middle of a recording is replaced at once")
    func recordingUnplugged() {
        var choice = choice()
        choice.update(Cameras.tablet + [display])
        choice.beginRecording()
        choice.update(Cameras.tablet)
        #expect(choice.current == front)
        choice.update(Cameras.tablet + [display.again(9)])
        #expect(choice.current == front)
        choice.endRecording()
        #expect(choice.current == display.again(9))
    }

    // MARK: The button

    @Test("Front or external → back")
    func toBack() {
        var choice = choice(Cameras.tablet + [display])
        #expect(choice.switchCamera() == back)
        choice.choose(display.id)
        #expect(choice.switchCamera() == back)
        #expect(choice.current == back)
    }

    @Test("Back → external if there is one, else front")
    func fromBack() {
        var choice = choice(policy: .camera)
        #expect(choice.switchCamera() == front)
        choice.choose(back.id)
        choice.update(Cameras.tablet + [display])
        choice.choose(back.id)
        #expect(choice.switchCamera() == display)
    }

    @Test("Back → front before a camera that a program makes, which comes before none")
    func beforeVirtual() {
        var choice = choice([Cameras.film] + Cameras.tablet)
        choice.choose(back.id)
        #expect(choice.switchCamera() == front)
        choice.choose(back.id)
        choice.update([back, Cameras.film])
        #expect(choice.switchCamera() == Cameras.film)
    }

    @Test("The button changes between two cameras only, and never fails on an unspecified position")
    func betweenTwo() {
        var choice = choice(Cameras.tablet + [display, webcam])
        choice.switchCamera()
        var seen: Set<DeviceID> = []
        for _ in 0..<10 { if let camera = choice.switchCamera() { seen.insert(camera.id) } }
        #expect(seen == [back.id, display.id])
    }

    @Test("Without a camera on the other side, the button goes to the next one, and nowhere from the only one")
    func noOtherSide() {
        var choice = choice([webcam, display, Cameras.film])
        #expect(choice.switchCamera() == display)
        #expect(choice.switchCamera() == Cameras.film)
        #expect(choice.switchCamera() == webcam)
        choice.update([webcam])
        #expect(choice.switchCamera() == nil)
        #expect(!choice.showsSwitchButton)
        choice.update([])
        #expect(choice.switchCamera() == nil)
    }

    // MARK: Policies

    @Test("A call begins with the front camera or an external one, and lets people switch in it")
    func call() {
        var history = CameraHistory()
        history.noteChoice(back.id)
        var choice = choice(policy: .call, history: history)
        #expect(choice.current == front)
        #expect(choice.showsSwitchButton)
        choice.switchCamera()
        #expect(choice.current == back)
        // The next call.
        choice.begin()
        #expect(choice.current == front)
        choice.update(Cameras.tablet + [display])
        #expect(choice.current == display)
    }

    @Test("A call hides the button while an external camera is used")
    func callButton() {
        var choice = choice(policy: .call)
        choice.update(Cameras.tablet + [display])
        #expect(!choice.showsSwitchButton)
        choice.choose(front.id)
        #expect(choice.showsSwitchButton)
    }

    @Test("A machine whose only camera looks back has that in a call")
    func callOnlyBack() {
        #expect(choice([back], policy: .call).current == back)
    }

    @Test("A scanner begins with the back camera, has no button, and follows the system when that changes")
    func scanner() {
        var history = CameraHistory()
        history.setFirstPosition(.front)
        history.noteChoice(front.id)
        var choice = choice(policy: .scanner, history: history)
        #expect(choice.current == back)
        #expect(!choice.showsSwitchButton)
        choice.update(Cameras.tablet + [display])
        #expect(choice.current == display)
        #expect(!choice.showsSwitchButton)
    }

    @Test("A scanner goes back to the back camera when the external one goes")
    func scannerReturns() {
        var choice = choice(policy: .scanner)
        choice.noteStreaming()
        choice.update(Cameras.tablet + [display])
        choice.noteStreaming()
        choice.update(Cameras.tablet)
        #expect(choice.current == back)
    }

    @Test("A browser offers any camera, the system's preferred one first, and uses what the page chose")
    func browser() {
        var choice = choice(policy: .browser)
        choice.update(Cameras.tablet + [display])
        #expect(choice.list == [display, front, back])
        #expect(choice.current == front)
        choice.choose(back.id)
        #expect(choice.current == back)
        #expect(choice.list == [back, front, display])
    }

    @Test("Another policy holds at once")
    func otherPolicy() {
        var choice = choice(policy: .scanner)
        choice.policy = .call
        #expect(choice.current == front)
    }
}
