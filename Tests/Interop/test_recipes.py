"""The recipe for Kubernetes in docs/servers.md, read and compared with itself and with `duet serve`. No cluster runs it."""
import re
import subprocess
from pathlib import Path

import yaml

from peers.duet import BINARY

PAGE = (Path(__file__).resolve().parents[2] / "docs/servers.md").read_text()


def test_the_recipe_for_kubernetes():
    blocks = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.M | re.S)
    documents = [document for block in blocks for document in yaml.safe_load_all(block)]
    assert len(blocks) == 1 and all("apiVersion" in document for document in documents)
    parts = {document["kind"]: document for document in documents}
    assert set(parts) == {"Secret", "Deployment", "Service", "PodDisruptionBudget"} and len(documents) == len(parts)

    deployment = parts["Deployment"]["spec"]
    pod = deployment["template"]
    labels = pod["metadata"]["labels"]
    assert deployment["selector"]["matchLabels"] == labels
    assert parts["Service"]["spec"]["selector"] == labels
    assert parts["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"] == labels
    assert deployment["replicas"] == 1 and deployment["strategy"]["type"] == "Recreate"

    [container] = pod["spec"]["containers"]
    assert container["command"][:2] == ["duet", "serve"]
    options = dict(part.removeprefix("--").split("=", 1) for part in container["command"][2:])
    known = subprocess.run([BINARY, "serve", "--help"], capture_output=True, text=True, check=True).stdout
    for name in options:
        assert re.search(rf"--{name}\b", known), f"duet serve has no --{name}"

    # The ports, by number and by name.
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    assert ports["metrics"] == int(options["metrics-port"]) and ports["http"] == 8080
    assert pod["metadata"]["annotations"]["prometheus.io/port"] == options["metrics-port"]
    assert [port["targetPort"] for port in parts["Service"]["spec"]["ports"]] == ["http"]
    assert container["livenessProbe"]["httpGet"] == {"path": "/healthz", "port": "http"}
    readiness = container["readinessProbe"]
    assert readiness["httpGet"] == {"path": "/readyz", "port": "http"}

    # The pod is not killed while it drains, and the probes find out before clients are sent away.
    notice, over = int(options["drain-notice"]), int(options["drain-over"])
    assert pod["spec"]["terminationGracePeriodSeconds"] >= notice + over + 5
    assert readiness["periodSeconds"] * readiness["failureThreshold"] < notice

    # The files of the options are in the secret.
    [mount], [volume] = container["volumeMounts"], pod["spec"]["volumes"]
    assert volume["secret"]["secretName"] == parts["Secret"]["metadata"]["name"] and mount["name"] == volume["name"]
    files = {f"{mount['mountPath']}/{name}" for name in parts["Secret"]["stringData"]}
    assert {options["auth"].removeprefix("token="), options["turn-secret-file"]} == files
