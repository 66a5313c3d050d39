import Observation
import WebRTCKit

/// The parts of the app. Each knows only those that it is given here.
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
