/// The files and devices of a call.
package struct CallMedia: Sendable {
    /// The video and audio that is sent; without `audio`, that of the film, or a tone.
    package var video: VideoOption = .test
    package var audio: AudioOption?
    /// The size that sent video has to fit into.
    package var size: PictureSize?
    /// The devices of this machine.
    package var camera: DeviceSelection?
    package var microphone: DeviceSelection?
    package var speaker: DeviceSelection?

    package init() {}

    /// The files to send, where no device is selected.
    ///
    /// - Throws: ``Refusal`` if both a file and a device are given.
    func files() throws(Refusal) -> (video: VideoOption, audio: AudioOption?) {
        if camera != nil, video != .test, video != .none { throw Refusal("give one of --camera and --video") }
        if microphone != nil, let audio, audio != .none { throw Refusal("give one of --microphone and --audio") }
        return (camera == nil ? video : .none, microphone == nil ? audio : AudioOption.none)
    }
}
