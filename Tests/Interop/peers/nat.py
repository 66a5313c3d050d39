"""Hosts behind real NATs: network namespaces, and nftables between them.

    router (this namespace, where the servers are)
      └─ 10.80.N.1 ── 10.80.N.2  NAT N  192.168.N.1 ── 192.168.N.2  host N

A `Hairpin` is one NAT with two hosts behind it. The first NAT of a host that has two is a router of its own: 10.80.N.2
leads to 100.64.N.1 ── 100.64.N.2.
"""
import secrets
import subprocess


def run(*command, stdin=None):
    subprocess.run(command, check=True, input=stdin, text=True, capture_output=True)


class Spaces:
    """Network namespaces, and links between them."""

    def __init__(self, number):
        self.number = number
        # Namespaces outlive a killed run, and process identifiers repeat in PID namespaces.
        self.prefix = f"duet-{secrets.token_hex(4)}-{number}-"
        self._spaces, self._links = [], []
        try:
            self._build()
        except subprocess.CalledProcessError as error:
            self.close()
            raise AssertionError(f"{error.cmd}: {error.stderr}") from None

    def _space(self, name):
        space = f"{self.prefix}{name}"
        run("ip", "netns", "add", space)
        self._spaces.append(space)
        self._in(space, "ip", "link", "set", "lo", "up")
        return space

    def _in(self, space, *command, stdin=None):
        run(*(["ip", "netns", "exec", space] if space else []), *command, stdin=stdin)

    def _link(self, upper, upper_address, lower, lower_address):
        """The upper end is called down…, the lower one "out", towards the other hosts."""
        down = f"down{self.number}x{len(self._spaces)}"
        self._in(upper, "ip", "link", "add", down, "type", "veth", "peer", "name", "out", "netns", lower)
        if upper is None:
            self._links.append(down)
        for space, link, address in ((upper, down, upper_address), (lower, "out", lower_address)):
            self._in(space, "ip", "address", "add", f"{address}/24", "dev", link)
            self._in(space, "ip", "link", "set", link, "up")
        self._in(lower, "ip", "route", "add", "default", "via", upper_address)
        self._in(upper, "sysctl", "-q", "-w", "net.ipv4.ip_forward=1")

    def _duet(self, ring, space, role, *options):
        """A peer in a namespace."""
        return ring.duet(role, *options, within=("ip", "netns", "exec", space))

    def close(self):
        # A link is removed with its namespace, but later, and the next test's has the same name.
        for link in self._links:
            subprocess.run(["ip", "link", "delete", link], capture_output=True)
        for space in reversed(self._spaces):
            subprocess.run(["ip", "netns", "delete", space], capture_output=True)
        self._spaces = []


class Host(Spaces):
    """Programs behind one NAT of a kind: "cone" (one port for one socket, which answers those it was sent to), "symmetric"
    (another port for each destination), or "double" (a cone behind a cone)."""

    def __init__(self, number, kind):
        self.kind = kind
        super().__init__(number)

    def _build(self):
        n = self.number
        outer = self._space("nat")
        self._link(None, f"10.80.{n}.1", outer, f"10.80.{n}.2")
        self._masquerade(outer, self.kind == "symmetric")
        inner = outer
        if self.kind == "double":
            inner = self._space("nat2")
            self._link(outer, f"100.64.{n}.1", inner, f"100.64.{n}.2")
            self._masquerade(inner, False)
        self.space = self._space("host")
        self.address = f"192.168.{n}.2"
        self._link(inner, f"192.168.{n}.1", self.space, self.address)

    def _masquerade(self, space, is_symmetric):
        # Unsolicited packets are dropped before they take a port; otherwise the NAT would not preserve that port for its host.
        self._in(space, "nft", "-f", "-", stdin=f"""
            table ip nat {{
                chain after {{
                    type nat hook postrouting priority 100
                    oifname "out" masquerade {"fully-random" if is_symmetric else ""}
                }}
                chain input {{
                    type filter hook input priority 0
                    iifname "out" udp dport 1024-65535 drop
                }}
            }}
        """)

    def duet(self, ring, role, *options):
        """A peer on this host."""
        return self._duet(ring, self.space, role, *options)


class Hairpin(Spaces):
    """Two hosts without a direct path, behind one NAT that forwards ports to each, as after UPnP: 50000 to 50009 and 50010 to
    50019. A NAT that `hairpins` (RFC 4787, section 6) lets each reach the other on those; otherwise only hosts outside can."""

    def __init__(self, number, hairpins):
        self.hairpins = hairpins
        super().__init__(number)

    def _build(self):
        n = self.number
        outer = self._space("nat")
        self._link(None, f"10.80.{n}.1", outer, f"10.80.{n}.2")
        self.hosts = []
        for place, net in enumerate((f"192.168.{n}", f"192.168.{n + 100}")):
            space = self._space(f"host{place}")
            self._link(outer, f"{net}.1", space, f"{net}.2")
            self.hosts.append((space, f"{net}.2", f"{50_000 + 10 * place}-{50_009 + 10 * place}"))
        public, (one, other) = f"10.80.{n}.2", (address for _, address, _ in self.hosts)
        origin = "" if self.hairpins else 'iifname "out"'
        forwards = "\n".join(f"{origin} ip daddr {public} udp dport {ports} dnat to {address}"
                             for _, address, ports in self.hosts)
        self._in(outer, "nft", "-f", "-", stdin=f"""
            table ip nat {{
                chain before {{
                    type nat hook prerouting priority -100
                    {forwards}
                }}
                chain after {{
                    type nat hook postrouting priority 100
                    oifname "out" masquerade
                    ip saddr {{ {one}, {other} }} ct status dnat snat to {public}
                }}
                chain between {{
                    type filter hook forward priority 0
                    iifname "down*" oifname "down*" ct status dnat accept
                    iifname "down*" oifname "down*" drop
                }}
            }}
        """)

    def duet(self, ring, place, role, *options):
        """A peer on the first or second host, on its own ports."""
        space, _, ports = self.hosts[place]
        return self._duet(ring, space, role, "--port-range", ports, *options)
