/// The 64 emoji of a ``VerificationCode``, in the order of docs/security.md, which is part of the protocol.
///
/// Each is one code point that needs no variation selector, known to systems from 2018 on. There are no faces, hands, flags and
/// hearts, which differ by colour or between fonts, and no two names that rhyme.
struct VerificationEmoji: Sendable, Hashable {
    let symbol: String
    let name: String

    private init(_ symbol: String, _ name: String) {
        self.symbol = symbol
        self.name = name
    }

    static func name(of symbol: String) -> String? { all.first { $0.symbol == symbol }?.name }

    static let all: [VerificationEmoji] = [
        VerificationEmoji("🐶", "dog"),
        VerificationEmoji("🐱", "cat"),
        VerificationEmoji("🐮", "cow"),
        VerificationEmoji("🐷", "pig"),
        VerificationEmoji("🐨", "koala"),
        VerificationEmoji("🐘", "elephant"),
        VerificationEmoji("🦓", "zebra"),
        VerificationEmoji("🦒", "giraffe"),
        VerificationEmoji("🐢", "turtle"),
        VerificationEmoji("🐍", "snake"),
        VerificationEmoji("🐟", "fish"),
        VerificationEmoji("🐙", "octopus"),
        VerificationEmoji("🦀", "crab"),
        VerificationEmoji("🐧", "penguin"),
        VerificationEmoji("🦜", "parrot"),
        VerificationEmoji("🦋", "butterfly"),
        VerificationEmoji("🦔", "hedgehog"),
        VerificationEmoji("🌵", "cactus"),
        VerificationEmoji("🌴", "palm"),
        VerificationEmoji("🌻", "sunflower"),
        VerificationEmoji("🍄", "mushroom"),
        VerificationEmoji("🍎", "apple"),
        VerificationEmoji("🍌", "banana"),
        VerificationEmoji("🍇", "grapes"),
        VerificationEmoji("🍉", "melon"),
        VerificationEmoji("🌽", "corn"),
        VerificationEmoji("🥨", "pretzel"),
        VerificationEmoji("🍞", "bread"),
        VerificationEmoji("🧀", "cheese"),
        VerificationEmoji("🥚", "egg"),
        VerificationEmoji("🍕", "pizza"),
        VerificationEmoji("🍦", "ice cream"),
        VerificationEmoji("🍩", "doughnut"),
        VerificationEmoji("🌙", "moon"),
        VerificationEmoji("⭐", "star"),
        VerificationEmoji("🔥", "fire"),
        VerificationEmoji("🌈", "rainbow"),
        VerificationEmoji("⛄", "snowman"),
        VerificationEmoji("☔", "umbrella"),
        VerificationEmoji("⚓", "anchor"),
        VerificationEmoji("⛵", "sailboat"),
        VerificationEmoji("🚀", "rocket"),
        VerificationEmoji("🚂", "train"),
        VerificationEmoji("🚌", "bus"),
        VerificationEmoji("🚲", "bicycle"),
        VerificationEmoji("🚜", "tractor"),
        VerificationEmoji("🎁", "gift"),
        VerificationEmoji("🎲", "dice"),
        VerificationEmoji("🎹", "piano"),
        VerificationEmoji("🎺", "trumpet"),
        VerificationEmoji("🥁", "drum"),
        VerificationEmoji("🔔", "bell"),
        VerificationEmoji("🔑", "key"),
        VerificationEmoji("🔨", "hammer"),
        VerificationEmoji("🏀", "basketball"),
        VerificationEmoji("📎", "paperclip"),
        VerificationEmoji("💡", "lamp"),
        VerificationEmoji("📷", "camera"),
        VerificationEmoji("📖", "book"),
        VerificationEmoji("⏰", "clock"),
        VerificationEmoji("👑", "crown"),
        VerificationEmoji("👓", "glasses"),
        VerificationEmoji("🏠", "house"),
        VerificationEmoji("👟", "shoe"),
    ]
}
