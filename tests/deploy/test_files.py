"""The files of the deployment name nothing that does not exist, promise nothing that the service does not keep, and fit each other."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from encyclopedia.faces.cli.commands import parse
from encyclopedia.faces.http import server, service
from encyclopedia.faces.http.app import application
from encyclopedia.faces.http.gate import AT_ONCE, WAITING
from encyclopedia.faces.http.guards import OPEN
from encyclopedia.faces.http.operations import OPERATIONS
from encyclopedia.model.settings import Settings
from encyclopedia.ports import Card, Key, Option
from encyclopedia.wiring.corpora import registered
from encyclopedia.wiring.environment import environment
from encyclopedia.wiring.plugins import entry_points
from encyclopedia.wiring.requirements import load
from encyclopedia.wiring.settings import FLAGS, OTHER_NAMES, PREFIX, names_of, variable
from encyclopedia.wiring.settings import load as read_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from encyclopedia import Encyclopedia

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
STORES = {"REDIS_PASSWORD", "POSTGRES_PASSWORD"}
"""What the two servers and the addresses of them are filled with."""
CONTAINERFILE = (DEPLOY / "Containerfile").read_text().replace("\\\n", " ")
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
KUSTOMIZATION: dict[str, Any] = yaml.safe_load((DEPLOY / "kustomization.yaml").read_text())
OBJECTS: list[dict[str, Any]] = [
    found for path in KUSTOMIZATION["resources"] for found in yaml.safe_load_all((DEPLOY / path).read_text())
]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def of_kind(kind: str) -> dict[str, dict[str, Any]]:
    return {found["metadata"]["name"]: found for found in OBJECTS if found["kind"] == kind}


def pods() -> dict[str, dict[str, Any]]:
    """The pod of each workload."""
    return {name: found["spec"]["template"] for kind in ("Deployment", "StatefulSet") for name, found in of_kind(kind).items()}


def containers() -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Each container with its pod."""
    for pod in pods().values():
        for kind in ("initContainers", "containers"):
            yield from ((pod["spec"], found) for found in pod["spec"].get(kind, ()))


def instruction(word: str) -> list[str]:
    """What follows an instruction of the Containerfile, each time it occurs."""
    return re.findall(rf"^(?: +)?{word} +(.*)$", CONTAINERFILE, re.MULTILINE)


def replica() -> dict[str, Any]:
    return pods()["encyclopedia"]["spec"]


def keys() -> list[str]:
    """The names in the example of keys, also of those that are commented out."""
    return re.findall(r"^#?([A-Z_]+)=", (DEPLOY / "keys.env.example").read_text(), re.MULTILINE)


def known() -> set[str]:
    """Every environment variable that the product reads."""
    cards = [load(target) for target in entry_points()["encyclopedia.sources"].values()]
    needs = [need for card in cards if isinstance(card, Card) for need in (*card.requires, *card.accepts)]
    ours = {variable(name) for name in names_of(Settings())} | {PREFIX + name for name in OTHER_NAMES} | set(FLAGS)
    return ours | {need.env if isinstance(need, Option) else need.name for need in needs if isinstance(need, Key | Option)}


def serve_arguments() -> list[list[str]]:
    """What the service is started with, in each file."""
    return [
        yaml.safe_load(instruction("CMD")[-1]),
        [part.replace("${NAME:-encyclopedia}", "encyclopedia") for part in COMPOSE["services"]["encyclopedia"]["command"]],
        replica()["containers"][0]["args"],
    ]


@pytest.mark.spec("ENC-DEPLOY-4")
def test_every_variable_is_one_that_the_product_reads() -> None:
    env = [name for pod, container in containers() for name in (entry["name"] for entry in container.get("env", ()))]
    env += [name for found in COMPOSE["services"].values() for name in found.get("environment", ())]
    env += re.findall(r"\b(ENCYCLOPEDIA_[A-Z_]+)\b", CONTAINERFILE)
    named = {name for name in env if name.startswith(PREFIX)} | set(keys()) - STORES
    assert {"ENCYCLOPEDIA_HOME", "ENCYCLOPEDIA_STATE_URL", "ENCYCLOPEDIA_TOKEN", "EXA_API_KEY"} <= named
    assert named - known() == set()
    assert {*keys()} >= STORES


@pytest.mark.spec("ENC-DEPLOY-4")
@pytest.mark.parametrize("arguments", serve_arguments())
def test_the_service_starts_with_options_that_exist(arguments: list[str]) -> None:
    read = parse(arguments)
    assert (read.host, read.port) == ("0.0.0.0", 8080)
    assert "encyclopedia" in read.allow_host


@pytest.mark.spec("ENC-DEPLOY-4")
def test_the_settings_of_the_replicas_are_accepted(tmp_path: Path) -> None:
    text = (DEPLOY / "config.toml").read_text()
    shown = re.sub(r"^# (?=\[corpora|path =|engine =)", "", text, flags=re.MULTILINE)
    (tmp_path / "config.toml").write_text(shown)
    read = read_settings(str(tmp_path), environment(str(tmp_path), {"POSTGRES_PASSWORD": "secret"}, ""))
    assert [origin for origin in read.origins.values() if origin == "file"]
    (corpus,) = registered(read)
    assert corpus.engine.startswith("postgresql://encyclopedia:${POSTGRES_PASSWORD}@postgres:5432/")


@pytest.mark.spec("ENC-DEPLOY-5")
def test_probes_ask_what_is_answered_without_a_token(make: Callable[..., Encyclopedia]) -> None:
    paths = {route.resource.canonical for route in application(make()).router.routes() if route.resource}
    spec = replica()["containers"][0]
    probes = [spec[f"{name}Probe"]["httpGet"] for name in ("startup", "liveness", "readiness")]
    asked = [probe["path"] for probe in probes]
    asked += re.findall(r"http://127\.0\.0\.1:8080(/\w+)", instruction("HEALTHCHECK")[0])
    asked += re.findall(r"uri (/\w+) hdr Host localhost", (DEPLOY / "haproxy.cfg").read_text())
    assert asked == ["/healthz", "/healthz", "/readyz", "/healthz", "/readyz"]
    assert set(asked) <= paths & set(OPEN)
    assert all(probe["httpHeaders"] == [{"name": "Host", "value": "localhost"}] for probe in probes)


@pytest.mark.spec("ENC-DEPLOY-5")
def test_there_is_time_to_end() -> None:
    spec = replica()
    before = int(spec["containers"][0]["lifecycle"]["preStop"]["exec"]["command"][1])
    assert spec["terminationGracePeriodSeconds"] > before + server.GRACE + server.LAST_ORDERS
    assert int(COMPOSE["services"]["encyclopedia"]["stop_grace_period"].rstrip("s")) > server.GRACE + server.LAST_ORDERS
    balancer = (DEPLOY / "haproxy.cfg").read_text()
    assert int(*re.findall(r"timeout server (\d+)s", balancer)) > service.LIMIT
    assert int(*re.findall(r"maxconn (\d+)$", balancer.partition("default-server")[2], re.MULTILINE)) == AT_ONCE + WAITING


@pytest.mark.spec("ENC-DEPLOY-3")
def test_what_writes_is_not_sent_twice() -> None:
    once = re.findall(r"disable-l7-retry if { path (\S+) }", (DEPLOY / "haproxy.cfg").read_text())
    assert once == [operation.path for operation in OPERATIONS if operation.writes]


@pytest.mark.spec("ENC-DEPLOY-6")
def test_nothing_runs_as_root_or_writes_to_its_image() -> None:
    (user,) = instruction("USER")
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", user)
    assert f"--owner={user.partition(':')[0]}" in CONTAINERFILE
    assert replica()["securityContext"]["runAsUser"] == int(user.partition(":")[0])
    for pod, container in containers():
        assert pod["securityContext"]["runAsNonRoot"]
        assert pod["securityContext"]["runAsUser"] > 0
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert not pod["automountServiceAccountToken"]
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert {"requests", "limits"} <= set(container["resources"])
    for name, found in COMPOSE["services"].items():
        assert name == "encyclopedia" or re.fullmatch(r"[1-9]\d*:[1-9]\d*", found["user"])
        assert (found["read_only"], found["cap_drop"], found["security_opt"]) == (True, ["ALL"], ["no-new-privileges:true"])
        assert {"cpus", "memory"} <= set(found["deploy"]["resources"]["limits"])


@pytest.mark.spec("ENC-DEPLOY-6")
def test_images_of_others_are_pinned_alike_everywhere() -> None:
    named = [found["image"] for found in COMPOSE["services"].values()] + [found["image"] for _, found in containers()]
    others = {image for image in named if image not in ("${IMAGE:-encyclopedia:local}", "encyclopedia")}
    base = [value.partition("=")[2] for value in instruction("ARG") if value.startswith("BASE=")]
    assert len(others) == len({image.partition(":")[0] for image in others}) == 3
    assert [image for image in (*others, *base) if not re.fullmatch(r"[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}", image)] == []


@pytest.mark.spec("ENC-DEPLOY-6")
def test_no_key_stands_in_a_file() -> None:
    assert re.findall(r"^#?[A-Z_]+=(.+)$", (DEPLOY / "keys.env.example").read_text(), re.MULTILINE) == []
    assert "/deploy/keys.env" in (ROOT / ".gitignore").read_text().splitlines()
    assert KUSTOMIZATION["secretGenerator"] == [{"name": "encyclopedia-keys", "envs": ["keys.env"]}]
    assert of_kind("Secret") == {}
    ports = [port for found in COMPOSE["services"].values() for port in found.get("ports", ())]
    assert [port for port in ports if not port.startswith("127.0.0.1:")] == []


@pytest.mark.spec("ENC-DEPLOY-7")
def test_the_image_has_extras_that_exist_at_releases_that_fit() -> None:
    (extras,) = (value.partition("=")[2].split(",") for value in instruction("ARG") if value.startswith("EXTRAS="))
    assert set(extras) <= set(PROJECT["optional-dependencies"])
    text = (DEPLOY / "constraints.txt").read_text()
    pinned = dict(re.findall(r"^([\w.-]+)==([\w.]+)$", text, re.MULTILINE))
    assert set(re.findall(r"--extra (\w+)", text)) == set(extras)
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
    lines = [*PROJECT["dependencies"], *build, *(line for name in extras for line in PROJECT["optional-dependencies"][name])]
    for line in map(Requirement, lines):
        name = canonicalize_name(line.name)
        assert name in pinned, f"{name} is missing: renew deploy/constraints.txt as it says"
        assert line.specifier.contains(pinned[name]), f"{line}: renew deploy/constraints.txt as it says"


@pytest.mark.spec("ENC-DEPLOY-7")
def test_what_is_copied_into_the_image_is_there_and_nothing_else_is_sent() -> None:
    rules = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and not line.startswith("#")]
    kept = [rule[1:] for rule in rules if rule.startswith("!")]
    copied = [part for line in instruction("COPY") if not line.startswith("--from") for part in shlex.split(line)[:-1]]
    assert sorted(copied) == sorted(kept)
    assert [name for name in kept if not (ROOT / name).exists()] == []
    assert (rules[0], rules[-1]) == ("*", "**/.env*")


@pytest.mark.spec("ENC-DEPLOY-8")
def test_what_names_another_object_names_one_that_is_there() -> None:
    labels = {name: pod["metadata"]["labels"] for name, pod in pods().items()}
    for kind, path in (("Service", ()), ("PodDisruptionBudget", ("matchLabels",)), ("Deployment", ("matchLabels",))):
        for name, found in of_kind(kind).items():
            chosen = found["spec"]["selector"]
            for step in path:
                chosen = chosen[step]
            assert chosen == labels[name], f"{kind} {name}"
    for found in of_kind("NetworkPolicy").values():
        chosen = found["spec"]["podSelector"].get("matchLabels")
        assert chosen is None or chosen in labels.values()
    (scaled,) = (found["spec"]["scaleTargetRef"] for found in of_kind("HorizontalPodAutoscaler").values())
    assert scaled["name"] in of_kind(scaled["kind"])
    made = {found["name"] for kind in ("configMapGenerator", "secretGenerator") for found in KUSTOMIZATION[kind]}
    for pod, container in containers():
        volumes = {volume["name"] for volume in pod.get("volumes", ())} | {"data"}
        assert {mount["name"] for mount in container.get("volumeMounts", ())} <= volumes
        entries = [entry["valueFrom"].get("secretKeyRef") for entry in container.get("env", ()) if "valueFrom" in entry]
        assert [entry for entry in entries if entry and (entry["name"] not in made or entry["key"] not in keys())] == []
        assert {entry["secretRef"]["name"] for entry in container.get("envFrom", ())} <= made


@pytest.mark.spec("ENC-DEPLOY-8")
def test_addresses_lead_to_services_at_their_ports() -> None:
    services = {name: {port["port"] for port in found["spec"]["ports"]} for name, found in of_kind("Service").items()}
    (value,) = (entry["value"] for entry in replica()["containers"][0]["env"] if entry["name"] == "ENCYCLOPEDIA_STATE_URL")
    compose = COMPOSE["services"]["encyclopedia"]["environment"]["ENCYCLOPEDIA_STATE_URL"]
    for address in (value, compose, *re.findall(r"postgresql://\S+", (DEPLOY / "config.toml").read_text())):
        (host, port), *_ = re.findall(r"@(\w+):(\d+)/", address)
        assert int(port) in services[host]
        assert host in COMPOSE["services"]
    asked = {
        port["port"]
        for found in of_kind("NetworkPolicy").values()
        for rule in found["spec"].get("ingress", ())
        for port in rule["ports"]
    }
    listened = {port["containerPort"] for _, container in containers() for port in container.get("ports", ())}
    assert asked == listened
    for name, pod in pods().items():
        (container,) = pod["spec"]["containers"]
        named = {port["name"] for port in container["ports"]}
        probes = [container.get(f"{kind}Probe", {}) for kind in ("startup", "liveness", "readiness")]
        meant = [probe[way]["port"] for probe in probes for way in ("httpGet", "tcpSocket") if way in probe]
        assert {*meant, *(port["targetPort"] for port in of_kind("Service")[name]["spec"]["ports"])} == named
    assert COMPOSE["services"]["balancer"]["environment"]["REPLICAS"] == "encyclopedia:8080"
