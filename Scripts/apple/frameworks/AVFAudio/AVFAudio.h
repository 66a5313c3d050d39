// AVFAudio, as far as this package uses it.
#import <AVFAudio/AVAudioEngine.h>
#import <AVFAudio/AVAudioSession.h>
