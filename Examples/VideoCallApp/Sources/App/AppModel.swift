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
    let sharing: SharingModel

    init() {
        devices = DeviceModel()
        account = AccountModel()
        calls = CallModel(devices: devices, log: log)
        recording = RecordingModel()
        sharing = SharingModel()
        calls.resume(account)
    }
}
