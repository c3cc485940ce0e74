"""Reading files of a workspace, on a real file system."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fabric_app.evidence.source_files import normalised, read_source
from fabric_app.protocol.source_errors import ComplexityFileUnreadable, ComplexityPathOutside

CODE = b"if (a) b();\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "a.ts").write_bytes(CODE)
    (tmp_path / "secret.ts").write_bytes(b"secret")
    (tmp_path / "workspace-2").mkdir()
    (tmp_path / "workspace-2" / "b.ts").write_bytes(b"neighbour")
    return folder


def read(root: Path, file: str, max_bytes: int = 1000) -> bytes | None:
    return read_source(root, file, max_bytes=max_bytes)


def open_descriptors() -> int:
    return sum(1 for _ in Path("/dev/fd").iterdir())


def refusal(root: Path, file: str) -> str:
    with pytest.raises(ComplexityFileUnreadable) as refused:
        read(root, file)
    assert refused.value.details["file"] == file
    return str(refused.value.details["reason"])


class TestNormalised:
    def test_names_are_relative_once_and_in_order(self, root: Path) -> None:
        names = ["./src/a.ts", "b.ts", "src/../src//a.ts", str(root / "c.ts"), "d/../b.ts", "src/a.ts/"]

        assert normalised(root, names) == ["src/a.ts", "b.ts", "c.ts"]

    def test_blank_names_are_skipped(self, root: Path) -> None:
        assert normalised(root, ["", "  ", "\t\n", "a.ts"]) == ["a.ts"]

    @pytest.mark.parametrize("name", ["[id].tsx", "my file.ts", "@scope/x.ts", "(group)/x.ts", "тест/é.js", "a\\b.ts"])
    def test_unusual_names_are_kept(self, root: Path, name: str) -> None:
        assert normalised(root, [name]) == [name]

    def test_every_name_that_leads_out_is_named(self, root: Path) -> None:
        outside = ["../x.ts", "/etc/x.ts", "src/../../y.ts", "..", str(root) + "-2/b.ts"]

        with pytest.raises(ComplexityPathOutside) as refused:
            normalised(root, ["a.ts", *outside, "..a.ts"])

        assert refused.value.details["files"] == outside


class TestReadSource:
    def test_a_regular_file_is_read(self, root: Path) -> None:
        assert read(root, "src/a.ts") == CODE

    @pytest.mark.parametrize("name", ["[id].tsx", "my file.ts", "@scope/x.ts", "тест/é 𠮷.js", "a\\b.ts", "-rf.js"])
    def test_any_name_is_read(self, root: Path, name: str) -> None:
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_bytes(CODE)

        assert read(root, name) == CODE

    @pytest.mark.parametrize("name", ["gone.ts", "gone/a.ts", "src/a.ts/b.ts"])
    def test_what_does_not_exist_is_none(self, root: Path, name: str) -> None:
        assert read(root, name) is None

    def test_a_root_that_is_a_link_itself_is_fine(self, root: Path) -> None:
        link = root.parent / "link"
        link.symlink_to(root)

        assert read(link, "src/a.ts") == CODE

    @pytest.mark.parametrize(("link", "target"), [("l.ts", "src/a.ts"), ("src/l.ts", "../src/a.ts"), ("s", "src")])
    def test_a_link_that_stays_inside_is_followed(self, root: Path, link: str, target: str) -> None:
        (root / link).symlink_to(target)

        assert read(root, "s/a.ts" if link == "s" else link) == CODE

    @pytest.mark.parametrize("target", ["../secret.ts", "/etc/passwd", "../workspace-2/b.ts", "../no-such-file.ts"])
    def test_a_link_out_of_the_root_is_refused_whether_or_not_its_target_exists(self, root: Path, target: str) -> None:
        (root / "l.ts").symlink_to(target)

        assert refusal(root, "l.ts") == "it is a link that leads out of the workspace root"

    def test_a_folder_linked_out_of_the_root_is_refused(self, root: Path) -> None:
        (root / "out").symlink_to(root.parent)

        assert refusal(root, "out/secret.ts") == "it is a link that leads out of the workspace root"

    def test_a_link_to_itself_is_refused(self, root: Path) -> None:
        (root / "loop.ts").symlink_to("loop.ts")

        assert refusal(root, "loop.ts")

    def test_a_dangling_link_inside_is_a_missing_file(self, root: Path) -> None:
        (root / "l.ts").symlink_to("src/gone.ts")

        assert read(root, "l.ts") is None

    @pytest.mark.timeout(10)
    def test_a_fifo_is_refused_without_waiting_for_a_writer(self, root: Path) -> None:
        os.mkfifo(root / "pipe.ts")

        assert refusal(root, "pipe.ts") == "it is not a regular file"

    @pytest.mark.timeout(10)
    @pytest.mark.parametrize("device", ["/dev/zero", "/dev/stdin", "/proc/self/fd/0"])
    def test_a_link_to_a_device_is_refused(self, root: Path, device: str) -> None:
        (root / "endless.ts").symlink_to(device)

        assert refusal(root, "endless.ts") == "it is a link that leads out of the workspace root"

    @pytest.mark.timeout(10)
    def test_a_device_below_the_root_is_refused(self) -> None:
        assert refusal(Path("/dev"), "zero") == "it is not a regular file"

    def test_a_folder_is_refused(self, root: Path) -> None:
        (root / "folder.ts").mkdir()

        assert refusal(root, "folder.ts") == "it is not a regular file"

    def test_a_file_of_the_largest_size_is_read_and_one_byte_more_is_refused(self, root: Path) -> None:
        (root / "most.ts").write_bytes(b"x" * 1000)
        (root / "more.ts").write_bytes(b"x" * 1001)

        assert read(root, "most.ts") == b"x" * 1000
        assert refusal(root, "more.ts") == "it is larger than 1000 bytes"

    def test_a_sparse_file_is_refused_by_its_size(self, root: Path) -> None:
        with (root / "sparse.ts").open("wb") as sparse:
            sparse.truncate(1 << 40)

        assert refusal(root, "sparse.ts") == "it is larger than 1000 bytes"

    @pytest.mark.parametrize("name", ["nul\0.ts", "surrogate\ud800.ts"])
    def test_a_name_that_no_file_can_have_is_refused(self, root: Path, name: str) -> None:
        assert refusal(root, name) == "no file can have this name"

    def test_a_name_that_is_too_long_is_refused(self, root: Path) -> None:
        assert "too long" in refusal(root, "x" * 300 + ".ts")

    def test_no_descriptor_stays_open(self, root: Path) -> None:
        (root / "folder.ts").mkdir()
        before = open_descriptors()

        for _ in range(5):
            read(root, "src/a.ts")
            read(root, "src/gone.ts")
            refusal(root, "folder.ts")

        assert open_descriptors() == before
