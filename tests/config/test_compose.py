"""The compose file holds together, as far as it can be told without running it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from django.conf import settings

from config.services import WEB_GRACE_SECONDS, WORKER_GRACE_SECONDS

DOCKER = settings.BASE_DIR / "docker"
COMPOSE = yaml.safe_load((DOCKER / "compose.yaml").read_text())
SERVICES = COMPOSE["services"]
OURS = ("migrate", "web", "worker")
REFERENCE = re.compile(r"\$\{(\w+)(:[?-][^}]*)?\}")


def seconds(text: str) -> float:
    assert text.endswith("s")
    return float(text.removesuffix("s"))


class TestServices:
    def test_every_dependency_is_a_service(self):
        for name, service in SERVICES.items():
            assert set(service.get("depends_on", {})) <= set(SERVICES), name

    def test_a_dependency_waits_for_what_the_other_can_reach(self):
        for service in SERVICES.values():
            for needed, how in service.get("depends_on", {}).items():
                if how["condition"] == "service_healthy":
                    assert "healthcheck" in SERVICES[needed], needed
                else:
                    assert SERVICES[needed]["restart"] == "no", needed

    def test_ours_share_one_image_that_one_of_them_builds(self):
        assert len({SERVICES[name]["image"] for name in OURS}) == 1
        build = [SERVICES[name]["build"] for name in OURS if "build" in SERVICES[name]]
        assert [(DOCKER / each["context"] / each["dockerfile"]).resolve() for each in build] == [DOCKER / "Dockerfile"]

    def test_ours_run_what_manage_py_knows(self):
        from django.core.management import get_commands

        assert {SERVICES[name]["command"][0] for name in OURS} <= set(get_commands())

    def test_named_volumes_are_declared(self):
        mounts = [mount for service in SERVICES.values() for mount in service.get("volumes", [])]
        names = {mount.split(":")[0] for mount in mounts if not mount.startswith("$")}
        assert names <= set(COMPOSE["volumes"])


class TestSafety:
    def test_no_secret_has_a_default(self):
        text = (DOCKER / "compose.yaml").read_text()
        secrets = [(name, rest) for name, rest in REFERENCE.findall(text) if re.search("KEY|PASSWORD|TOKEN", name)]

        assert {name for name, _ in secrets} == {"SECRET_KEY", "POSTGRES_PASSWORD", "REDIS_PASSWORD"}
        assert all(rest.startswith(":?") for _, rest in secrets)

    def test_ports_are_published_on_this_machine_alone(self):
        published = [port for service in SERVICES.values() for port in service.get("ports", [])]
        assert published
        assert all(port.startswith("127.0.0.1:") for port in published)

    @pytest.mark.parametrize("name", SERVICES)
    def test_the_root_file_system_is_read_only(self, name):
        assert SERVICES[name]["read_only"] is True
        assert SERVICES[name]["tmpfs"]
        assert "no-new-privileges:true" in SERVICES[name]["security_opt"]

    def test_ours_have_an_init_and_no_capabilities(self):
        assert all(SERVICES[name]["init"] and SERVICES[name]["cap_drop"] == ["ALL"] for name in OURS)

    def test_stopping_takes_no_longer_than_is_granted(self):
        assert seconds(SERVICES["web"]["stop_grace_period"]) > WEB_GRACE_SECONDS
        assert seconds(SERVICES["worker"]["stop_grace_period"]) > WORKER_GRACE_SECONDS


class TestImage:
    def test_hadolint_has_nothing_to_say(self):
        hadolint = shutil.which("hadolint", path=str(Path(sys.executable).parent)) or shutil.which("hadolint")
        if not hadolint:
            pytest.skip("needs hadolint")

        said = subprocess.run([hadolint, DOCKER / "Dockerfile"], capture_output=True, text=True, check=False)

        assert (said.returncode, said.stdout) == (0, "")

    def test_it_does_not_run_as_root(self):
        lines = (DOCKER / "Dockerfile").read_text().splitlines()
        last_stage = lines[max(i for i, line in enumerate(lines) if line.startswith("FROM")) :]
        assert "USER 10001:10001" in last_stage

    def test_it_copies_only_what_is_there_and_not_ignored(self):
        allowed = {line[1:] for line in (DOCKER / "Dockerfile.dockerignore").read_text().splitlines() if line[0] == "!"}
        copied = {
            source
            for line in (DOCKER / "Dockerfile").read_text().splitlines()
            if line.startswith("COPY") and "--from" not in line
            for source in line.split()[1:-1]
        }

        assert copied == allowed
        assert all((settings.BASE_DIR / source).exists() for source in copied)
