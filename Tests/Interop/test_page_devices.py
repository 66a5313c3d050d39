"""Cameras and microphones of the page that are chosen, switched, pulled out and put back in a call.

Chromium's fake devices cannot be pulled out; a script does what the browser does then: the track ends, the device is in the list
no more and cannot be opened, and the page is told that the list is another."""
import pytest

from peers.page import CallPage, Server, closing_without_errors

pytestmark = pytest.mark.timeout(240)

MACHINE = """
(() => {
    // The second fake device is a camera for depth, of which nothing is shown.
    const devices = navigator.mediaDevices, pulled = new Set(['fake_device_1']), tracks = [];
    const enumerate = devices.enumerateDevices.bind(devices), open = devices.getUserMedia.bind(devices);
    const sides = { fake_device_0: 'user', fake_device_2: 'environment' };
    if (SIDES) InputDeviceInfo.prototype.getCapabilities = function () {
        return { facingMode: this.kind === 'videoinput' ? [sides[this.label]].filter(Boolean) : [] };
    };
    devices.enumerateDevices = async () => (await enumerate()).filter(({ label }) => !pulled.has(label));
    devices.getUserMedia = async (wanted) => {
        const all = await enumerate();
        for (const [key, kind] of [['video', 'videoinput'], ['audio', 'audioinput']]) {
            if (!wanted[key]) continue;
            const left = all.filter((one) => one.kind === kind && !pulled.has(one.label));
            const exact = wanted[key].deviceId?.exact;
            if (!left.length) throw new DOMException('none', 'NotFoundError');
            if (exact && exact !== 'default' && !left.some(({ deviceId }) => deviceId === exact)) {
                throw new DOMException('gone', 'OverconstrainedError');
            }
            const first = left.find(({ deviceId }) => !['default', 'communications'].includes(deviceId)) ?? left[0];
            if (!exact && first.deviceId && pulled.size) wanted[key].deviceId = { exact: first.deviceId };
        }
        const stream = await open(wanted);
        tracks.push(...stream.getTracks());
        return stream;
    };
    window.machine = {
        offers: 0,
        pull(...labels) {
            for (const label of labels) pulled.add(label);
            for (const track of tracks) {
                if (!labels.includes(track.label) || track.readyState === 'ended') continue;
                track.stop();
                track.dispatchEvent(new Event('ended'));
            }
            devices.dispatchEvent(new Event('devicechange'));
        },
        plug(...labels) {
            for (const label of labels) pulled.delete(label);
            devices.dispatchEvent(new Event('devicechange'));
        },
        camera: () => document.getElementById('preview').srcObject?.getVideoTracks()[0]?.label ?? null,
    };
    const setLocal = RTCPeerConnection.prototype.setLocalDescription;
    RTCPeerConnection.prototype.setLocalDescription = async function (...description) {
        await setLocal.apply(this, description);
        if (this.localDescription?.type === 'offer') window.machine.offers += 1;
    };
})();
"""


@pytest.fixture(scope="module")
def server():
    server = Server()
    yield server
    server.close()


@pytest.fixture
def call(browser, server, request):
    """A call from a machine with two cameras to a page that watches."""
    with closing_without_errors() as made:
        def make(sides="true"):
            number = len(made)
            names = [f"{request.node.name[:24].replace('[', '-').replace(']', '')}-{role}{number}" for role in ("a", "b")]
            alice = CallPage(browser, server, names[0], prepare=MACHINE.replace("SIDES", sides))
            bob = CallPage(browser, server, names[1])
            made.extend((alice, bob))
            alice.call(names[1])
            bob.accept()
            for page in (alice, bob):
                page.wait_for_picture()
            return alice, bob

        yield make


def camera(page):
    return page.page.evaluate("machine.camera()")


def offers(page):
    return page.page.evaluate("machine.offers")


def pictures_go_on(page):
    before = page.pictures
    page.wait(lambda: page.pictures > before + 2, "pictures that go on")


def test_a_button_goes_from_the_front_camera_to_the_back_and_back_without_an_offer(call):
    alice, bob = call()
    button = alice.page.locator("#screen-call [data-action=switch-camera]")
    alice.wait(button.is_visible, "the button being there")
    before = offers(alice)
    assert camera(alice) == "fake_device_0"
    button.click()
    alice.wait(lambda: camera(alice) == "fake_device_2", "the back camera")
    pictures_go_on(bob)
    alice.page.keyboard.press("Alt+s")
    alice.wait(lambda: camera(alice) == "fake_device_0", "the front camera")
    pictures_go_on(bob)
    assert offers(alice) == before


def mirrored(page):
    found = page.page.evaluate("['preview', 'self'].map((id) => document.getElementById(id).matches('.mirrored'))")
    assert found[0] == found[1]
    return found[0]


def test_a_camera_that_looks_away_is_not_shown_as_in_a_mirror_and_neither_is_what_a_person_says(call):
    alice, bob = call()
    button = alice.page.locator("#screen-call [data-action=switch-camera]")
    alice.wait(button.is_visible, "the button being there")
    assert mirrored(alice)
    button.click()
    alice.wait(lambda: camera(alice) == "fake_device_2" and not mirrored(alice), "the back camera as it is")
    alice.press("devices")
    switch = alice.page.locator("#device-mirror")
    assert switch.is_hidden(), "there is nothing to switch"
    alice.page.click("#devices button[type=submit]")
    button.click()
    alice.wait(lambda: camera(alice) == "fake_device_0" and mirrored(alice), "the front camera as in a mirror")
    alice.press("devices")
    switch.uncheck()
    assert not mirrored(alice)
    assert alice.page.evaluate("localStorage.getItem('duet.mirror')") == "false", "it is remembered"
    assert bob.page.evaluate("!document.getElementById('remote').matches('.mirrored')")


def test_the_button_is_not_there_while_an_external_camera_is_used(call):
    alice, _ = call(sides="false")
    options = alice.page.locator("#device-video option")
    alice.wait(lambda: options.count() == 4, "a choice of any, two cameras, and none")
    assert alice.page.locator("#screen-call [data-action=switch-camera]").is_hidden()


def test_a_camera_that_is_pulled_out_gives_way_to_the_next_and_is_used_again_when_it_is_back(call):
    alice, bob = call(sides="false")
    before = offers(alice)
    alice.press("devices")
    chosen = alice.page.locator("#device-video option", has_text="fake_device_2").get_attribute("value")
    alice.page.select_option("#device-video", chosen)
    alice.wait(lambda: camera(alice) == "fake_device_2", "the chosen camera")
    alice.page.click("#devices button[type=submit]")
    alice.page.evaluate("machine.pull('fake_device_2')")
    alice.wait_for_notice("unplugged")
    alice.wait(lambda: camera(alice) == "fake_device_0", "the other camera")
    pictures_go_on(bob)
    alice.page.evaluate("machine.plug('fake_device_2')")
    alice.wait(lambda: camera(alice) == "fake_device_2", "the chosen camera again")
    pictures_go_on(bob)
    assert offers(alice) == before


def test_without_any_camera_the_call_goes_on_with_sound_and_with_the_next_that_is_plugged_in(call):
    alice, bob = call(sides="false")
    alice.page.evaluate("machine.pull('fake_device_0', 'fake_device_2')")
    alice.wait_for_notice("camera")
    bob.wait(lambda: not bob.sees_picture, "bob seeing no picture")
    assert bob.state == "running"
    alice.page.evaluate("machine.plug('fake_device_0')")
    alice.wait(lambda: camera(alice) == "fake_device_0", "the camera that was plugged in")
    bob.wait_for_picture()


def test_a_microphone_is_changed_in_mid_call_without_an_offer(call):
    alice, bob = call(sides="false")
    before = offers(alice)
    alice.press("devices")
    choices = alice.page.locator("#device-audio option")
    alice.wait(lambda: choices.count() > 2, "a choice of microphones")
    values = [choices.nth(index).get_attribute("value") for index in range(choices.count())]
    other = next(value for value in reversed(values) if value not in ("none", "", "default", "communications"))
    alice.page.select_option("#device-audio", other)
    alice.wait(lambda: alice.page.locator("#device-audio").input_value() == other, "the other microphone")
    pictures_go_on(bob)
    assert offers(alice) == before
