import DuetShell

/// What the command line asks for.
enum DemoCommand: Sendable, Equatable {
    case call(CallDemoOptions)
    case data(DataDemoOptions)
    /// The work of one of the processes that the demo starts.
    case work(DemoWork)
    case help

    /// - Parameter arguments: Those of the program, without its name.
    /// - Throws: ``Refusal`` for an unknown option, or one that cannot be satisfied.
    init(parsing arguments: [String]) throws(Refusal) {
        var reader = ArgumentReader(arguments)
        switch arguments.first {
        case DemoWork.argument?:
            reader.skip()
            self = .work(try DemoWork(json: try reader.value()))
        case _ where arguments.contains("--help") || arguments.contains("-h"): self = .help
        case "data"?:
            reader.skip()
            self = .data(try DataDemoOptions(&reader))
        case "call"?:
            reader.skip()
            self = .call(try CallDemoOptions(&reader))
        default: self = .call(try CallDemoOptions(&reader))
        }
    }

    /// - Returns: The exit status.
    func run() async throws(Refusal) -> Int32 {
        switch self {
        case .call(let options): return try await options.run()
        case .data(let options): return try await options.run()
        case .work(let work): return try await work.run()
        case .help:
            print(Self.usage)
            return 0
        }
    }

    static let usage = """
        Watch two processes call each other.

        duet-demo [call]    A video call between two processes, and its quality.
            Starts a server in this process, and two others that call each other through it. At the end, prints the set-up
            time, the received frame rate and bitrate, and how close video and audio are to what was sent (PSNR, SSIM, STOI).
            What one side receives is recorded. The exit status is 0 if both received video and audio.

            --duration SECONDS   How long the call lasts (default: 10).
            --film FILE          The video file to send; by default one that comes with a package.
            --speech FILE        The audio file to send; by default recorded speech that comes with a package.
            --codec NAME         Use only this codec for its kind of media. May be repeated.
            --record FILE.webm   The recording; by default in .build, or in the temporary folder.
            --size WIDTHxHEIGHT  Scale the video to fit; by default to what this machine can encode and decode twice.
            --no-window          Show no window.
            --browser            Keep the call page running, with a callee that answers, and print its address.

        duet-demo data [FILE]    Two processes connect and send each other a file.
            Starts two processes on this machine, and forwards their descriptions and candidates, as an app's signalling
            server would. The files are sent over a data channel, in both directions at once, and compared with the originals.
            The exit status is 0 if both arrived intact.

            FILE                 The file that each sends to the other; by default two generated ones.
            --size MB            The size of the generated files in megabytes (default: 64).
            --keep               Keep the received files.

        Both take --log LEVEL: how much is logged to standard error, trace to critical (default: warning).

        Examples:
          duet-demo --duration 60 --codec vp9
          duet-demo --film holiday.mp4 --speech talk.wav --record holiday.webm
          duet-demo --browser
          duet-demo data --size 500
          duet-demo data holiday.mp4 --keep
        """
}
