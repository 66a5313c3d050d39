// The files of the call page, taken into the program when it is compiled. (Swift would have to be given them as arrays of
// numbers, over which its compiler sits for half a minute.)
//
// A new file of `Files` needs two lines here.

#pragma clang diagnostic ignored "-Wc23-extensions"

#include "CCallPage.h"

static const unsigned char call_css[] = {
#embed "Files/call.css"
};
static const unsigned char icon_svg[] = {
#embed "Files/icon.svg"
};
static const unsigned char index_html[] = {
#embed "Files/index.html"
};
static const unsigned char call_call_view_js[] = {
#embed "Files/call/call-view.js"
};
static const unsigned char call_call_js[] = {
#embed "Files/call/call.js"
};
static const unsigned char call_chat_js[] = {
#embed "Files/call/chat.js"
};
static const unsigned char call_devices_view_js[] = {
#embed "Files/call/devices-view.js"
};
static const unsigned char call_fingerprints_js[] = {
#embed "Files/call/fingerprints.js"
};
static const unsigned char call_link_js[] = {
#embed "Files/call/link.js"
};
static const unsigned char call_lobby_view_js[] = {
#embed "Files/call/lobby-view.js"
};
static const unsigned char call_main_js[] = {
#embed "Files/call/main.js"
};
static const unsigned char call_media_js[] = {
#embed "Files/call/media.js"
};
static const unsigned char call_people_js[] = {
#embed "Files/call/people.js"
};
static const unsigned char call_phone_js[] = {
#embed "Files/call/phone.js"
};
static const unsigned char call_quality_js[] = {
#embed "Files/call/quality.js"
};
static const unsigned char call_ringtone_js[] = {
#embed "Files/call/ringtone.js"
};
static const unsigned char call_settings_js[] = {
#embed "Files/call/settings.js"
};
static const unsigned char call_signaling_js[] = {
#embed "Files/call/signaling.js"
};
static const unsigned char call_statistics_js[] = {
#embed "Files/call/statistics.js"
};
static const unsigned char call_unproven_name_js[] = {
#embed "Files/call/unproven-name.js"
};
static const unsigned char call_verification_emoji_js[] = {
#embed "Files/call/verification-emoji.js"
};
static const unsigned char call_verification_view_js[] = {
#embed "Files/call/verification-view.js"
};
static const unsigned char call_verification_js[] = {
#embed "Files/call/verification.js"
};
static const unsigned char call_view_js[] = {
#embed "Files/call/view.js"
};

#define FILE(path, bytes) {"/" path, bytes, sizeof bytes}

static const CCallPageFile files[] = {
    FILE("call.css", call_css),
    FILE("icon.svg", icon_svg),
    FILE("index.html", index_html),
    FILE("call/call-view.js", call_call_view_js),
    FILE("call/call.js", call_call_js),
    FILE("call/chat.js", call_chat_js),
    FILE("call/devices-view.js", call_devices_view_js),
    FILE("call/fingerprints.js", call_fingerprints_js),
    FILE("call/link.js", call_link_js),
    FILE("call/lobby-view.js", call_lobby_view_js),
    FILE("call/main.js", call_main_js),
    FILE("call/media.js", call_media_js),
    FILE("call/people.js", call_people_js),
    FILE("call/phone.js", call_phone_js),
    FILE("call/quality.js", call_quality_js),
    FILE("call/ringtone.js", call_ringtone_js),
    FILE("call/settings.js", call_settings_js),
    FILE("call/signaling.js", call_signaling_js),
    FILE("call/statistics.js", call_statistics_js),
    FILE("call/unproven-name.js", call_unproven_name_js),
    FILE("call/verification-emoji.js", call_verification_emoji_js),
    FILE("call/verification-view.js", call_verification_view_js),
    FILE("call/verification.js", call_verification_js),
    FILE("call/view.js", call_view_js),
};

const CCallPageFile *const ccallpage_files = files;
const size_t ccallpage_count = sizeof files / sizeof *files;
