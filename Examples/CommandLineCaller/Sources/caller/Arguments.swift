/// `caller SERVER USER [PEER] [--seconds N]`
struct Arguments {
    struct Usage: Error, CustomStringConvertible {
        var description: String {
            """
            usage: caller SERVER USER [PEER] [--seconds N]
              SERVER   such as ws://127.0.0.1:8080, where “duet serve” runs
              USER     your name there
              PEER     whom to call; without it, calls are waited for and answered
              N        after how many seconds to hang up; 30 if left out
            """
        }
    }

    let server: String
    let user: String
    let peer: String?
    var seconds = 30

    init(_ words: some Sequence<String>) throws {
        var words = Array(words)
        if let index = words.firstIndex(of: "--seconds") {
            guard words.indices.contains(index + 1), let seconds = Int(words[index + 1]), seconds > 0 else {
                throw Usage()
            }
            self.seconds = seconds
            words.removeSubrange(index...index + 1)
        }
        guard (2...3).contains(words.count), !words.contains(where: { $0.hasPrefix("-") }) else { throw Usage() }
        (server, user, peer) = (words[0], words[1], words.count == 3 ? words[2] : nil)
    }
}
