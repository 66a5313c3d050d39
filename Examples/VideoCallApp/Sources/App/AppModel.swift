import Observation
import WebRTCKit

/// What the app is made of. Its parts know of each other what they are handed here.
@MainActor
@Observable
final class AppModel {
    let log = CallLog()
    let devices: DeviceModel
    let account: AccountModel
    let calls: CallModel
    let recording: RecordingModel

    init() {
        devices = DeviceModel()
        account = AccountModel()
        calls = CallModel(devices: devices, log: log)
        recording = RecordingModel()
        calls.resume(account)
    }
}
