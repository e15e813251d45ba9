"""Nobody else can read what is ours."""

from __future__ import annotations

import os
import threading

import pytest

from encyclopedia_adapters.shared.private_files import locked, plain_file, private_file, private_folder
from tests.unprivileged import unprivileged


def mode(path):
    return os.stat(path).st_mode & 0o777


@pytest.fixture(autouse=True)
def _wide_mask():
    old = os.umask(0)
    yield
    os.umask(old)


@pytest.mark.spec("ENC-STORE-1")
def test_a_folder_is_made_for_its_owner_only(tmp_path):
    made = private_folder(str(tmp_path / "a" / "b"))
    assert mode(made) == 0o700
    assert private_folder(made) == made


@pytest.mark.spec("ENC-STORE-1")
def test_a_folder_that_others_may_write_to_is_closed_to_them(tmp_path):
    (tmp_path / "open").mkdir(mode=0o777)
    (tmp_path / "readable").mkdir(mode=0o755)
    assert mode(private_folder(str(tmp_path / "open"))) == 0o755
    assert mode(private_folder(str(tmp_path / "readable"))) == 0o755


@pytest.mark.spec("ENC-STORE-1")
@pytest.mark.parametrize("theirs", ["/", "/usr"])
def test_a_folder_of_somebody_else_is_not_used(tmp_path, theirs):
    with unprivileged(tmp_path), pytest.raises(PermissionError, match="belongs to another user"):
        private_folder(theirs)


@pytest.mark.spec("ENC-STORE-1")
def test_an_own_folder_is_used(tmp_path):
    with unprivileged(tmp_path):
        assert mode(private_folder(str(tmp_path / "own" / "state"))) == 0o700


@pytest.mark.spec("ENC-STORE-1")
def test_a_file_is_made_for_its_owner_only(tmp_path):
    path = str(tmp_path / "state" / "file")
    os.close(private_file(path))
    assert (mode(path), mode(tmp_path / "state")) == (0o600, 0o700)


def test_a_file_in_the_place_of_a_folder_is_an_error(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(FileExistsError):
        private_folder(str(tmp_path / "file"))


def test_a_locked_file_is_held_by_one(tmp_path):
    path, order = str(tmp_path / "file"), []
    one, two = private_file(path), private_file(path)

    def second():
        with locked(two):
            order.append("second")

    with locked(one):
        thread = threading.Thread(target=second)
        thread.start()
        order.append("first")
    thread.join()
    assert order == ["first", "second"]
    os.close(one)
    os.close(two)


@pytest.mark.spec("ENC-STORE-8")
@pytest.mark.parametrize("flags", [os.O_RDONLY, os.O_RDWR])
def test_a_pipe_in_the_place_of_a_file_is_an_error_at_once(tmp_path, flags):
    os.mkfifo(tmp_path / "one")
    with pytest.raises(OSError, match="not a regular file"):
        plain_file(str(tmp_path / "one"), flags)
