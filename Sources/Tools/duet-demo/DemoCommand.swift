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

        duet-demo [call]    A video call between two processes, and how well it went.
            A server is started in this process, and two others call each other through it. At the end there is what the call
            was like: how long it took to begin, how many pictures came, and how near they and the sound are to what was
            sent. What one side saw and heard is recorded. The exit status is 0 if both saw and heard each other.

            --duration SECONDS   How long the call lasts (default: 10).
            --film FILE          The film that is sent. Without it, one that a package has brought.
            --speech FILE        The speech that is sent. Without it, what a package has brought.
            --codec NAME         Use this codec, and of its kind no other. May be given several times.
            --record FILE.webm   Where the recording goes; by default .build, or the temporary folder.
            --size WIDTHxHEIGHT  What the film's pictures are made to fit into. Without it, what this machine can do twice at
                                 once.
            --no-window          Do not show what one side sees in a window, where there is a screen.
            --browser            Leave the page up, with somebody there to call, and print its address.

        duet-demo data [FILE]    Two processes connect and send each other a file.
            Two processes are started on this machine. Their descriptions and candidates are carried from one to the other as
            the signalling of an app would do it; the files take the data channel between them, both at the same time. At the
            end each received file is compared with the one that was sent. The exit status is 0 if both files arrived as they
            were sent.

            FILE                 The file that each sends to the other. Without it, two files are made up.
            --size MB            The size of the files that are made up, in megabytes (default: 64).
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
