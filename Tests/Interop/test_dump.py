"""`--dump`: a pcap file with what the encrypted packets hold."""
import struct


def packets(path):
    """(time, protocol, payload) of every packet of a pcap file of link type RAW."""
    data = path.read_bytes()
    magic, major, minor, _, _, snap_length, link_type = struct.unpack("<IHHiIII", data[:24])
    assert (magic, major, minor, link_type) == (0xA1B2C3D4, 2, 4, 101) and snap_length >= 65_535
    position, found = 24, []
    while position < len(data):
        seconds, micros, kept, length = struct.unpack("<IIII", data[position:position + 16])
        packet = data[position + 16:position + 16 + kept]
        assert len(packet) == kept <= length
        position += 16 + kept
        if packet[0] >> 4 == 4:
            assert struct.unpack("!H", packet[2:4])[0] == kept
            protocol, payload = packet[9], packet[20:]
        else:
            assert packet[0] >> 4 == 6 and struct.unpack("!H", packet[4:6])[0] + 40 == kept
            protocol, payload = packet[6], packet[40:]
        found.append((seconds + micros / 1e6, protocol, payload))
    return found


UDP, SCTP = 17, 132
DATA, INIT, INIT_ACK, SACK, COOKIE_ECHO, COOKIE_ACK = 0, 1, 2, 3, 10, 11


def chunk_types(packet):
    """The types of all chunks of an SCTP packet."""
    position = 12
    while position + 4 <= len(packet):
        yield packet[position]
        position += max(4, (struct.unpack("!H", packet[position + 2:position + 4])[0] + 3) & ~3)


def test_a_dump_holds_the_clear_text(ring, tmp_path):
    path = tmp_path / "one.pcap"
    one, other = ring.duet("offer", "--dump", str(path)), ring.duet("answer", "--echo")
    session = ring.session(one, other)
    session.connect("data")
    one.send("data", "a word in the clear")
    session.wait_for_messages(one, "data", 1)
    one.end_input()
    assert one.wait() == 0
    found = packets(path)
    times = [t for t, _, _ in found]
    assert times == sorted(times)
    types = {t for _, protocol, payload in found if protocol == SCTP for t in chunk_types(payload)}
    assert {DATA, INIT, INIT_ACK, SACK, COOKIE_ECHO, COOKIE_ACK} <= types
    holding = [payload for _, protocol, payload in found if protocol == SCTP and b"a word in the clear" in payload]
    # There and back, by their verification tags; where the machine stood still, perhaps more than once.
    assert len({payload[4:8] for payload in holding}) == 2
    assert any(protocol == UDP and payload[12:16] == b"\x21\x12\xa4\x42" for _, protocol, payload in found)  # STUN
    assert path.stat().st_mode & 0o077 == 0  # it holds what users said
