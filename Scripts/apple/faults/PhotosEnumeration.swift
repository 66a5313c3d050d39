// on: ios macos
// refused: may have additional unknown values
// chosen: by a reader who did not write the headers
import Photos
func ok(_ s: PHAuthorizationStatus) -> Bool { switch s { case .authorized, .limited: true
 case .denied, .restricted, .notDetermined: false } }
