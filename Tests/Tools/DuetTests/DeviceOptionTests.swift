import ArgumentParser
import RTCDevices
import RTCWire
import Testing

@testable import DuetShell
@testable import duet

@Suite("The devices of a call: options, commands and reports")
struct DeviceOptionTests {
    @Test("A device is any, none, or named; the options work without a value too")
    func options() throws {
        let plain = try CallCommand.parse(["bob"])
        #expect(plain.options.camera == nil && plain.options.microphone == nil && plain.options.speaker == nil)
        let any = try CallCommand.parse(["bob", "--camera", "--microphone", "--speaker"])
        #expect(any.peer == "bob" && any.options.camera == .any && any.options.microphone == .any)
        #expect(any.options.speaker == .any)
        let named = try CallCommand.parse(["bob", "--camera", "Studio Display", "--microphone", "none"])
        #expect(named.options.camera == .named("Studio Display") && named.options.microphone == DeviceSelection.none)
        #expect(try named.options.media.files() == (.none, AudioOption.none))
        let both = try CallCommand.parse(["bob", "--camera", "--video", "film.mp4"])
        #expect(throws: Refusal("give one of --camera and --video")) { try both.options.media.files() }
    }

    @Test("What can be set at a camera is told")
    func controls() {
        var camera = MediaDevice(id: "usb", media: .camera, name: "USB")
        func line() -> String { String(decoding: JSONValue.change("added", camera).line, as: UTF8.self) }
        #expect(line().contains(#""controls":{}"#))
        camera.controls = CameraControls(zoom: 1...4, focusModes: [.locked, .continuous], exposureModes: [.continuous])
        #expect(
            line().contains(
                #""controls":{"zoom":[1.00,4.00],"focus":["continuous","locked"],"exposure":["continuous"]}"#),
            "\(line())")
    }

    @Test("A film's length is a number of seconds", arguments: ["nan", "inf", "1e30", "0", "-1"])
    func length(_ text: String) throws {
        #expect(throws: (any Error).self) { try CameraRecordCommand.parse(["film.webm", "--seconds=\(text)"]) }
        #expect(try CameraRecordCommand.parse(["film.webm", "--seconds", "1.5"]).seconds == 1.5)
    }

    @Test("A person names a device by its identifier, its name, or a part of the name that no other has")
    func names() throws {
        let devices = ["Front Camera", "Back Camera", "USB Webcam"].enumerated().map { number, name in
            MediaDevice(id: DeviceID("camera-\(number)"), media: .camera, name: name)
        }
        for (text, name) in [("camera-1", "Back Camera"), ("front camera", "Front Camera"), ("webcam", "USB Webcam")] {
            #expect(try MediaDevice.named(text, .camera, among: devices, subject: "--camera").name == name)
        }
        for (text, words) in [("Camera", "several"), ("Nowhere", "no such camera"), ("", "no such camera")] {
            let refusal = #expect(throws: Refusal.self) {
                try MediaDevice.named(text, .camera, among: devices, subject: "--camera")
            }
            #expect(refusal?.description.contains(words) == true && refusal?.description.contains("\n") == false)
        }
        let nothing = #expect(throws: Refusal.self) {
            try MediaDevice.named("any", .microphone, among: devices, subject: "--microphone")
        }
        #expect(nothing?.description == "--microphone any: no microphone is connected")
    }

    @Test("Commands choose and switch devices")
    func commands() {
        func wish(_ text: String) -> CallAction? { CallAction(parsing: Array(text.utf8)) }
        #expect(wish(#"{"command":"camera","device":"USB"}"#) == .device(.choose(.camera, "USB")))
        #expect(wish(#"{"command":"speaker","device":"any"}"#) == .device(.choose(.speaker, "any")))
        #expect(wish(#"{"command":"switchCamera"}"#) == .device(.switchCamera))
        #expect(wish(#"{"command":"devices"}"#) == .device(.list))
        #expect(wish(#"{"command":"microphone"}"#) == nil)
    }

    @Test("What happens to a device is told to a script and to a person")
    func reports() throws {
        let camera = MediaDevice(id: "usb", media: .camera, name: "USB Webcam", kind: .external)
        let lost = try #require(DeviceReport(.lost(camera), .camera))
        #expect(
            String(decoding: lost.event.line, as: UTF8.self)
                == #"{"event":"device","media":"camera","state":"lost","device":{"id":"usb","name":"USB Webcam","#
                + #""kind":"external"},"message":"“USB Webcam” was unplugged."}"# + "\n")
        let failed = try #require(DeviceReport(.failed(camera, DeviceError(.busy, "close it there")), .camera))
        #expect(failed.message.contains("close it there"))
        #expect(DeviceReport(.none, .camera)?.device == nil)
        #expect(DeviceReport(.turned(camera, RotationAngles(preview: .none, capture: .none)), .camera) == nil)
    }
}
