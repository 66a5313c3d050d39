"""Two hosts with two links between them, either of which can be silenced, and the arrival times of RTP at each host."""
import ctypes
import os
import select
import socket
import subprocess
import threading
import time

from .nat import Spaces

CLONE_NEWNET = 0x40000000
ETH_P_IP = 0x0800
LINKS = {"wlan0": "10.81.1", "wwan0": "10.81.2"}


class Arrivals:
    """RTP packets that arrive at a host, by link: (time, size, payload type). Packets of a silenced link are not recorded."""

    def __init__(self, space):
        self.packets = []
        self._dead = set()
        self._end, self._ended = os.pipe()
        self._thread = threading.Thread(target=self._read, args=(space,), daemon=True)
        self._thread.start()

    def _read(self, space):
        with open(f"/run/netns/{space}") as place:
            if ctypes.CDLL(None, use_errno=True).setns(place.fileno(), CLONE_NEWNET):
                raise OSError(ctypes.get_errno(), "setns")
        with socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_IP)) as sniffer:
            while True:
                ready = select.select([sniffer, self._end], [], [])[0]
                if self._end in ready:
                    return
                packet, (link, _, kind, *_) = sniffer.recvfrom(2_048)
                if kind == socket.PACKET_OUTGOING or link not in LINKS or link in self._dead or packet[9] != 17:
                    continue
                payload = packet[(packet[0] & 15) * 4 + 8:]
                # RFC 7983, and RFC 5761: neither STUN nor DTLS nor RTCP.
                if len(payload) > 12 and payload[0] >> 6 == 2 and not 192 <= payload[1] <= 223:
                    self.packets.append((time.monotonic(), len(payload), payload[1] & 127, link))

    def drop(self, link):
        self._dead.add(link)

    def take(self, link):
        self._dead.discard(link)

    def of(self, payload_type, since=0.0):
        return [packet for packet in list(self.packets) if packet[2] == payload_type and packet[0] >= since]

    def close(self):
        os.write(self._ended, b".")
        self._thread.join()
        os.close(self._end)
        os.close(self._ended)


class TwoWays(Spaces):
    """`phone` and `desk`, both with a Wi-Fi and a mobile network."""

    def __init__(self, number=1):
        self.arrivals = {}
        super().__init__(number)

    def _build(self):
        self.hosts = {"phone": self._space("phone"), "desk": self._space("desk")}
        phone, desk = self.hosts.values()
        for link, net in LINKS.items():
            self._in(phone, "ip", "link", "add", link, "type", "veth", "peer", "name", link, "netns", desk)
            for place, space in enumerate((phone, desk)):
                self._in(space, "ip", "link", "set", link, "addrgenmode", "none")
                self._in(space, "ip", "address", "add", f"{net}.{place + 1}/24", "dev", link)
                self._in(space, "ip", "link", "set", link, "up")
        self.arrivals = {name: Arrivals(space) for name, space in self.hosts.items()}

    def duet(self, ring, host, role, *options):
        return self._duet(ring, self.hosts[host], role, *options)

    def silence(self, link, *hosts):
        """Drops everything that arrives on this link at these hosts, without a report. Returns when that began."""
        filters = [subprocess.Popen(["ip", "netns", "exec", self.hosts[host], "nft", "-f", "-"], stdin=subprocess.PIPE, text=True)
                   for host in hosts]
        # On a busy machine it can take as long to start these processes as a call takes to react.
        time.sleep(0.3)
        began = time.monotonic()
        for host, process in zip(hosts, filters):
            process.stdin.write(f"""
                table ip death {{
                    chain in {{
                        type filter hook input priority 0
                        iifname "{link}" drop
                    }}
                }}
            """)
            process.stdin.close()
        for host, process in zip(hosts, filters):
            assert process.wait(10) == 0
            self.arrivals[host].drop(link)
        return began

    def revive(self, link, *hosts):
        for host in hosts:
            self._in(self.hosts[host], "nft", "delete", "table", "ip", "death")
            self.arrivals[host].take(link)

    def close(self):
        for arrivals in self.arrivals.values():
            arrivals.close()
        self.arrivals = {}
        super().close()
