"""Reverse proxies in front of a signalling server, as docs/servers.md configures them, apart from ports and certificates."""
import os
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from .page import free_port
from .patience import Wait

NGINX = """
daemon off;
master_process off;
pid {folder}/pid;
error_log stderr;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    map $http_upgrade $connection_upgrade {{
        default upgrade;
        ""      close;
    }}
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass http://127.0.0.1:{server};
            proxy_http_version 1.1;
            proxy_set_header Host duet;
            proxy_set_header Upgrade $http_upgrade;
            proxy_set_header Connection $connection_upgrade;
            proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
            proxy_set_header X-Forwarded-Host $http_host;
            proxy_set_header X-Forwarded-Proto $scheme;
            proxy_read_timeout 90s;
            proxy_send_timeout 90s;
        }}
    }}
}}
"""

HAPROXY = """
frontend calls
    mode http
    bind 127.0.0.1:{port}
    timeout client 90s
    http-request set-header X-Forwarded-Proto http
    http-request set-header X-Forwarded-Host %[req.hdr(host)]
    option forwardfor
    default_backend duet

backend duet
    mode http
    http-reuse never
    timeout connect 5s
    timeout server 90s
    timeout tunnel 1h
    option httpchk GET /readyz
    server duet 127.0.0.1:{server} check
"""

# From an address of its own, so that the test itself is no proxy.
HAPROXY_TCP = """
listen calls
    mode tcp
    bind 127.0.0.1:{port}
    timeout client 90s
    timeout connect 5s
    timeout server 90s
    server duet 127.0.0.1:{server} source 127.0.0.2 {version}
"""

CADDY = """
{{
    admin off
    auto_https off
}}
http://:{port} {{
    bind 127.0.0.1
    reverse_proxy 127.0.0.1:{server} {{
        transport http {{
            keepalive off
        }}
    }}
}}
"""

KINDS = {
    "nginx": (NGINX, lambda path: ["nginx", "-e", "stderr", "-p", str(path.parent), "-c", str(path)]),
    "haproxy": (HAPROXY, lambda path: ["haproxy", "-db", "-f", str(path)]),
    "caddy": (CADDY, lambda path: ["caddy", "run", "--config", str(path), "--adapter", "caddyfile"]),
    "haproxy-v1": (HAPROXY_TCP.replace("{version}", "send-proxy"), lambda path: ["haproxy", "-db", "-f", str(path)]),
    "haproxy-v2": (HAPROXY_TCP.replace("{version}", "send-proxy-v2"), lambda path: ["haproxy", "-db", "-f", str(path)]),
}


class Proxy:
    """A proxy of one kind on 127.0.0.1, in front of a server on `server_port`."""

    def __init__(self, kind, server_port):
        text, command = KINDS[kind]
        self.port = free_port()
        self._folder = tempfile.TemporaryDirectory()
        folder = Path(self._folder.name)
        path = folder / "configuration"
        path.write_text(text.format(port=self.port, server=server_port, folder=folder))
        self._log_path = folder / "log"
        self._log = open(self._log_path, "wb")
        self.process = subprocess.Popen(
            command(path), stdin=subprocess.DEVNULL, stdout=self._log, stderr=subprocess.STDOUT, cwd=folder,
            env=os.environ | {"HOME": str(folder), "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)})
        wait = Wait(30)
        while not self._listens():
            assert self.process.poll() is None and not wait.is_over, f"{kind} does not listen: {self.words}"
            time.sleep(0.05)

    def _listens(self):
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            return True
        except OSError:
            return False

    @property
    def words(self):
        return self._log_path.read_text(errors="replace")

    def close(self):
        self.process.kill()
        self.process.wait()
        self._log.close()
        self._folder.cleanup()
