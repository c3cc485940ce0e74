from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders

VENDOR = settings.BASE_DIR / "config" / "static" / "vendor"
TEMPLATES = settings.BASE_DIR / "templates"
FOLDERS = sorted(path for path in VENDOR.iterdir() if path.is_dir())


class TestVendoredFiles:
    @pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
    def test_are_those_of_their_manifest(self, folder: Path):
        manifest = json.loads((folder / "manifest.json").read_text())

        found = {
            path.name: hashlib.sha256(path.read_bytes()).hexdigest()
            for path in folder.iterdir()
            if path.name != "manifest.json"
        }

        assert found == manifest["sha256"]
        assert set(manifest) == {"name", "version", "licence", "sha256"}

    @pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
    def test_come_with_their_licence(self, folder: Path):
        assert "Permission is hereby granted" in (folder / "LICENSE.txt").read_text()


class TestTemplates:
    @pytest.mark.parametrize("template", sorted(TEMPLATES.rglob("*.html")), ids=lambda path: path.name)
    def test_hold_no_inline_script_or_style(self, template: Path):
        text = template.read_text()

        assert not re.search(r"<script(?![^>]*\ssrc=)", text)
        assert not re.search(r"<style|\sstyle=|\son[a-z]+=|javascript:", text)

    @pytest.mark.parametrize("template", sorted(TEMPLATES.rglob("*.html")), ids=lambda path: path.name)
    def test_name_static_files_that_exist(self, template: Path):
        named = re.findall(r"{% static '([^']+)' %}", template.read_text())

        assert [name for name in named if finders.find(name) is None] == []
