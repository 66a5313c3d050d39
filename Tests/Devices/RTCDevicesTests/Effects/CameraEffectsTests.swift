import Testing

@testable import RTCDevices

/// Center Stage with the framework's rules. What would raise an exception it writes down.
private struct FakeCenterStage {
    var control: CenterStageControl
    var isEnabled = false
    private(set) var exceptions = 0

    init(_ control: CenterStageControl) { self.control = control }

    mutating func carryOut(_ steps: [CenterStageSteps.Step]) {
        for step in steps {
            switch step {
            case .control(let other): control = other
            case .enable(let isOn):
                // "(…) centerStageEnabled may not be set programmatically and throws an NSInvalidArgumentException."
                // https://developer.apple.com/documentation/avfoundation/avcapturedevice/centerstagecontrolmode-swift.type.property
                if control == .person { exceptions += 1 } else { isEnabled = isOn }
            }
        }
    }
}

@Suite("The system's effects")
struct CameraEffectsTests {
    @Test(
        "Center Stage is switched whoever has it, and the person keeps a hand in it",
        arguments: CenterStageControl.allCases)
    func centerStage(control: CenterStageControl) {
        var stage = FakeCenterStage(control)
        for isOn in [true, false, true] {
            stage.carryOut(CenterStageSteps.set(isOn, control: stage.control))
            #expect(stage.isEnabled == isOn && stage.control == (control == .person ? .both : control))
        }
        stage.carryOut(CenterStageSteps.set(nil, control: stage.control))
        #expect(stage.control == .person && stage.isEnabled && stage.exceptions == 0)
        #expect(CenterStageSteps.set(nil, control: .person).isEmpty)
    }
}
