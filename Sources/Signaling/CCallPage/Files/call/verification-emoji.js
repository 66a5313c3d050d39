// The 64 emoji of a verification code and their names, in the order of docs/security.md, which is part of the protocol.

export const EMOJI = [
    ['🐶', 'dog'], ['🐱', 'cat'], ['🐮', 'cow'], ['🐷', 'pig'],
    ['🐨', 'koala'], ['🐘', 'elephant'], ['🦓', 'zebra'], ['🦒', 'giraffe'],
    ['🐢', 'turtle'], ['🐍', 'snake'], ['🐟', 'fish'], ['🐙', 'octopus'],
    ['🦀', 'crab'], ['🐧', 'penguin'], ['🦜', 'parrot'], ['🦋', 'butterfly'],
    ['🦔', 'hedgehog'], ['🌵', 'cactus'], ['🌴', 'palm'], ['🌻', 'sunflower'],
    ['🍄', 'mushroom'], ['🍎', 'apple'], ['🍌', 'banana'], ['🍇', 'grapes'],
    ['🍉', 'melon'], ['🌽', 'corn'], ['🥨', 'pretzel'], ['🍞', 'bread'],
    ['🧀', 'cheese'], ['🥚', 'egg'], ['🍕', 'pizza'], ['🍦', 'ice cream'],
    ['🍩', 'doughnut'], ['🌙', 'moon'], ['⭐', 'star'], ['🔥', 'fire'],
    ['🌈', 'rainbow'], ['⛄', 'snowman'], ['☔', 'umbrella'], ['⚓', 'anchor'],
    ['⛵', 'sailboat'], ['🚀', 'rocket'], ['🚂', 'train'], ['🚌', 'bus'],
    ['🚲', 'bicycle'], ['🚜', 'tractor'], ['🎁', 'gift'], ['🎲', 'dice'],
    ['🎹', 'piano'], ['🎺', 'trumpet'], ['🥁', 'drum'], ['🔔', 'bell'],
    ['🔑', 'key'], ['🔨', 'hammer'], ['🏀', 'basketball'], ['📎', 'paperclip'],
    ['💡', 'lamp'], ['📷', 'camera'], ['📖', 'book'], ['⏰', 'clock'],
    ['👑', 'crown'], ['👓', 'glasses'], ['🏠', 'house'], ['👟', 'shoe'],
];
